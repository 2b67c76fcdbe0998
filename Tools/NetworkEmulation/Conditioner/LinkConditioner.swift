import Locks
import Simulation
import WatchProtoCore
package import WatchProtoTransport

/// A link model in real time between two sockets: the phone comes to one, the watch is behind the
/// other, and their packets cross the network conditions.
///
/// One thread sleeps in `ppoll` until something comes or the next arrival is due (a timer of the
/// system, no ticks); it needs no rights, and leaves nothing behind. Network conditions may be
/// changed at any time from any thread. Dropping the value closes it.
///
/// ```swift
/// let conditioner = try LinkConditioner(
///     listening: LinkAddress("udp:127.0.0.1:7001"), connecting: LinkAddress("udp:127.0.0.1:7002"),
///     network conditions: NetworkConditions(LinkProfile.named("3g")!), seed: 42)
/// ```
package final class LinkConditioner: Sendable {
    /// Why there is no conditioner.
    package enum Refusal: Error, Hashable, Sendable {
        /// The two addresses do not fit; in words. The caller, who chose them, is at fault.
        case unsuitable(String)
        /// An address cannot be had; see the case.
        case link(LinkError)
        /// The system has no descriptor or thread left.
        case system(String)
    }

    private let loop: ConditionerLoop
    private let thread: Mutex<SystemThread?>

    /// Opens both ends and starts. The far side may come later.
    ///
    /// - Parameters:
    ///   - near: where the side that connects (the phone) comes to.
    ///   - far: where the side that listens (the watch) is.
    ///   - conditions: what the link is like.
    ///   - seed: decides every loss and delay; the same packets at the same moments fare alike.
    /// - Throws: why there is none; nothing is left open.
    package convenience init(
        listening near: LinkAddress, connecting far: LinkAddress, conditions: NetworkConditions,
        seed: UInt64
    ) throws(Refusal) {
        if let fault = Self.fault(listening: near, connecting: far) { throw .unsuitable(fault) }
        try self.init(
            try Self.open(near, far), near.conditionsKind ?? .lossyDatagram, conditions, seed: seed)
    }

    /// Starts between the two sides of a tunnel: what crosses are IP packets, which may be lost.
    ///
    /// - Throws: why there is none.
    package convenience init(
        tunnel: LinkTunnel, conditions: NetworkConditions, seed: UInt64
    ) throws(Refusal) {
        try self.init(
            .packets(TunnelWires(tunnel: tunnel)), .lossyDatagram, conditions, seed: seed)
    }

    private init(
        _ wiring: ConditionerCore.Wiring, _ kind: LinkKind, _ conditions: NetworkConditions,
        seed: UInt64
    ) throws(Refusal) {
        let now = SystemClock.now
        let reading = conditions.reading
        do throws(SystemErrorNumber) {
            loop = try ConditionerLoop(
                ConditionerCore(
                    conditions: conditions,
                    up: ConditionedDirection(
                        conditions.up, reading, kind: kind, seed: seed &* 2, at: now),
                    down: ConditionedDirection(
                        conditions.down, reading, kind: kind, seed: seed &* 2 &+ 1, at: now),
                    wiring: wiring))
        } catch {
            wiring.close()
            throw .system("eventfd or timerfd: error \(error.rawValue)")
        }
        do throws(SystemErrorNumber) {
            thread = Mutex(try SystemThread { [loop] in loop.run() })
        } catch {
            loop.closeAtOnce()
            throw .system("pthread_create: error \(error.rawValue)")
        }
    }

    deinit { end() }

    private static func open(
        _ near: LinkAddress, _ far: LinkAddress
    ) throws(Refusal) -> ConditionerCore.Wiring {
        do throws(LinkError) {
            guard let nearPort = try DatagramPort(near, side: .listening) else {
                let source = near.makeSource(side: .listening)
                try source.prepare()
                return .connections(
                    ConnectionWires(near: source, far: far.makeSource(side: .connecting)))
            }
            do throws(LinkError) {
                guard let farPort = try DatagramPort(far, side: .connecting) else {
                    throw .closed
                }
                return .datagrams(
                    DatagramWires(
                        near: nearPort, far: farPort,
                        limits: (near.datagramLimit, far.datagramLimit)))
            } catch {
                nearPort.close()
                throw error
            }
        } catch {
            throw .link(error)
        }
    }

    // MARK: The network conditions

    /// The present network conditions.
    package var conditions: NetworkConditions { loop.ask { $0.conditions } }

    /// Directions of a link.
    package struct Directions: OptionSet, Sendable {
        /// One bit for each.
        package let rawValue: UInt8
        /// Makes a set of them.
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// From the listening side to the other.
        package static let up = Directions(rawValue: 1)
        /// The way back.
        package static let down = Directions(rawValue: 2)
    }

    /// Changes the network conditions at once: packets that have not left the line yet meet the new
    /// one.
    ///
    /// - Parameters:
    ///   - conditions: what counts from now on, both ways.
    ///   - restartsBlackouts: where blackouts begin anew, though they stay the same. Those that
    ///     change begin in any case, and all others go on.
    package func set(_ conditions: NetworkConditions, restartsBlackouts: Directions = []) {
        loop.locked { $0.set(conditions, restartsBlackouts: restartsBlackouts, at: $1) }
    }

    /// Takes the link away, or gives it back. Packets on a lossless link wait meanwhile.
    package func setDown(_ isDown: Bool) { loop.locked { $0.setDown(isDown, at: $1) } }

    /// Drops exactly these packets of each direction, counted from now; 1 is the next one.
    ///
    /// - Parameters:
    ///   - up: the packets from the listening side to the other.
    ///   - down: those of the way back.
    /// - Returns: false on a carrier that loses nothing: a stream, or packets in order.
    package func drop(up: [UInt64] = [], down: [UInt64] = []) -> Bool {
        loop.locked { core, _ in core.drop(up: up, down: down) }
    }

    /// Whether it was taken away.
    package var isDown: Bool { loop.ask { $0.up.isDown } }

    /// The counters so far.
    package var counters: ConditionerCounters { loop.ask { $0.counters } }

    /// The packets offered on the way up since the last call: for figures beside the records sent.
    /// Only the newest are kept, 8,192 at least.
    package func takeOffered() -> [OfferedPacket] {
        loop.locked { core, _ in core.up.takeOffered() }
    }

    // MARK: The end

    /// Ends the link and closes both sockets; packets under way are lost. A second call changes
    /// nothing.
    ///
    /// - Returns: the counters of everything that was done.
    @discardableResult
    package func close() -> ConditionerCounters {
        end()
        return counters
    }

    private func end() {
        loop.locked { core, _ in core.isStopping = true }
        thread.withLock { $0?.join() }
    }

    /// Runs `body` with a conditioner, and closes it whatever comes of that.
    ///
    /// - Throws: ``Refusal``, and what `body` throws.
    package static func withConditioner<Value: Sendable>(
        listening near: LinkAddress, connecting far: LinkAddress, conditions: NetworkConditions,
        seed: UInt64, _ body: (LinkConditioner) async throws -> Value
    ) async throws -> Value {
        let conditioner = try LinkConditioner(
            listening: near, connecting: far, conditions: conditions, seed: seed)
        defer { conditioner.close() }
        return try await body(conditioner)
    }
}
