import Locks
package import WatchProtoCore
import WatchProtoJournal
package import WatchProtoTransport

/// The part of a session that files need. Each method is that of `DriverSession`.
package protocol FileLink: LedgerLink {
    /// Gives `body` the records of a kind that are under way and have an idempotency key. Nothing
    /// settles meanwhile.
    func withRecordsUnderWay(
        _ kind: ContentKind, _ body: ([(id: RecordID, key: UInt128)]) -> Void)
}

extension DriverSession: FileLink {}

/// The files between this device and one other device, in one session.
///
/// The receiver fetches one file after the other. It asks for as many bytes as the link carries in
/// two seconds, and for further ones when half of them have come.
package final class FileExchange: Sendable {
    /// An offer of the other device whose file is not whole.
    struct Arrival: Sendable {
        var record: InboundRecord
        var offer: FileOffer
        var file: UInt128
        /// Receives the record of a whole file.
        var deliver: @Sendable (InboundRecord) -> Void
        /// Whether the other device paused it.
        var isPaused = false
        /// Whether its content differed once.
        var hasDiffered = false
    }

    struct State {
        var link: (any FileLink)?
        var counterpart: UInt128 = 0
        var isReachable = false
        /// Offers that nobody has looked at.
        var offers: [(record: InboundRecord, deliver: @Sendable (InboundRecord) -> Void)] = []
        /// The offers in the order of arrival.
        var arrivals: [Arrival] = []
        /// The file that is fetched: the first one that is not paused.
        var fetch: FileFetch?
        /// Blocks that nobody has written yet.
        var blocks: [[UInt8]] = []
        /// The newest checkpoint of that file.
        var kept: Kept?
        /// The end of the pause after an error of the disk.
        var retryAt: Instant?
        /// The request of the other device that nobody has begun to answer.
        var wanted: Wanted?
        /// Its further messages that nobody has read.
        var signals: [(file: UInt128, message: FileMessage)] = []
        /// The bytes of own files that are on their way to the other device.
        var underWay: [RecordID: (file: UInt128, bytes: Range<UInt64>)] = [:]
    }

    /// A number of durable bytes that was written to the journal.
    struct Kept: Sendable {
        var id: RecordID
        var bytes: UInt64
        var of: UInt64
        var at: Instant
        var isTold: Bool
    }

    /// A request of the other device.
    struct Wanted: Sendable {
        var file: UInt128
        var bytes: Range<UInt64>
        var blockBytes: Int

        /// Adds a further request, which goes on where this one ends, or takes its place.
        mutating func add(_ further: Wanted) {
            guard further.file == file, further.bytes.lowerBound == bytes.upperBound else {
                self = further
                return
            }
            let end = min(
                further.bytes.upperBound, bytes.lowerBound + UInt64(FileMessage.largestCount))
            (bytes, blockBytes) = (bytes.lowerBound..<end, further.blockBytes)
        }
    }

    /// The most bytes of blocks on their way. Further requests are passed over.
    static let largestUnderWay = 1 << 19
    private static let largestSignals = 64
    /// The pause after an error of the disk, and the time without a block after which the receiver
    /// asks again.
    static let pause = Duration.seconds(10)
    /// Checkpoints with less time between them are told one later.
    static let shortTime = Duration.milliseconds(100)

    let center: FileCenter
    let state = Mutex(State())
    /// The file that is fetched. Only the work uses it, which may wait for the disk.
    let part = Mutex<ArrivingFile?>(nil)

    /// An exchange without a session.
    package init(_ center: FileCenter) { self.center = center }

    /// The device at the other end; 0 without a session.
    var counterpart: UInt128 { state.withLock { $0.counterpart } }

    // MARK: Sessions

    /// The session with a device begins.
    package func begin(_ link: any FileLink, with counterpart: UInt128) {
        state.withLock { state in
            state.link = link
            state.counterpart = counterpart
        }
        // Perhaps the link opened before this call.
        if link.isReachable { reachable(true) }
        link.withRecordsUnderWay(.file) { center.add(self, with: counterpart, $0) }
        center.work.add { [self] in takeOffers() }
    }

    /// The session with the device has ended.
    package func end() {
        center.remove(self, with: counterpart)
        state.withLock { $0 = State() }
        center.work.add { [self] in part.withLock { $0 = nil } }
    }

    /// A record of this side has ended. Called under the driver's lock.
    ///
    /// - Returns: whether it was a block, of which nobody else needs to hear.
    package func settled(_ id: RecordID) -> Bool {
        guard id.channel == .block else { return false }
        state.withLock { _ = $0.underWay.removeValue(forKey: id) }
        return true
    }

    // MARK: The sender

    /// Receives a message about the blocks of a file. Called under the driver's lock.
    package func received(_ payload: [UInt8]) {
        // Nobody waits for an answer to bytes that are no message.
        guard let (file, message) = try? FileMessage.read(payload) else { return }
        let now = center.now()
        typealias Piece = @Sendable () -> Void
        let (answer, write, listen): (Piece, Piece, Piece) = (
            { [self] in give() }, { [self] in writeBlocks() }, { [self] in takeSignals() }
        )
        let piece = state.withLock { state -> Piece? in
            switch message {
            case .wanted(let offset, let count, let blockBytes):
                let wanted = Wanted(
                    file: file, bytes: offset..<(offset + UInt64(count)), blockBytes: blockBytes)
                let isFirst = state.wanted == nil
                if isFirst { state.wanted = wanted } else { state.wanted?.add(wanted) }
                return isFirst ? answer : nil
            case .block(let offset, let bytes):
                guard state.fetch?.file == file else { return nil }
                guard state.fetch?.take(offset, bytes.count, at: now) == true else { return nil }
                state.blocks.append(bytes)
                return state.blocks.count == 1 ? write : nil
            case .stopped, .resumed:
                guard state.signals.count < Self.largestSignals else { return nil }
                state.signals.append((file, message))
                return state.signals.count == 1 ? listen : nil
            }
        }
        if let piece { center.work.add(piece) }
    }

    /// Gives what is wanted, but for bytes that are on their way already.
    private func give() {
        let due = state.withLock { state -> (any FileLink, Wanted, from: UInt64)? in
            defer { state.wanted = nil }
            guard let wanted = state.wanted, let link = state.link else { return nil }
            let bytes = state.underWay.values.reduce(0) { $0 + $1.bytes.count }
            guard bytes < Self.largestUnderWay else { return nil }
            var start = wanted.bytes.lowerBound
            while let known = state.underWay.values.first(where: {
                $0.file == wanted.file && $0.bytes.contains(start)
            }) {
                start = known.bytes.upperBound
            }
            return (link, wanted, start)
        }
        guard let (link, wanted, start) = due else { return }
        let name = FileCenter.Name(file: wanted.file, counterpart: counterpart)
        var offset = start
        while offset < wanted.bytes.upperBound {
            let most = Int(min(UInt64(wanted.blockBytes), wanted.bytes.upperBound - offset))
            switch center.content(of: name, at: offset, most) {
            case .nothing: return
            case .stopped(let reason):
                send(.stopped(reason), of: name.file, over: link)
                return
            case .bytes(let bytes):
                let message = FileMessage.block(offset: offset, bytes)
                guard send(message, of: name.file, over: link) else { return }
                offset += UInt64(bytes.count)
            }
        }
        tellOffer(name, wanted.bytes.lowerBound)
    }

    /// The receiver has the bytes before those that it asks for.
    private func tellOffer(_ name: FileCenter.Name, _ done: UInt64) {
        guard let id = center.offer(of: name.file, for: counterpart),
            let size = center.size(of: name)
        else { return }
        center.told(id, min(done, size), of: size)
    }

    /// Makes a change of an own file durable, and tells of it.
    ///
    /// - Returns: whether the session took the write.
    func tell(_ message: FileMessage, of file: UInt128, _ write: SQLWrite?) -> Bool {
        guard let link = state.withLock({ $0.link }) else { return false }
        if let write, !link.write([write]) { return false }
        center.work.add { [self] in send(message, of: file, over: link) }
        return true
    }

    /// Sends a message. One that is not taken is not missed: the receiver asks again.
    @discardableResult
    func send(_ message: FileMessage, of file: UInt128, over link: any FileLink) -> Bool {
        let payload = message.bytes(of: file)
        let draft = RecordDraft(channel: .block, kind: .filePart, payload: payload)
        do throws(SendRefusal) {
            try link.transfer(draft, writes: []) { id, _ in
                guard case .block(let offset, let bytes) = message else { return }
                let range = offset..<(offset + UInt64(bytes.count))
                state.withLock { $0.underWay[id] = (file, range) }
            }
            return true
        } catch {
            return false
        }
    }
}
