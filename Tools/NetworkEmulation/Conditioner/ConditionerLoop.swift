import CPosix
import Glibc
import Locks
import WatchProtoCore
import WatchProtoTransport

/// The thread of a conditioner: sleep, one turn under the lock, sleep.
final class ConditionerLoop: Sendable {
    private let core: Mutex<ConditionerCore>
    private let wake: WakeDescriptor
    private let timer: DeadlineTimer

    /// Throws the system's refusal of a descriptor.
    init(_ core: consuming sending ConditionerCore) throws(SystemErrorNumber) {
        wake = try WakeDescriptor()
        timer = try DeadlineTimer()
        self.core = Mutex(core)
    }

    func run() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        // A wish: on a busy machine what is due would wait for its turn, milliseconds late.
        _ = watchproto_run_first()
        while let plan = core.withLock({ $0.turn(&buffer) }) {
            timer.set(plan.deadline)
            sleep(plan)
            wake.clear()
        }
        core.withLock { $0.close() }
    }

    private func sleep(_ plan: ConditionerCore.Plan) {
        var set = ([wake.number, timer.number] + plan.reading).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        set += plan.writing.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        // An interruption is a turn with nothing to do; all signals are blocked here.
        _ = unsafe set.withUnsafeMutableBufferPointer { set in
            unsafe watchproto_poll(set.baseAddress, UInt(set.count), -1)
        }
    }

    /// Changes or asks something; the effects of a change happen on the thread, at once.
    func locked<Value: Sendable>(
        _ body: (inout ConditionerCore, Instant) -> Value
    ) -> Value {
        let value = core.withLock { body(&$0, SystemClock.now) }
        wake.signal()
        return value
    }

    func ask<Value: Sendable>(_ body: (borrowing ConditionerCore) -> Value) -> Value {
        core.withLock { body($0) }
    }

    /// Closes what the thread, which never started, would have closed.
    func closeAtOnce() { core.withLock { $0.close() } }
}
