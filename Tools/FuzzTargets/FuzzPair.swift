import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

/// Two paired peers with a carrier between them that loses nothing, on which somebody without
/// their keys can write to the first.
final class FuzzPair {
    let carrier: CarrierTraits
    let victim: FuzzSide
    let other: FuzzSide
    private let devices: SimulatedPair
    private let role: DeviceRole
    private var lives: UInt64 = 1
    private(set) var now = Instant.zero
    /// The first promise that the run broke.
    private(set) var complaint: String?

    init(_ devices: SimulatedPair, _ carrier: CarrierTraits, victim role: DeviceRole) {
        (self.devices, self.carrier, self.role) = (devices, carrier, role)
        let counterpart: DeviceRole = role == .phone ? .watch : .phone
        victim = FuzzSide(
            role, security: devices.security(of: role, life: 1), image: FuzzTarget.pairedImage)
        other = FuzzSide(
            counterpart, security: devices.security(of: counterpart, life: 1),
            image: FuzzTarget.pairedImage, epoch: 0x2222)
        for side in [victim, other] {
            side.peer.activate(at: now)
            side.drain(at: now)
        }
    }

    /// Opens the link of the victim, and of the other side where it is there; the other side has
    /// called.
    func connect(withOther isThere: Bool) {
        victim.linkUp(carrier, .afterPatience, at: now)
        if isThere { other.linkUp(carrier, .atOnce, at: now) }
    }

    /// Ends the link on both sides; packets on their way are lost.
    func cut() {
        for side in [victim, other] { side.linkDown(at: now) }
    }

    /// Ends the victim's process and starts it again on its journal.
    func restartVictim() {
        lives += 1
        victim.restart(
            security: devices.security(of: role, life: lives), epoch: 0x3333, at: now)
        victim.peer.activate(at: now)
        victim.drain(at: now)
    }

    /// Carries packets to and fro until nothing moves.
    func runUntilIdle() {
        for _ in 0..<500 {
            guard !victim.environment.wire.isEmpty || !other.environment.wire.isEmpty else {
                return
            }
            carry(from: victim, to: other)
            carry(from: other, to: victim)
        }
        complaint = complaint ?? "the pair does not come to rest"
    }

    private func carry(from: FuzzSide, to: FuzzSide) {
        var packets: [[UInt8]] = []
        swap(&packets, &from.environment.wire)
        for packet in packets { to.receive(packet, on: carrier, at: now) }
    }

    /// Moves time to each deadline in turn until `wait` has passed.
    func advance(by wait: Duration) {
        let end = now.advanced(by: wait)
        for _ in 0..<2_000 {
            let sides = [victim, other]
            let next = sides.compactMap { $0.peer.nextDeadline }.min()
            guard let next, next <= end else {
                now = end
                return
            }
            now = max(now, next)
            for side in sides {
                if let deadline = side.peer.nextDeadline, deadline <= now { side.wake(at: now) }
            }
            runUntilIdle()
        }
        complaint = complaint ?? "timers without end"
        now = max(now, end)
    }
}
