import CPosix
import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProtoTransport

/// A directory with a short name, gone with everything in it when the test is over.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/wpXXXXXX".utf8CString)
        unsafe template.withUnsafeMutableBufferPointer { _ = unsafe mkdtemp($0.baseAddress!) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A path inside.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names inside.
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

    deinit {
        for name in names { _ = unsafe unlink(file(name)) }
        _ = unsafe rmdir(path)
    }
}

/// Looks until `condition` holds; false when it never did. Looking is cheap; the limit is for a
/// test that fails. The thread is free meanwhile: other tests need it.
func eventually(
    within limit: Duration = .seconds(10), _ condition: () async -> Bool
) async -> Bool {
    let end = SystemClock.now.advanced(by: limit)
    while SystemClock.now < end {
        if await condition() { return true }
        await pause(.milliseconds(1))
    }
    return await condition()
}

/// Lets time pass.
func pause(_ wait: Duration) async {
    try? await Task.sleep(for: wait)
}

/// Descriptors this process has open.
func openDescriptors() -> Int {
    var count = 0
    for descriptor in Int32(0)..<1024 where fcntl(descriptor, F_GETFD) >= 0 { count += 1 }
    return count
}

/// Those of them that a program this process starts would have, too.
func inheritableDescriptors() -> Set<Int32> {
    var descriptors: Set<Int32> = []
    for descriptor in Int32(0)..<1024 {
        let flags = fcntl(descriptor, F_GETFD)
        if flags >= 0, flags & FD_CLOEXEC == 0 { descriptors.insert(descriptor) }
    }
    return descriptors
}

/// The object that a descriptor stands for, for instance "7 -> socket:[4711]".
func descriptorTarget(_ descriptor: Int32) -> String {
    var target = [UInt8](repeating: 0, count: 256)
    let count = unsafe target.withUnsafeMutableBytes { bytes in
        unsafe readlink(
            "/proc/self/fd/\(descriptor)", bytes.baseAddress!.assumingMemoryBound(to: CChar.self),
            bytes.count)
    }
    return "\(descriptor) -> \(String(decoding: target.prefix(max(count, 0)), as: UTF8.self))"
}

/// Notes everything and answers each message that wants a reply with the same bytes.
final class Recorder: SessionDelegate {
    struct Notes {
        var records: [InboundRecord] = []
        var events: [PeerEvent] = []
        var transport: [TransportEvent] = []
        var deferred: [Result<RecordID, SendRefusal>] = []
    }

    let notes = Mutex(Notes())
    /// The application's first action on a record, on the driver's thread.
    let whenDelivering = Mutex<(@Sendable () -> Void)?>(nil)

    func deliver(
        _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
    ) -> Disposition {
        whenDelivering.withLock { $0 }?()
        if record.expectsReply {
            later.send(
                RecordDraft(
                    channel: .interactive, kind: .message, payload: record.payload,
                    inReplyTo: record.id.number))
        }
        notes.withLock { $0.records.append(record) }
        return .applied
    }

    func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {
        notes.withLock { $0.events.append(event) }
    }

    func transport(_ event: TransportEvent, at now: Instant, later: inout DeferredInputs) {
        notes.withLock { $0.transport.append(event) }
    }

    func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant,
        later: inout DeferredInputs
    ) {
        notes.withLock { $0.deferred.append(result) }
    }

    var records: [InboundRecord] { notes.withLock { $0.records } }
    var recordCount: Int { notes.withLock { $0.records.count } }
    var events: [PeerEvent] { notes.withLock { $0.events } }
    var transport: [TransportEvent] { notes.withLock { $0.transport } }
}

/// A security that seals nothing, for one device of the pairing of all tests.
func testSecurity(_ role: DeviceRole) -> NullSecurity {
    NullSecurity(
        PeerLabel(role: role, pairing: PairingID(rawValue: 7)),
        seed: SystemRandomness.epoch().rawValue)
}

/// One side in a box.
struct Side {
    let session: DriverSession
    let recorder: Recorder

