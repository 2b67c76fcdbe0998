import WatchProto

extension WinnerChecker.Track {
    /// Another word of the sender's application.
    mutating func say(_ value: UInt64, in id: RecordID? = nil) -> WinnerChecker.Span {
        said.append(value)
        records.append(id)
        return WinnerChecker.Span(low: said.count - 1, high: said.count - 1)
    }

    /// The newest of `own` that counts for certain: the last word, unless it may have ended without
    /// effect; then what was told to be applied, or taken over, before it.
    func newest(_ own: [WinnerChecker.Own], _ ledger: Ledger) -> WinnerChecker.Span? {
        var isLast = true
        for own in own.reversed() {
            guard let id = own.id, let facts = ledger[id], facts.outcome != .applied else {
                return own.span
            }
            if isLast, !facts.mayFail, !gaveWay(own.span, ledger) { return own.span }
            isLast = false
        }
        return nil
    }

    /// A word gave way to a later one that may have ended without effect: an older one stands for
    /// both then, also where a backup knows of neither's end.
    private func gaveWay(_ span: WinnerChecker.Span, _ ledger: Ledger) -> Bool {
        var word = span.high
        while superseded.contains(word), word + 1 < records.count {
            word += 1
            if records[word].flatMap({ ledger[$0]?.mayFail }) ?? false { return true }
        }
        return false
    }

    private func value(of own: WinnerChecker.Own) -> UInt64 {
        own.span.high < 0 ? 0 : said[own.span.high]
    }

    /// The sender's disk holds this as the application's own. What a set says and no record
    /// carries is no word: the peer held it to be so already.
    mutating func hold(_ value: UInt64) {
        let newest = disk.last?.span ?? WinnerChecker.Span(low: -1, high: -1)
        if value == (disk.last.map(value(of:)) ?? 0), handedBack != value { return }
        if handedBack == value, let span = span(of: value) {
            disk.append(WinnerChecker.Own(span: span, id: nil))
            handedBack = nil
        } else if let last = said.indices.last(where: {
            said[$0] == value && !undone.contains($0)
        }), last > newest.high {
            disk.append(
                WinnerChecker.Own(span: WinnerChecker.Span(low: last, high: last), id: nil))
        } else {
            var span = span(of: value) ?? WinnerChecker.Span(low: -1, high: -1)
            // Nothing: not known, or removed.
            if value == 0 { span.low = -1 }
            disk.append(WinnerChecker.Own(span: span, id: nil))
        }
    }
}

extension RecordFacts {
    /// Whether a value may end without effect, for all that anybody knows.
    fileprivate var mayFail: Bool {
        if case .rejected = word { return true }
        return draft?.expiresAt != nil || isCancelAsked || refusals > 0
    }
}
