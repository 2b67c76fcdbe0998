package import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoTransport

/// Lines on their way to the program that controls the simulator. One thread writes them, one write
/// a line; no other thread ever waits for a slow reader.
///
/// Replies are always kept: the control loop takes no further command while there is no room.
/// Events that find no room are counted, and the count is told in a line of its own as soon as
/// there is room again.
final class ControlOutput: Sendable {
    private struct State {
        var descriptor: Int32?
        var lines: [[UInt8]] = []
        var head = 0
        var bytes = 0
        var missed = 0
        var isFinishing = false
        var isWriting = false
        /// Counts the descriptors, so that a failed write does not take down its successor.
        var generation = 0
    }

    /// Bytes that may wait.
    static let limitBytes = 4 << 20
    /// Of these, the room that is kept for replies.
    static let reserveBytes = 2 << 20

    /// Readable when there is room again after there was none, or a reader has gone.
    let changed: WakeDescriptor
    private let work: WakeDescriptor
    private let idle: WakeDescriptor
    private let state = Mutex(State())

    init() throws(SystemErrorNumber) {
        changed = try WakeDescriptor()
        work = try WakeDescriptor()
        idle = try WakeDescriptor()
    }

    /// Starts the writing thread.
    func start() throws(SystemErrorNumber) { _ = try SystemThread { [self] in run() } }

    /// Sends all further lines to `descriptor`, or nowhere. Lines that still wait are dropped.
    func connect(to descriptor: Int32?) {
        state.withLock { state in
            state.descriptor = descriptor
            state.lines = []
            state.head = 0
            state.bytes = 0
            state.missed = 0
            state.generation += 1
        }
    }

    /// Whether a further command may be taken.
    var hasRoom: Bool { state.withLock { $0.bytes < Self.limitBytes - Self.reserveBytes } }

    /// Whether lines go anywhere.
    var isConnected: Bool { state.withLock { $0.descriptor != nil } }

    /// Adds a line. One that is `droppable` is counted instead when there is no room.
    func append(_ line: [UInt8], droppable: Bool) {
        let isFirst = state.withLock { state -> Bool in
            guard state.descriptor != nil else { return false }
            if droppable, state.bytes + line.count > Self.limitBytes - Self.reserveBytes {
                state.missed += 1
                return false
            }
            let wasEmpty = state.head == state.lines.count
            if state.missed > 0 { Self.tellMissed(&state) }
            state.lines.append(line)
            state.bytes += line.count
            return wasEmpty
        }
        if isFirst { work.signal() }
    }

    /// Waits until everything is written, at most `milliseconds`.
    func drain(milliseconds: Int32) {
        state.withLock { $0.isFinishing = true }
        work.signal()
        let deadline = SystemClock.now.advanced(by: .milliseconds(Int64(milliseconds)))
        while !isDrained {
            let left = SystemClock.now.duration(to: deadline)
            guard left > .zero else { return }
            idle.wait(atMost: left)
        }
    }

    private var isDrained: Bool {
        state.withLock {
            $0.descriptor == nil || ($0.head == $0.lines.count && !$0.isWriting && $0.missed == 0)
        }
    }

    private static func tellMissed(_ state: inout State) {
        let event = ControlMessage.event(
            "missed", JSONValue.members(["count": .whole(state.missed)]),
            atNanoseconds: SystemClock.now.nanoseconds)
        let line = JSONWriter.line(event)
        state.lines.append(line)
        state.bytes += line.count
        state.missed = 0
    }

    private func run() {
        while true {
            let next = state.withLock { state -> (line: [UInt8], to: Int32, generation: Int)? in
                if state.head == state.lines.count, state.missed > 0 { Self.tellMissed(&state) }
                guard let descriptor = state.descriptor, state.head < state.lines.count else {
                    return nil
                }
                state.isWriting = true
                return (state.lines[state.head], descriptor, state.generation)
            }
            guard let next else {
                idle.signal()
                work.wait()
                continue
            }
            let isTaken = Descriptors.write(next.line, to: next.to)
            finish(next.line.count, next.generation, isTaken: isTaken)
        }
    }

    private func finish(_ bytes: Int, _ generation: Int, isTaken: Bool) {
        let mustTell = state.withLock { state -> Bool in
            state.isWriting = false
            guard generation == state.generation else { return false }
            guard isTaken else {
                state.descriptor = nil
                return true
            }
            let wasFull = state.bytes >= Self.limitBytes - Self.reserveBytes
            state.lines[state.head] = []
            state.head += 1
            state.bytes -= bytes
            if state.head == state.lines.count {
                state.lines.removeAll(keepingCapacity: true)
                state.head = 0
            } else if state.head > 4096 {
                state.lines.removeFirst(state.head)
                state.head = 0
            }
            return wasFull && state.bytes < Self.limitBytes - Self.reserveBytes
        }
        if mustTell { changed.signal() }
    }
}

extension JSONValue {
    /// The members of a literal object.
    package static func members(_ value: JSONValue) -> JSONObject { value.object ?? JSONObject() }
}
