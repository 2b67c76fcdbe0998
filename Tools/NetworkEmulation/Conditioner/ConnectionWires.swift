import Simulation
import WatchProtoCore
import WatchProtoTransport

/// The connections of a lossless link: each that comes at the near end gets one at the far end.
struct ConnectionWires {
    /// Bytes that wait for their receiver, and the moment at which they were due.
    private struct Outgoing {
        var bytes: [UInt8]
        var dueAt: Instant
    }

    private struct Connection {
        let channel: Int
        let near: any Carrier
        let far: any Carrier
        /// To the far end, and to the near one.
        var up: [Outgoing] = []
        var down: [Outgoing] = []
        /// Which end has closed: the bytes that it sent before still arrive.
        var nearHasEnded = false
        var farHasEnded = false
    }

    private let near: any CarrierSource
    private let far: any CarrierSource
    private var connections: [Connection] = []
    private var nextChannel = 1

    /// Bytes that may wait for a receiver before its sender is read no further.
    private static let limitBytes = 1 << 20
    private static let readsPerTurn = 16

    init(near: any CarrierSource, far: any CarrierSource) {
        self.near = near
        self.far = far
    }

    /// The descriptors to sleep on: descriptors to read, and to write.
    func descriptors(
        _ up: ConditionedDirection, _ down: ConditionedDirection
    ) -> (reading: [Int32], writing: [Int32]) {
        var reading = [near.readinessDescriptor].compactMap { $0 }
        var writing: [Int32] = []
        for connection in connections {
            if Self.mayRead(connection, up, isUp: true) {
                reading.append(connection.near.readDescriptor ?? -1)
            }
            if Self.mayRead(connection, down, isUp: false) {
                reading.append(connection.far.readDescriptor ?? -1)
            }
            if !connection.up.isEmpty { writing.append(connection.far.writeDescriptor ?? -1) }
            if !connection.down.isEmpty { writing.append(connection.near.writeDescriptor ?? -1) }
        }
        return (reading, writing)
    }

    private static func mayRead(
        _ connection: Connection, _ direction: ConditionedDirection, isUp: Bool
    ) -> Bool {
        let waiting = isUp ? connection.up : connection.down
        let hasEnded = isUp ? connection.nearHasEnded : connection.farHasEnded
        return !hasEnded && direction.mayTake
            && waiting.reduce(0) { $0 + $1.bytes.count } < limitBytes
    }

    // MARK: In

    mutating func read(
        into buffer: inout [UInt8], _ up: inout ConditionedDirection,
        _ down: inout ConditionedDirection
    ) {
        accept()
        for index in connections.indices {
            read(index, isUp: true, into: &buffer, &up)
            read(index, isUp: false, into: &buffer, &down)
        }
    }

    private mutating func accept() {
        while case .opened(let carrier) = near.open(.sign) {
            guard case .opened(let other) = far.open(.asked) else {
                carrier.close()
                continue
            }
            connections.append(Connection(channel: nextChannel, near: carrier, far: other))
            nextChannel += 1
        }
    }

    private mutating func read(
        _ index: Int, isUp: Bool, into buffer: inout [UInt8],
        _ direction: inout ConditionedDirection
    ) {
        for _ in 0..<Self.readsPerTurn {
            guard Self.mayRead(connections[index], direction, isUp: isUp) else { return }
            let carrier = isUp ? connections[index].near : connections[index].far
            var span = buffer.mutableSpan
            switch carrier.read(into: &span) {
            case .bytes(let count):
                direction.offer(
                    Array(buffer[..<count]), channel: connections[index].channel,
                    at: SystemClock.now)
            case .nothingYet: return
            case .ignored: direction.report.ignored += 1
            case .ended, .failed:
                if isUp {
                    connections[index].nearHasEnded = true
                } else {
                    connections[index].farHasEnded = true
                }
                return
            // A connection gives neither.
            case .datagram, .portRefused: return
            }
        }
    }

    // MARK: Out

    mutating func deliver(_ up: inout ConditionedDirection, _ down: inout ConditionedDirection) {
        sort(&up, isUp: true)
        sort(&down, isUp: false)
        for index in connections.indices {
            write(index, isUp: true, &up.report)
            write(index, isUp: false, &down.report)
        }
        closeEnded(&up, &down)
    }

    /// Puts what is due before its receiver.
    private mutating func sort(_ direction: inout ConditionedDirection, isUp: Bool) {
        let now = SystemClock.now
        while let arrival = direction.takeDue(at: now) {
            guard let index = connections.firstIndex(where: { $0.channel == arrival.channel })
            else { continue }
            let outgoing = Outgoing(bytes: arrival.bytes, dueAt: arrival.at)
            if isUp {
                connections[index].up.append(outgoing)
            } else {
                connections[index].down.append(outgoing)
            }
        }
    }

    private mutating func write(
        _ index: Int, isUp: Bool, _ report: inout ConditionerCounters.Direction
    ) {
        var waiting = isUp ? connections[index].up : connections[index].down
        guard !waiting.isEmpty else { return }
        let carrier = isUp ? connections[index].far : connections[index].near
        var done = 0
        writing: while done < waiting.count {
            let bytes = waiting[done].bytes
            switch carrier.write(bytes.span) {
            case .took(let count) where count == bytes.count:
                report.delivered += 1
                report.noteLateness(of: waiting[done].dueAt, at: SystemClock.now)
                done += 1
            case .took(let count):
                waiting[done].bytes.removeFirst(count)
                break writing
            case .failed:
                // The receiver has gone: the connection is over for both.
                report.untaken += UInt64(waiting.count - done)
                done = waiting.count
                connections[index].nearHasEnded = true
                connections[index].farHasEnded = true
            }
        }
        waiting.removeFirst(done)
        if isUp { connections[index].up = waiting } else { connections[index].down = waiting }
    }

    /// Closes connections of which an end has closed, once all that it sent has arrived.
    private mutating func closeEnded(
        _ up: inout ConditionedDirection, _ down: inout ConditionedDirection
    ) {
        connections.removeAll { connection in
            let upIsDone =
                connection.nearHasEnded && connection.up.isEmpty
                && !up.isCarrying(connection.channel)
            let downIsDone =
                connection.farHasEnded && connection.down.isEmpty
                && !down.isCarrying(connection.channel)
            guard upIsDone || downIsDone else { return false }
            up.forget(connection.channel)
            down.forget(connection.channel)
            connection.near.close()
            connection.far.close()
            return true
        }
    }

    func close() {
        for connection in connections {
            connection.near.close()
            connection.far.close()
        }
        near.close(leavingFiles: false)
        far.close(leavingFiles: false)
    }
}
