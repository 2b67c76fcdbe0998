import Glibc
import Synchronization
import Testing
import WatchProto

@testable import WatchTransport

/// A line between two addresses on which everything takes its time. The side that connects comes to
/// the near one, and the listening side is at the far one.
final class SlowLink: Sendable {
    private let isOver = Atomic(false)
    private let thread = Mutex<SystemThread?>(nil)

    init(near: LinkAddress, far: LinkAddress, delay: Duration) throws {
        let step: () -> Void
        if let nearPort = try DatagramPort(near, side: .listening),
            let farPort = try DatagramPort(far, side: .connecting)
        {
            step = Self.datagrams(nearPort, farPort, delay)
        } else {
            step = try Self.connections(near, far, delay)
        }
        nonisolated(unsafe) let pass = step
        let made = try SystemThread { [weak self] in
            while self?.isOver.load(ordering: .relaxed) == false {
                unsafe pass()
                usleep(500)
            }
        }
        thread.withLock { $0 = made }
    }

    func close() {
        isOver.store(true, ordering: .relaxed)
        thread.withLock { $0 }?.join()
    }

    private static func datagrams(
        _ near: DatagramPort, _ far: DatagramPort, _ delay: Duration
    ) -> () -> Void {
        var queue: [(due: Instant, to: DatagramPort, bytes: [UInt8])] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        return {
            let now = SystemClock.now
            for (from, to) in [(near, far), (far, near)] {
                while case .datagram(let count, _) = from.receive(into: &buffer) {
                    queue.append((now.advanced(by: delay), to, Array(buffer[..<count])))
                }
            }
            while let first = queue.first, first.due <= now {
                _ = first.to.send(first.bytes)
                queue.removeFirst()
            }
        }
    }

    private static func connections(
        _ near: LinkAddress, _ far: LinkAddress, _ delay: Duration
    ) throws -> () -> Void {
        let listener = near.makeSource(side: .listening)
        let connector = far.makeSource(side: .connecting)
        try listener.prepare()
        var pairs: [(any Carrier, any Carrier)] = []
        var queue: [(due: Instant, to: any Carrier, bytes: [UInt8]?)] = []
        var ended: [ObjectIdentifier] = []
        return {
            let now = SystemClock.now
            // The connection is there at once: only what it brings takes its time.
            if case .opened(let one) = listener.open(.sign),
                case .opened(let other) = connector.open(.asked)
            {
                pairs.append((one, other))
            }
            for (from, to) in pairs + pairs.map({ ($0.1, $0.0) })
            where !ended.contains(ObjectIdentifier(from)) {
                guard let bytes = CarrierTests.read(from) else {
                    ended.append(ObjectIdentifier(from))
                    queue.append((now.advanced(by: delay), to, nil))
                    continue
                }
                if !bytes.isEmpty { queue.append((now.advanced(by: delay), to, bytes)) }
            }
            while let first = queue.first, first.due <= now {
                queue.removeFirst()
                if let bytes = first.bytes {
                    _ = first.to.write(bytes.span)
                } else {
                    (first.to as? SocketCarrier)?.end()
                }
            }
        }
    }
}

extension SocketCarrier {
    /// Says that nothing more will be written.
    fileprivate func end() { if let writeDescriptor { shutdown(writeDescriptor, Int32(SHUT_WR)) } }
}