    init(
        _ role: DeviceRole, at address: LinkAddress, side: LinkSide? = nil,
        journal: MemoryJournal = MemoryJournal(),
        _ change: (inout DriverSessionOptions) -> Void = { _ in }
    ) throws {
        recorder = Recorder()
        var peer = PeerConfiguration(role: role, pairing: PairingID(rawValue: 7), kinds: .product)
        // Too long to wait for: what comes back must have been noticed, not tried again.
        peer.reopenBackoff = .seconds(60)
        var options = DriverSessionOptions(peer, at: address, side: side)
        change(&options)
        session = try DriverSession(
            options, security: testSecurity(role), journal: journal, delegate: recorder)
    }

    var isReachable: Bool { session.isReachable }
}

/// A phone and a watch that reach each other; both at one address, where the watch has none of its
/// own.
func linkedSides(
    at phoneAddress: LinkAddress, _ watchAddress: LinkAddress? = nil
) async throws -> (phone: Side, watch: Side) {
    let phone = try Side(.phone, at: phoneAddress)
    let watch = try Side(.watch, at: watchAddress ?? phoneAddress)
    try watch.session.activate()
    try phone.session.activate()
    try #require(await eventually { phone.isReachable && watch.isReachable })
    return (phone, watch)
}

func background(_ bytes: [UInt8]) -> RecordDraft {
    RecordDraft(channel: .background, kind: .opaque, payload: bytes)
}

/// The kinds of link every end-to-end test goes through.
enum LinkKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case stream, seqpacket, datagram, udp, pipes

    var testDescription: String { rawValue }

    static let sockets: [LinkKind] = [.stream, .seqpacket, .datagram, .udp]
    /// The kinds that meet at a file.
    static let files: [LinkKind] = [.stream, .seqpacket, .datagram]
    /// The kinds on which the system loses nothing while both ends live.
    static let careful: [LinkKind] = [.stream, .seqpacket, .datagram, .pipes]

    /// The addresses of the phone and the watch.
    func addresses(in directory: TemporaryDirectory) throws -> (
        phone: LinkAddress, watch: LinkAddress
    ) {
        let path = directory.file("s")
        switch self {
        case .stream: return (.unixStream(path: path), .unixStream(path: path))
        case .seqpacket: return (.unixSeqpacket(path: path), .unixSeqpacket(path: path))
        case .datagram: return (.unixDatagram(path: path), .unixDatagram(path: path))
        case .udp:
            let endpoint = UDPEndpoint.fresh()
            return (.udp(endpoint), .udp(endpoint))
        case .pipes:
            let there = try makePipe()
            let back = try makePipe()
            return (
                .descriptors(read: back.0, write: there.1),
                .descriptors(read: there.0, write: back.1)
            )
        }
    }
}

func makePipe() throws -> (Int32, Int32) {
    var reading: Int32 = -1
    var writing: Int32 = -1
    _ = try retryOnInterrupt { unsafe watchproto_pipe(&reading, &writing) }.get()
    return (reading, writing)
}

func makeSocketPair(_ kind: SocketKind = .stream) throws -> (Int32, Int32) {
    var ends: InlineArray<2, Int32> = [-1, -1]
    var span = ends.mutableSpan
    let type = (kind == .stream ? SOCK_STREAM : SOCK_SEQPACKET).rawValue | SOCK_CLOEXEC.rawValue
    _ = try unsafe span.withUnsafeMutableBufferPointer { ends in
        try retryOnInterrupt { unsafe socketpair(AF_UNIX, Int32(type), 0, ends.baseAddress!) }.get()
    }
    for index in 0..<2 { _ = try DescriptorCall.prepare(ends[index]).get() }
    return (ends[0], ends[1])
}

extension UDPEndpoint {
    private static let nextPort = Atomic<UInt16>(20_000)

    /// An endpoint that nobody else has: an address of this process' own, and a port of its own.
    static func fresh(datagramBytes: Int = largestDatagramBytes) -> UDPEndpoint {
        let address = 0x7F00_0000 | UInt32(getpid()) << 2 & 0x00FF_FFFC | 2
        let port = nextPort.wrappingAdd(1, ordering: .relaxed).newValue
        return UDPEndpoint(.v4(address), port: port, datagramBytes: datagramBytes)
    }
}
