import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProtoJournal
@testable import WatchProtoTransport

/// A directory with a short name, gone with everything in it when the test is over.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/wjXXXXXX".utf8CString)
        unsafe template.withUnsafeMutableBufferPointer { _ = unsafe mkdtemp($0.baseAddress!) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    var names: [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Every file's bytes, the lock's aside: it names whoever opened last.
    var contents: [String: [UInt8]] {
        var all: [String: [UInt8]] = [:]
        for name in names where !name.hasSuffix("-lock") { all[name] = bytes(name) }
        return all
    }

    func bytes(_ name: String) -> [UInt8] {
        FileLook.bytes(of: file(name), count: 64 << 20) ?? []
    }

    func write(_ name: String, _ bytes: [UInt8]) {
        let descriptor = unsafe open(file(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        unsafe bytes.withUnsafeBytes { buffer in
            _ = unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        }
        close(descriptor)
    }

    func remove(_ name: String) { _ = unsafe unlink(file(name)) }

    deinit {
        _ = unsafe chmod(path, 0o700)
        for name in names where unsafe unlink(file(name)) != 0 { _ = unsafe rmdir(file(name)) }
        _ = unsafe rmdir(path)
    }
}

/// A notifier that a test reads.
final class Post: Sendable {
    let notifier: CommitNotifier

    init() throws { notifier = CommitNotifier(wake: try WakeDescriptor()) }

    /// The notifications since the last look: the number of each batch, negative for a failure.
    func take() -> [Int] {
        notifier.take().map {
            $0.isCommitted ? Int($0.receipt.rawValue) : -Int($0.receipt.rawValue)
        }
    }
}

/// Stops a thread until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var waiting = 0
    }

    private let state: Mutex<State>

    init(isOpen: Bool = false) { state = Mutex(State(isOpen: isOpen)) }

    /// Called by the thread that is to stop. Gives up after a minute, for a test that fails.
    func pass() {
        state.withLock { $0.waiting += 1 }
        _ = looked(within: .seconds(60)) { state.withLock { $0.isOpen } }
        state.withLock { $0.waiting -= 1 }
    }

    /// Waits until a thread has stopped here; false when none did. Blocks, as the thread that is
    /// to stop is none of the tests' own.
    func holds() -> Bool { looked(within: .seconds(60)) { state.withLock { $0.waiting > 0 } } }

    func open() { state.withLock { $0.isOpen = true } }
}

/// Looks on this thread until `condition` holds; false when it never did.
func looked(within limit: Duration = .seconds(10), _ condition: () -> Bool) -> Bool {
    let end = SystemClock.now.advanced(by: limit)
    while !condition() {
        if SystemClock.now > end { return false }
        usleep(500)
    }
    return true
}

/// Looks until `condition` holds; false when it never did.
func eventually(
    within limit: Duration = .seconds(10), _ condition: () async -> Bool
) async -> Bool {
    let end = SystemClock.now.advanced(by: limit)
    while SystemClock.now < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return await condition()
}

let pairing = PairingID(rawValue: 7)

func recordID(
    _ number: UInt64, channel: Channel = .background, epoch: UInt64 = 1
) -> RecordID {
    RecordID(epoch: EpochID(rawValue: epoch), channel: channel, number: RecordNumber(number))
}

/// The record that a draft became as the first of its channel, or as the one of this number.
func record(_ draft: RecordDraft, _ number: UInt64 = 1) -> OutboundRecord {
    OutboundRecord(
        id: recordID(number, channel: draft.channel), draft: draft,
        acceptedAt: WallTime(milliseconds: 0))
}

/// A record accepted for delivery.
func queued(_ number: UInt64, _ payload: [UInt8] = [1, 2, 3]) -> JournalEntry {
    .queued(
        record(RecordDraft(channel: .background, kind: .opaque, payload: payload), number))
}

let opened = JournalEntry.opened(EpochID(rawValue: 1), reservationEnd: 1024)

/// A life of records, batch by batch: queued, committed, applied, and replies of the counterpart.
struct Life {
    var random: SeededGenerator
    private var next: UInt64 = 1
    private var live: [RecordID] = []
    private var isBegun = false

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func batch(payloadBytes: UInt64 = 60) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        if !isBegun {
            entries = [opened, .epoch(EpochID(rawValue: 9), .known)]
            isBegun = true
        }
        for _ in 0...random.uniform(in: 0...3) {
            switch random.uniform(in: 0...3) {
            case 0, 1:
                let payload = (0..<random.uniform(in: 0...payloadBytes)).map { _ in
                    UInt8(truncatingIfNeeded: random.next())
                }
                entries.append(queued(next, payload))
                live.append(recordID(next))
                next += 1
            case 2 where !live.isEmpty:
                entries.append(.settled(live.removeFirst(), .applied))
            default:
                let id = recordID(random.uniform(in: 1...500), channel: .context, epoch: 9)
                entries.append(
                    .received(
                        InboundRecord(
                            id: id, kind: .opaque,
                            key: RecordKey(rawValue: UInt128(random.uniform(in: 0...5))),
                            payload: [UInt8(truncatingIfNeeded: random.next())]), .applied,
                        at: WallTime(milliseconds: 7)))
            }
        }
        return entries
    }
}

