import Locks
import WatchProto
import WatchProtoCore
import WatchProtoTransport

/// A device that sends and receives files, and a paired counterpart that says whatever it likes:
/// offers, blocks, requests and signals of every kind, in any order.
///
/// Input: a byte with the end of the run in its low two bits (0: the same session, 1: another one,
/// 2 or 3: the process starts again), then steps. The low four bits of a step say what happens, the
/// next three vary it, and the highest lets the work of the device wait for the next step.
///
/// | Step | What | Further bytes |
/// | ---- | ---- | ------------- |
/// | 0 | bytes as they are | length, bytes |
/// | 1 | an offer of a varied size, or many offers | file and faults |
/// | 2 | the blocks that were requested, with a varied fault | |
/// | 3 | a block that nobody requested, of a varied length | file and content, place |
/// | 4 | a request of a varied length | file and size of blocks, place |
/// | 5 | *stopped* or *resumed*, varied | file |
/// | 6 | the counterpart becomes unreachable, reachable, or starts again | |
/// | 7 | time passes, varied | |
/// | 8 | the application takes whole files | |
/// | 9 | the session ends, and another begins | |
/// | 10 | the process ends, and another begins; some of them after damage to the disk | place |
/// | 11 | the application pauses, resumes or cancels its file | |
/// | 12 | blocks that are on their way are settled | |
/// | 13 | the session takes no messages or no answers, or takes all again | |
/// | 14 | the own file changes, or its offer is settled | |
/// | 15 | the first block that was requested, with one byte altered | place, XOR |
final class FileAttack {
    /// The files that the counterpart offers, by the keys of their offers.
    static let files: [UInt128] = [1, 2, 3, 4]
    /// The files of this device: one from the beginning, and one for the end of the run.
    static let own: [UInt128] = [101, 102]
    /// The file that the counterpart offers at the end of the run.
    static let honest: UInt128 = 99
    /// The first of the files that it offers in floods.
    static let flooding: UInt128 = 1_000
    private static let counterpart: UInt128 = 7
    /// A sixteenth of those of a device, so that a run with a flood is short.
    static let offerBounds = {
        var bounds = FileExchange.OfferBounds()
        (bounds.count, bounds.bytes) = (bounds.count / 16, bounds.bytes / 16)
        return bounds
    }()

    /// An offer of the counterpart.
    struct Offered {
        var record: InboundRecord
        /// Nil for bytes that are no offer.
        var offer: FileOffer?
        var isAnswered = false
    }

    /// A file of this device.
    struct OwnFile {
        var path: String
        var id: RecordID
        var size: UInt64
        var isPaused = false
        /// Whether no block of it may be given any more.
        var isOver = false
        /// The bytes that were given.
        var given: UInt64 = 0
    }

    /// The events of a run, which tell what an input reaches.
    struct Events {
        /// Files that the application was given.
        var completed = 0
        /// Rejected offers by their codes.
        var rejected: [UInt16: Int] = [:]
        /// Files that went on behind their first byte in a session.
        var resumed = 0
        /// Blocks of own files.
        var given = 0
        /// Requests that were answered without a block.
        var stopped = 0
        /// Messages that had to be without effect.
        var ineffective = 0
    }

    /// The parts that the device reads or writes on its own.
    private final class Surroundings: Sendable {
        let now = Mutex<Instant>(.zero)
        let whole = Mutex<[InboundRecord]>([])
    }

    private let folder: FuzzFolder
    private let memory = DeviceMemory()
    private let surroundings = Surroundings()
    let link = FuzzFileLink()
    private(set) var work = FuzzWork()
    private(set) var center: FileCenter
    private(set) var exchange: FileExchange
    var input: ArraySlice<UInt8>
    let options: UInt8

    var offered: [Offered] = []
    var owned: [UInt128: OwnFile] = [:]
    /// The requests of the device that nobody has answered, the first one first.
    var asked: [(file: UInt128, bytes: Range<UInt64>, blockBytes: Int)] = []
    /// The end of all that the device requested of a file in this session.
    var requestedEnds: [UInt128: UInt64] = [:]
    /// The blocks of own files that are on their way.
    var unsettled: [(id: RecordID, file: UInt128, bytes: Range<UInt64>)] = []
    /// The paths of whole files that the application has not taken; those compared with offers.
    var whole: [RecordID: String] = [:]
    var compared: Set<RecordID> = []
    var events = Events()
    /// The first promise that the run broke.
    private(set) var complaint: String?

