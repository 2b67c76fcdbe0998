import Articles
import Foundation
import Locks
import WatchProtoCore

/// A peer of this package whose link are the pipes of a process of Python that runs the peer of
/// `Examples/peer`.
final class PipePeer {
    struct World: PeerEnvironment, ~Copyable {
        let side: PipePeer

        mutating func transmit(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int {
            side.outgoing += [UInt8](copying: bytes)
            return bytes.count
        }
        mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
            side.image.apply(entries)
            side.receipts.append(receipt)
        }
        mutating func deliver(_ record: InboundRecord) -> Disposition {
            side.delivered.append(record)
            return record.payload == [0xEE] ? .rejected(code: 7) : .applied
        }
        mutating func report(_ event: PeerEvent) { side.events.append(event) }
    }

    private var peer: Peer?
    private(set) var image: JournalImage
    private var outgoing: [UInt8] = []
    private var receipts: [JournalReceipt] = []
    private(set) var delivered: [InboundRecord] = []
    private(set) var events: [PeerEvent] = []
    private let begun = ContinuousClock.now
    /// The text of the last process on its standard error.
    private(set) var said = ""

    init(
        _ configuration: PeerConfiguration, _ image: JournalImage, _ security: some PeerSecurity,
        epoch: UInt64
    ) {
        self.image = image
        let clock = WallClock(time: WallTime(milliseconds: 1_700_000_000_000))
        peer = Peer(
            configuration, restoring: image, epoch: EpochID(rawValue: epoch),
            security: security.erased,
            clock: clock, at: now)
        input { $0.activate(at: $1) }
    }

    private var now: Instant {
        let age = begun.duration(to: .now)
        return Instant(nanoseconds: 1_000_000_000).advanced(by: age)
    }

    private func input(_ body: (inout Peer, Instant) -> Void) {
        guard var peer = peer.take() else { return }
        body(&peer, now)
        repeat {
            for receipt in receipts { peer.committed(receipt, at: now) }
            receipts = []
            var world = World(side: self)
            peer.drain(into: &world)
        } while !receipts.isEmpty
        self.peer = consume peer
    }

    func send(_ draft: RecordDraft) throws -> RecordID {
        var result: Result<RecordID, any Error> = .failure(CancellationError())
        input { peer, now in result = Result { try peer.send(draft, at: now) } }
        return try result.get()
    }

    func outcome(of id: RecordID) -> Outcome? {
        for case .settled(id, let outcome) in events { return outcome }
        return nil
    }

    /// Runs one link with one process, until that process ends. Gives its exit code; nil where it
    /// did not end in time.
    func link(_ options: [String: Any], initiates: Bool) throws -> Int32? {
        let process = Process()
        let (toPython, fromPython, words) = (Pipe(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = FixtureFiles.root.appendingPathComponent(
            "Examples/peer/pipe_peer.py")
        let json = try JSONSerialization.data(withJSONObject: options)
        process.arguments = [
            Python.path, "-B", script.path, String(decoding: json, as: UTF8.self),
        ]
        process.standardInput = toPython
        process.standardOutput = fromPython
        process.standardError = words
        try process.run()
        let arrived = Collector(fromPython)
        let text = Collector(words)
        input { peer, now in
            peer.linkUp(.stream, initiation: initiates ? .atOnce : .whenCalled, at: now)
        }
        let deadline = ContinuousClock.now.advanced(by: .seconds(30))
        while !arrived.isOver, ContinuousClock.now < deadline {
            let bytes = arrived.take()
            if bytes.isEmpty { Thread.sleep(forTimeInterval: 0.001) }
            input { peer, now in
                if !bytes.isEmpty { peer.receive(bytes.span, at: now) }
                peer.wake(at: now)
            }
            if !outgoing.isEmpty, process.isRunning {
                try? toPython.fileHandleForWriting.write(contentsOf: Data(outgoing))
            }
            outgoing = []
        }
        if !arrived.isOver { process.terminate() }
        process.waitUntilExit()
        let rest = arrived.take()
        input { peer, now in
            if !rest.isEmpty { peer.receive(rest.span, at: now) }
            peer.linkDown(CarrierFailure(call: "read", errorNumber: 0), at: now)
        }
        outgoing = []
        // The process has ended; its last words may still be in the pipe.
        while !text.isOver, ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.001) }
        said = String(decoding: text.take(), as: UTF8.self)
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }
}

/// Reads a pipe to its end on a thread of its own.
private final class Collector: Sendable {
    private let state = Mutex<(bytes: [UInt8], isOver: Bool)>(([], false))

    init(_ pipe: Pipe) {
        let handle = pipe.fileHandleForReading
        let descriptor = handle.fileDescriptor
        Thread.detachNewThread { [self] in
            let own = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            while true {
                let data = own.availableData
                state.withLock { state in
                    state.bytes += data
                    state.isOver = data.isEmpty
                }
                if data.isEmpty { return }
            }
        }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    func take() -> [UInt8] {
        state.withLock { state in
            defer { state.bytes = [] }
            return state.bytes
        }
    }
}