/// The peer that the tests' journals are for.
let configuration = PeerConfiguration(role: .watch, pairing: pairing, kinds: .product)

/// Images are equal whose checkpoints are the same entries.
func == (left: JournalImage, right: JournalImage) -> Bool { left.entries == right.entries }
/// Images differ whose checkpoints do.
func != (left: JournalImage, right: JournalImage) -> Bool { left.entries != right.entries }

extension JournalImage {
    /// The image of an empty journal.
    init() { self.init(kinds: configuration.kinds, limits: configuration.limits) }

    init(_ entries: [JournalEntry]) {
        self.init()
        apply(entries)
    }

    /// The unsettled records of ordered channels.
    func outboundInOrder() -> [OutboundRecord] {
        entries.compactMap { if case .queued(let record) = $0 { record } else { nil } }
    }
}

extension PairingJournal {
    /// The image for the tests' peer.
    func restore() throws -> JournalImage { try restore(configuration) }

    /// Gives a batch under a number.
    @discardableResult
    func give(
        _ entries: [JournalEntry], _ number: UInt64 = 1, writes: [SQLWrite] = [], to post: Post
    ) -> JournalAnswer {
        persist(
            entries, writes: writes, receipt: JournalReceipt(rawValue: number),
            notifier: post.notifier)
    }
}

/// A seal that can be seen, with a key of one byte. Sealed twice is not as before.
struct ToyKey: PayloadKey, PayloadSealing {
    var key: UInt8

    func unlock(
        _ header: [UInt8]?
    ) throws(PayloadKeyRefusal) -> (sealing: any PayloadSealing, header: [UInt8]) {
        let own: [UInt8] = [84, key &* 31]
        guard header == nil || header == own else {
            throw PayloadKeyRefusal("the toy key does not open it")
        }
        return (self, own)
    }

    func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8] {
        payload.map { $0 &+ key } + tag(associatedData)
    }

    func open(_ sealed: [UInt8], associatedData: [UInt8]) throws -> [UInt8] {
        guard sealed.count >= 8, Array(sealed.suffix(8)) == tag(associatedData) else {
            throw PayloadKeyRefusal("altered")
        }
        return sealed.dropLast(8).map { $0 &- key }
    }

    func lookupTag(_ name: [UInt8]) -> [UInt8] { tag(name) }

    private func tag(_ data: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.uint64(ContentHash.of(data))
        return writer.bytes
    }
}

/// The toy key 9, which counts what it seals.
final class CountingKey: PayloadKey, PayloadSealing {
    private let toy = ToyKey(key: 9)
    private let count = Mutex(0)
    var seals: Int { count.withLock { $0 } }

    func unlock(
        _ header: [UInt8]?
    ) throws(PayloadKeyRefusal) -> (sealing: any PayloadSealing, header: [UInt8]) {
        (self, try toy.unlock(header).header)
    }

    func seal(_ payload: [UInt8], associatedData: [UInt8]) -> [UInt8] {
        count.withLock { $0 += 1 }
        return toy.seal(payload, associatedData: associatedData)
    }

    func open(_ sealed: [UInt8], associatedData: [UInt8]) throws -> [UInt8] {
        try toy.open(sealed, associatedData: associatedData)
    }

    func lookupTag(_ name: [UInt8]) -> [UInt8] { toy.lookupTag(name) }
}

/// Counts down across threads; far from zero until it is set.
final class Count: Sendable {
    private let value = Mutex(Int.max)
    func set(_ count: Int) { value.withLock { $0 = count } }
    /// The count before this call.
    func next() -> Int {
        value.withLock { value in
            defer { value -= 1 }
            return value
        }
    }
}