    /// A device with one file to send.
    ///
    /// - Throws: the error of the disk.
    init(_ input: [UInt8]) throws {
        folder = try FuzzFolder()
        options = input.first ?? 0
        self.input = input.dropFirst()
        let storage = try DeviceStorage(.watch, nil, memory)
        center = Self.center(storage, "\(folder.path)/in", work, surroundings)
        exchange = FileExchange(center, Self.offerBounds)
        begin()
        try offerOwn(Self.own[0], size: 200_000)
    }

    deinit { endProcess() }

    private static func center(
        _ storage: DeviceStorage, _ place: String, _ work: FuzzWork, _ surroundings: Surroundings
    ) -> FileCenter {
        FileCenter(
            storage, directory: place, work, now: { surroundings.now.withLock { $0 } },
            report: { _ in })
    }

    /// The directory of received files.
    var place: String { "\(folder.path)/in" }
    var now: Instant { surroundings.now.withLock { $0 } }
    /// The names beside the directory of received files.
    var namesBeside: [String] { Directories.names(in: folder.path) }

    func complain(_ text: String) { complaint = complaint ?? text }

    // MARK: The device

    private func begin() {
        asked = []
        requestedEnds = [:]
        unsettled = []
        // The application gets them again.
        whole = [:]
        exchange.begin(link, with: Self.counterpart)
        exchange.connected()
        exchange.reachable(link.isReachable)
        for known in offered where !known.isAnswered {
            if receive(known.record) == .pending { continue }
            complain("an offer that waits for its answer is rejected when it comes again")
        }
    }

    func renewSession() {
        exchange.end()
        exchange = FileExchange(center, Self.offerBounds)
        begin()
    }

    /// The process ends, and what it had to do is not done. Its files are closed.
    private func endProcess() {
        work.drop()
        exchange.end()
        _ = work.run()
    }

    /// Ends the process, and starts it again on its disk.
    func restart() throws {
        endProcess()
        work = FuzzWork()
        let storage = try DeviceStorage(.watch, nil, memory)
        center = Self.center(storage, place, work, surroundings)
        exchange = FileExchange(center, Self.offerBounds)
        compared = []
        begin()
    }

    /// Gives the device an offer of the counterpart.
    func receive(_ record: InboundRecord) -> Disposition {
        exchange.receive(record) { [surroundings] whole in
            surroundings.whole.withLock { $0.append(whole) }
        }
    }

    /// The files that are whole since the last call.
    func takeWhole() -> [InboundRecord] {
        surroundings.whole.withLock { whole in
            defer { whole = [] }
            return whole
        }
    }

    func advance(by time: Duration) {
        let now = surroundings.now.withLock { now in
            now = now.advanced(by: time)
            return now
        }
        exchange.wake(at: now)
    }

    // MARK: Files of the device

    /// Offers a file to the counterpart.
    func offerOwn(_ key: UInt128, size: Int) throws {
        let path = "\(folder.path)/own\(key)"
        try OpenFile(writing: path).write(FileContent.bytes(0, size).span, at: 0)
        let id = RecordID(
            epoch: EpochID(rawValue: 2), channel: .bulk, number: RecordNumber(UInt64(key)))
        guard let source = FileCenter.source(path, metadata: []) else {
            return complain("an own file cannot be read")
        }
        _ = center.keep(source, as: key, for: Self.counterpart)
        center.offered(key, for: Self.counterpart, as: id)
        let draft = RecordDraft(
            channel: .bulk, kind: .file, payload: source.offer.bytes, idempotencyKey: key)
        let record = OutboundRecord(
            id: id, draft: draft, acceptedAt: WallTime(milliseconds: 0))
        link.contents.withLock { $0.own.append(record) }
        owned[key] = OwnFile(path: path, id: id, size: UInt64(size))
    }

    /// The counterpart has settled the offer of an own file.
    func settleOwn(_ key: UInt128) {
        guard let file = owned[key] else { return }
        link.contents.withLock { $0.own.removeAll { $0.idempotencyKey == key } }
        _ = center.settled(file.id)
        owned[key]?.isOver = true
    }
}

extension FuzzTarget {
    /// The transfer of files, both as sender and as receiver, with a hostile counterpart. Memory
    /// keeps to the limits of the article *Files*, no content gets a name unless its hash is that
    /// of its offer, and an honest file passes afterwards in each direction.
    static let fileExchange = FuzzTarget("file-exchange") { bytes in
        guard let attack = try? FileAttack(bytes) else { return "there is no room for files" }
        return attack.run()
    }
}
