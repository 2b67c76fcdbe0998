import Glibc
import Locks
import Testing
import WatchProtoCore

@testable import WatchProtoTransport

/// A line between two addresses on which everything takes its time. The side that connects comes to
/// the near one, and the listening side is at the far one.
final class SlowLink: Sendable {
    private let isOver = Atomic(false)
    private let thread = Mutex<SystemThread?>(nil)

    /// - Parameter bytesPerSecond: how much of a stream passes each way; nil for any amount.
    init(
        near: LinkAddress, far: LinkAddress, delay: Duration, bytesPerSecond: Int? = nil
    ) throws {
        let step: () -> Void
        if let nearPort = try DatagramPort(near, side: .listening),
            let farPort = try DatagramPort(far, side: .connecting)
        {
            step = Self.datagrams(nearPort, farPort, delay)
        } else {
            step = try Self.connections(near, far, delay, bytesPerSecond)
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
        _ near: LinkAddress, _ far: LinkAddress, _ delay: Duration, _ bytesPerSecond: Int?
    ) throws -> () -> Void {
        let listener = near.makeSource(side: .listening)
        let connector = far.makeSource(side: .connecting)
        try listener.prepare()
        var pairs: [(any Carrier, any Carrier)] = []
        var queue: [(due: Instant, to: any Carrier, bytes: [UInt8]?)] = []
        var ended: [ObjectIdentifier] = []
        var nextRead: [ObjectIdentifier: Instant] = [:]
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
                let name = ObjectIdentifier(from)
                if let next = nextRead[name], next > now { continue }
                guard
                    let bytes = CarrierTests.read(
                        from, limit: bytesPerSecond == nil ? 1 << 16 : 1 << 10)
                else {
                    ended.append(ObjectIdentifier(from))
                    queue.append((now.advanced(by: delay), to, nil))
                    continue
                }
                if let bytesPerSecond, !bytes.isEmpty {
                    nextRead[name] = max(now, nextRead[name] ?? now).advanced(
                        by: .nanoseconds(bytes.count * 1_000_000_000 / bytesPerSecond))
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
