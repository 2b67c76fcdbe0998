import Locks
package import WatchProtoCore
import WatchProtoJournal
package import WatchProtoTransport

/// The part of a session that files need. Each method is that of `DriverSession`.
package protocol FileLink: LedgerLink {
    /// Gives `body` the records of a kind that are under way. Nothing settles meanwhile.
    func withRecordsUnderWay(_ kind: ContentKind, _ body: ([OutboundRecord]) -> Void)

    /// Sends the records before the first one that is refused.
    ///
    /// - Parameters:
    ///   - drafts: the records.
    ///   - accepted: called with the place of a record and its identity.
    /// - Returns: why a record was refused; nil if none was.
    func transfer(
        _ drafts: [RecordDraft], accepted: (Int, RecordID) -> Void
    ) -> SendRefusal?
}

extension DriverSession: FileLink {
    package func transfer(
        _ drafts: [RecordDraft], accepted: (Int, RecordID) -> Void
    ) -> SendRefusal? {
        transfer(drafts, isPartial: true, accepted: { place, id, _ in accepted(place, id) }).refusal
    }
}

/// The files between this device and one other device, in one session.
///
/// The receiver fetches one file after the other. It asks for as many bytes as the link carries in
/// two seconds, and for further ones when half of them have come.
package final class FileExchange: Sendable {
    /// An offer of the other device whose file is not whole.
    struct Arrival: Sendable {
        /// The record without its payload, which the offer was read from.
        var record: InboundRecord
        var offer: FileOffer
        var file: UInt128
        /// Receives the record of a whole file.
        var deliver: @Sendable (InboundRecord) -> Void
        /// Whether the other device paused it.
        var isPaused = false
        /// The end of the pause after a failure of either disk.
        var retryAt: Instant?
        /// The newest message of the other device about it that nobody has read.
        var signal: FileMessage?

        /// Whether it can be fetched now.
        var isReady: Bool { !isPaused && retryAt == nil }

        /// Whether its content differed once.
        var hasDiffered = false
        /// The bytes that are known to be durable.
        var durable: UInt64 = 0
    }

    struct State {
        var link: (any FileLink)?
        var counterpart: UInt128 = 0
        var isReachable = false
        /// The offers without an answer, whole files included, and the bytes of each.
        var unanswered: [RecordID: Int] = [:]
        /// The offers whose files are not whole, in the order of arrival.
        var arrivals: [Arrival] = []
        /// The file that is fetched.
        var fetch: FileFetch?
        /// Blocks that nobody has written yet.
        var blocks: [ArraySlice<UInt8>] = []
        /// The request of the other device that nobody has begun to answer.
        var wanted: Wanted?
        /// The newest signal about each own file that the session has not taken, and the moment at
        /// which they are sent again.
        var unsentSignals: [UInt128: FileMessage] = [:]
        var signalsDueAt: Instant?
        /// The reports of progress, and the moment at which the next one is told.
        var reports = ProgressReports()
        var reportsDueAt: Instant?
        /// The bytes of own files that are on their way to the other device.
        var underWay: [RecordID: (file: UInt128, bytes: Range<UInt64>)] = [:]

        /// Adds an offer of so many bytes, unless a limit of T-1 is reached. The journal gives
        /// unanswered ones again.
        mutating func add(_ arrival: Arrival, _ bytes: Int, _ bounds: OfferBounds) -> Bool {
            let id = arrival.record.id
            if unanswered[id] == nil {
                let known = unanswered.values.reduce(0, +)
                guard unanswered.count < bounds.count, known + bytes <= bounds.bytes else {
                    return false
                }
                unanswered[id] = bytes
            }
            if !arrivals.contains(where: { $0.record.id == id }) { arrivals.append(arrival) }
            return true
        }

        /// Keeps the newest message about a file that is offered here; drops one about another.
        ///
        /// - Returns: whether nobody waits to read it yet.
        mutating func signal(_ file: UInt128, _ message: FileMessage) -> Bool {
            guard let place = arrivals.firstIndex(where: { $0.file == file }) else { return false }
            defer { arrivals[place].signal = message }
            return arrivals[place].signal == nil
        }
    }

    /// A request of the other device.
    struct Wanted: Sendable {
        var file: UInt128
        var bytes: Range<UInt64>
        var blockBytes: Int
        /// The bytes that the other device has made durable.
        var durable: UInt64

        /// Adds a further request, which goes on where this one ends, or takes its place.
        mutating func add(_ further: Wanted) {
            guard further.file == file, further.bytes.lowerBound == bytes.upperBound else {
                self = further
                return
            }
            let end = min(
                further.bytes.upperBound, bytes.lowerBound + UInt64(FileMessage.largestCount))
            (bytes, blockBytes) = (bytes.lowerBound..<end, further.blockBytes)
            durable = further.durable
        }
    }

    /// The offers without an answer that a receiver keeps (T-1).
    package struct OfferBounds: Hashable, Sendable {
        package var count = 1_024
        /// The bytes of their payloads: as many as a receiver has of the content of a file.
        package var bytes = 1 << 20

        package init() {}
    }

    /// The most bytes of blocks on their way. Further requests are passed over.
    static let largestUnderWay = 1 << 19
    /// The most blocks on their way; a receiver that asks for single bytes gets no more.
    static let mostUnderWay = 128
    /// The pause after a failure of a disk, and the time without a block after which the receiver
    /// asks again.
    static let pause = Duration.seconds(10)

    let center: FileCenter
    let offerBounds: OfferBounds
    let state = Mutex(State())
    /// The file that is fetched. Only the work uses it, which may wait for the disk.
    let part = Mutex<ArrivingFile?>(nil)

    /// An exchange without a session.
    package init(_ center: FileCenter, _ offerBounds: OfferBounds = OfferBounds()) {
        self.center = center
        self.offerBounds = offerBounds
    }

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
        center.work.add { [self] in
            center.sweep()
            readSignals()
        }
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
            { [self] in give() }, { [self] in writeBlocks() }, { [self] in readSignals() }
        )
        let piece = state.withLock { state -> Piece? in
            switch message {
            case .wanted(let offset, let count, let blockBytes, let durable):
                let wanted = Wanted(
                    file: file, bytes: offset..<(offset + UInt64(count)), blockBytes: blockBytes,
                    durable: durable)
                let isFirst = state.wanted == nil
                if isFirst { state.wanted = wanted } else { state.wanted?.add(wanted) }
                return isFirst ? answer : nil
            case .block(let offset, let bytes):
                guard state.fetch?.file == file else { return nil }
                guard state.fetch?.accept(offset, bytes.count, at: now) == true else { return nil }
                // The first one may be on its way to the disk. Of the others none stays small.
                let last = state.blocks.count - 1
                if last > 0, state.blocks[last].count < FileMessage.blockSizes.lowerBound {
                    state.blocks[last] += bytes
                    return nil
                }
                state.blocks.append(bytes)
                return state.blocks.count == 1 ? write : nil
            case .stopped, .resumed:
                return state.signal(file, message) ? listen : nil
            }
        }
        if let piece { center.work.add(piece) }
    }
}
