import Glibc
import Simulation
import WatchProtoCore
import WatchProtoTransport

/// The two devices of a tunnel: IP packets forwarded as they are.
struct TunnelWires {
    let tunnel: LinkTunnel

    /// Packets read from one device before the other has its turn.
    private static let readsPerTurn = 64

    var descriptors: [Int32] { [tunnel.near.packets, tunnel.far.packets] }

    /// Takes in what was sent into both devices.
    func read(
        into buffer: inout [UInt8], _ up: inout ConditionedDirection,
        _ down: inout ConditionedDirection
    ) {
        Self.read(tunnel.near, into: &buffer, &up)
        Self.read(tunnel.far, into: &buffer, &down)
    }

    private static func read(
        _ end: LinkTunnel.End, into buffer: inout [UInt8],
        _ direction: inout ConditionedDirection
    ) {
        for _ in 0..<readsPerTurn {
            let count = unsafe Glibc.read(end.packets, &buffer, buffer.count)
            guard count > 0 else { return }
            guard crosses(buffer[..<count]) else {
                direction.report.ignored += 1
                continue
            }
            direction.offer(Array(buffer[..<count]), channel: 0, at: SystemClock.now)
        }
    }

    /// Whether a packet is anybody's on the other side. A device that comes up asks around by IPv6
    /// for routers and namesakes, which would only keep the line from those who have to say
    /// something.
    static func crosses(_ packet: ArraySlice<UInt8>) -> Bool {
        packet.count >= 20 && packet.first.map { $0 >> 4 } == 4
    }

    /// Hands over what is due.
    func deliver(_ up: inout ConditionedDirection, _ down: inout ConditionedDirection) {
        Self.deliver(to: tunnel.far, &up)
        Self.deliver(to: tunnel.near, &down)
    }

    private static func deliver(to end: LinkTunnel.End, _ direction: inout ConditionedDirection) {
        var now = SystemClock.now
        while let arrival = direction.takeDue(at: now) {
            let bytes = arrival.bytes
            let count = unsafe Glibc.write(end.packets, bytes, bytes.count)
            now = SystemClock.now
            guard count == bytes.count else {
                direction.report.untaken += 1
                continue
            }
            direction.report.delivered += 1
            direction.report.noteLateness(of: arrival.at, at: now)
        }
    }
}
