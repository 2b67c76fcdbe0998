/// The handling of the counterpart's statements about values, and of lost packets.
extension LatestValueSender {
    /// Whether statements about values and epochs count: not before versions are mended.
    package var hearsStatements: Bool {
        guard let session else { return false }
        switch session.verdict {
        case .early: return false
        case .lost: return mutants.contains(.adoptUnjudged)
        default: return true
        }
    }

    /// Values are committed or applied there.
    mutating func receive(_ frame: ValueAcknowledgementFrame) {
        guard hearsStatements else { return }
        for range in frame.versions.ranges {
            for version in versions(in: range) {
                acknowledged(version, isApplied: frame.isApplied)
            }
        }
        forgetRemovals()
    }

    /// The versions of a range that this side may have sent. However long the range is, this costs
    /// no more than the keys there are.
    private func versions(in range: ClosedRange<UInt64>) -> [UInt64] {
        if range.upperBound - range.lowerBound < UInt64(values.table.count) { return Array(range) }
        let newest = values.table.values.map { $0.version }.filter { range.contains($0) }
        return (newest + markedNames.keys.filter { range.contains($0) }).sorted()
    }

    private mutating func acknowledged(_ version: UInt64, isApplied: Bool) {
        guard let name = values.name(ofVersion: version), let value = values[name] else {
            takeMarked(version)
            return
        }
        answered(name, version)
        change(name) { transmission in
            transmission.base = value.newest
            if transmission.marked?.id == value.newest.id { transmission.marked = nil }
        }
        markedNames[version] = nil
        if value.progress.isUnsettled { committedThere(name, value, isApplied: isApplied) }
    }

    /// The counterpart's journal holds the newest value of a key. The application hears of the
    /// stage at once; the outcome waits for this side's commit.
    mutating func committedThere(_ name: ValueName, _ value: OwnValue, isApplied: Bool) {
        let id = value.newest.id
        let isNews = value.progress == .queued
        if isApplied {
            emit(.settled(id, .applied), .settled(id, .applied))
        } else if isNews {
            emit(.committedThere(id), .none)
        }
        guard isNews else { return }
        change(name) { $0.reached = .committed }
        report(name)
    }

    mutating func answered(_ name: ValueName, _ version: UInt64) {
        change(name) { transmission in
            transmission.answeredVersion = version
            transmission.isDue = false
            transmission.isLost = false
        }
        fragmented[Int(name.channel.rawValue)].removeAll { $0.address.number == version }
    }

    /// A value that is not the newest any more is committed there: it is the base, if it was
    /// marked.
    private mutating func takeMarked(_ version: UInt64) {
        guard let name = markedNames.remove(version) else { return }
        change(name) { transmission in
            guard let marked = transmission.marked, marked.id.number.rawValue == version else {
                return
            }
            transmission.base = marked
            transmission.marked = nil
        }
    }

    /// A value ended there without being applied.
    mutating func receive(_ frame: ValueOutcomeFrame) {
        guard hearsStatements else { return }
        dropMark(frame.version)
        guard let name = values.name(ofVersion: frame.version), let value = values[name] else {
            return
        }
        answered(name, frame.version)
        guard let code = frame.rejection else {
            // It holds a newer one, or has forgotten a removal, and this side does not know: the
            // listing tells what became of this one.
            guard value.progress.isUnsettled else { return }
            change(name) { $0.answeredVersion = 0 }
            beginComparison(askingEpochs: false)
            return
        }
        guard value.progress.isUnsettled else { return }
        let id = value.newest.id
        emit(
            .settled(id, .rejected(code: code)), .settled(id, .rejected(code: code)))
    }

    private mutating func dropMark(_ version: UInt64) {
        guard let name = markedNames.remove(version) else { return }
        change(name) { transmission in
            if transmission.marked?.id.number.rawValue == version { transmission.marked = nil }
        }
    }

    /// The counterpart cannot apply a delta, does not know a handle, or gave up fragments.
    mutating func receive(_ frame: NeedBaseFrame) {
        guard let session, session.verdict != .early else { return }
        switch frame.subject {
        case .key(let name): sendWhole(name)
        case .handle(_, let handle):
            guard handle < UInt64(session.handles.count) else { return }
            let name = session.handles[Int(handle)]
            transmissions.modify(name) { $0.isHandleKnown = false }
            sendWhole(name)
        case .version(let channel, let version):
            let index = Int(channel.rawValue)
            guard let slot = fragmented[index].firstIndex(where: { $0.address.number == version })
            else {
                if let name = values.name(ofVersion: version) { sendWhole(name) }
                return
            }
            fragmented[index][slot].sentThrough = 0
            fragmented[index][slot].lost = []
        }
    }

    private mutating func sendWhole(_ name: ValueName) {
        guard let value = values[name], let transmission = transmissions[name] else { return }
        if let marked = transmission.marked { dropMark(marked.id.number.rawValue) }
        change(name) { transmission in
            transmission.base = nil
            transmission.needsWhole = true
        }
        // A value that was answered is not sent again; the next value is sent whole.
        guard transmission.answeredVersion != value.version,
            !fragmented[Int(name.channel.rawValue)].contains(where: { $0.name == name })
        else { return }
        makeDue(name)
    }

    // MARK: Packets

    /// A packet was lost: its content is sent again if it still matters, and never an older value
    /// than the newest.
    mutating func lost(_ reference: Reference) {
        guard session != nil else { return }
        switch reference {
        case .value(let name, let version, _):
            dropMark(version)
            guard values[name]?.version == version, transmissions[name]?.answeredVersion != version
            else { return }
            makeDue(name)
        case .batch(let values):
            for value in values { lost(value) }
        case .fragment(let name, let version, let offset, let count):
            let index = Int(name.channel.rawValue)
            guard let slot = fragmented[index].firstIndex(where: { $0.address.number == version })
            else { return }
            fragmented[index][slot].lost.append(offset..<offset + count)
        case .verdict:
            session?.owesVerdict = true
        case .heldQuery(let frame):
            if frame.wantsDigest { session?.asksDigest = true }
            session?.epochsDue += frame.epochs
            for question in frame.ranges
            where session?.comparison?.search.awaits(question, of: frame.listing) == true {
                session?.rangesDue.append(question)
            }
        case .valueQuery(let frame):
            guard session?.comparison?.isAsked(frame) == true else { return }
            session?.valueQueriesDue.append(frame)
        case .watermark(let version):
            if session?.toldWatermark == version { session?.toldWatermark = 0 }
        }
    }

    /// A packet arrived there.
    mutating func acknowledged(_ reference: Reference) {
        if case .batch(let values) = reference {
            for value in values { acknowledged(value) }
            return
        }
        guard case .value(let name, _, definesHandle: true) = reference, session != nil else {
            return
        }
        transmissions.modify(name) { $0.isHandleKnown = $0.handle != nil }
    }
}
