import Locks
import WatchProtoCore
import WatchProtoJournal
import WatchProtoTransport

/// The blocks of own files, and the changes of their transfers.
extension FileExchange {
    /// Gives what is wanted, but for bytes that are on their way already. All blocks of a request
    /// go to the session at once, as each call waits for the driver. The first packet of the other
    /// device may bring a request before the device counts as reachable: then the bytes stay
    /// wanted.
    func give() {
        let due = state.withLock { state -> (any FileLink, Wanted, UInt128)? in
            guard let wanted = state.wanted, let link = state.link else { return nil }
            state.wanted = nil
            let bytes = state.underWay.values.reduce(0) { $0 + $1.bytes.count }
            let isFull = bytes >= Self.largestUnderWay || state.underWay.count >= Self.mostUnderWay
            return isFull ? nil : (link, wanted, state.counterpart)
        }
        guard let (link, wanted, counterpart) = due else { return }
        let name = FileCenter.Name(file: wanted.file, counterpart: counterpart)
        let (blocks, end) = read(wanted, of: name)
        var refusal = send(blocks, of: name.file, over: link)
        switch end {
        case _ where refusal != nil, .nothing: break
        case .stopped(let reason, let problem):
            if let problem { reportProgress(of: name, wanted.durable, problem) }
            refusal = send(.stopped(reason), of: name.file, over: link)
        case .block, nil: reportProgress(of: name, wanted.durable)
        }
        if refusal == .notReachable { keep(wanted) }
    }

    /// A block of an own file.
    private typealias Block = (bytes: Range<UInt64>, payload: [UInt8])

    /// Reads the blocks that a request asks for and that are not on their way.
    ///
    /// - Returns: the blocks, and why the last ones of the request are not there.
    private func read(
        _ wanted: Wanted, of name: FileCenter.Name
    ) -> (blocks: [Block], end: FileCenter.Content?) {
        var blocks: [Block] = []
        var offset = wanted.bytes.lowerBound
        while offset < wanted.bytes.upperBound {
            if let end = endUnderWay(wanted.file, at: offset) {
                offset = end
                continue
            }
            let most = Int(min(UInt64(wanted.blockBytes), wanted.bytes.upperBound - offset))
            switch center.content(of: name, at: offset, most) {
            case .block(let payload, let byteCount):
                blocks.append((offset..<offset + UInt64(byteCount), payload))
                offset += UInt64(byteCount)
            case let end: return (blocks, end)
            }
        }
        return (blocks, nil)
    }

    /// Sends blocks.
    ///
    /// - Returns: why the session did not take all of them; nil if it did.
    private func send(
        _ blocks: [Block], of file: UInt128, over link: any FileLink
    ) -> SendRefusal? {
        if blocks.isEmpty { return nil }
        return link.transfer(blocks.map { Self.draft($0.payload) }) { place, id in
            state.withLock { $0.underWay[id] = (file, blocks[place].bytes) }
        }
    }

    private static func draft(_ payload: [UInt8]) -> RecordDraft {
        RecordDraft(channel: .block, kind: .filePart, payload: payload)
    }

    /// Keeps a request until the other device is reachable.
    private func keep(_ wanted: Wanted) {
        state.withLock { if $0.wanted == nil { $0.wanted = wanted } }
    }

    /// The end of the block with a byte of a file that is on its way; nil if none has it.
    private func endUnderWay(_ file: UInt128, at offset: UInt64) -> UInt64? {
        state.withLock { state in
            state.underWay.values.first { $0.file == file && $0.bytes.contains(offset) }?
                .bytes.upperBound
        }
    }

    /// Reports the bytes that the receiver has made durable.
    private func reportProgress(
        of name: FileCenter.Name, _ done: UInt64, _ problem: String? = nil
    ) {
        guard let id = center.offer(of: name.file, for: name.counterpart),
            let size = center.size(of: name)
        else { return }
        report(FileReport(id: id, done: min(done, size), total: size, problem: problem))
    }

    /// Makes a change of an own file durable, and sends the signal that it has for the receiver.
    ///
    /// - Returns: whether the session took the write.
    func signal(_ message: FileMessage, of file: UInt128, _ write: SQLWrite?) -> Bool {
        guard let link = state.withLock({ $0.link }) else { return false }
        if let write, !link.write([write]) { return false }
        state.withLock { $0.unsentSignals[file] = message }
        center.work.add { [self] in sendSignals() }
        return true
    }

    /// Sends the signals that the session has not taken yet. The receiver of a paused file asks for
    /// nothing, so it would not miss them.
    func sendSignals() {
        let (session, unsent) = state.withLock { ($0.link, $0.unsentSignals) }
        guard let link = session else { return }
        for (file, message) in unsent where send(message, of: file, over: link) == nil {
            state.withLock { if $0.unsentSignals[file] == message { $0.unsentSignals[file] = nil } }
        }
        let now = center.now()
        let hasMore = state.withLock { state in
            state.signalsDueAt = state.unsentSignals.isEmpty ? nil : now.advanced(by: .seconds(1))
            return state.signalsDueAt != nil
        }
        // The driver asks for the deadline.
        if hasMore { _ = link.write([]) }
    }

    /// Sends a message. One that is not taken is not missed: the receiver asks again.
    ///
    /// - Returns: why the session did not take it; nil if it did.
    @discardableResult
    func send(
        _ message: FileMessage, of file: UInt128, over link: any FileLink
    ) -> SendRefusal? {
        link.transfer([Self.draft(message.bytes(of: file))]) { _, _ in }
    }
}
