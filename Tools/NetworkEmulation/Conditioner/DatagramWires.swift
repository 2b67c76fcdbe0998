import CommandLine
import Reports
import Simulation
import WatchProtoCore
import WatchProtoTransport

/// The two sockets of a link of datagrams, words and packets forwarded alike.
struct DatagramWires {
    let near: DatagramPort
    let far: DatagramPort
    /// Bytes a datagram may have, each way.
    let limits: (up: Int, down: Int)

    /// A receiver without room is tried again so long.
    private static let patience = Duration.seconds(1)
    /// Datagrams read from one socket before the other has its turn.
    private static let readsPerTurn = 64

    var descriptors: [Int32] { [near.descriptor, far.descriptor] }

    /// Takes in what lies at both sockets.
    func read(
        into buffer: inout [UInt8], _ up: inout ConditionedDirection,
        _ down: inout ConditionedDirection
    ) {
        Self.read(near, limits.up, into: &buffer, &up)
        Self.read(far, limits.down, into: &buffer, &down)
    }

    private static func read(
        _ port: DatagramPort, _ limit: Int, into buffer: inout [UInt8],
        _ direction: inout ConditionedDirection
    ) {
        for _ in 0..<readsPerTurn {
            switch port.receive(into: &buffer) {
            case .nothing: return
            case .ignored: direction.report.ignored += 1
            case .datagram(let count, _) where count > limit: direction.report.ignored += 1
            case .datagram(let count, let age):
                // From the moment it came, not from when this thread got to it.
                let now = SystemClock.now.nanoseconds
                let moment = Instant(nanoseconds: now - min(age, now))
                direction.offer(Array(buffer[..<count]), channel: 0, at: moment)
            }
        }
    }

    /// Hands over what is due.
    func deliver(_ up: inout ConditionedDirection, _ down: inout ConditionedDirection) {
        Self.deliver(to: far, &up)
        Self.deliver(to: near, &down)
    }

    private static func deliver(to port: DatagramPort, _ direction: inout ConditionedDirection) {
        var now = SystemClock.now
        while let arrival = direction.takeDue(at: now) {
            switch port.send(arrival.bytes) {
            case .sent:
                now = SystemClock.now
                direction.report.delivered += 1
                direction.report.noteLateness(of: arrival.at, at: now)
            case .full where arrival.at.duration(to: now) < patience:
                direction.putOff(arrival, until: now.advanced(by: .milliseconds(1)))
            case .full, .nobody: direction.report.untaken += 1
            }
        }
    }

    func close() {
        near.close()
        far.close()
    }
}

extension ConditionerCounters.Direction {
    mutating func noteLateness(of due: Instant, at now: Instant) {
        lateness.record(UInt64(max(0, due.duration(to: now).nanosecondsClamped)))
    }
}
