internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore
internal import WatchProtoTransport

/// The one thread that writes a journal's file, for all its pairings.
///
/// It commits in groups, without a timer. All batches that arrive during one commit go into the
/// next. An idle journal commits at once; a busy one commits ever larger groups.
final class JournalWriter: Sendable {
    let path: String
    let options: JournalOptions
    let queue = Mutex(Queue())
    /// Nil once the file is closed.
    let contents: Mutex<JournalContents?>
    private let lock: Mutex<FileLock?>
    private let wake: WakeDescriptor
    private let thread = Mutex<SystemThread?>(nil)
    /// Ensures that one driver at a time opens the file again.
    let reopening = Mutex(())
    /// Ensures that one thread checks a file that was opened without it.
    let checking = Mutex(())
    /// Counts the threads that wait for the contents.
    let waiting = WaitCount()

    init(path: String, options: JournalOptions) throws(JournalError) {
        self.path = path
        self.options = options
        do throws(SystemErrorNumber) { wake = try WakeDescriptor() } catch {
            throw FileLook.systemError("eventfd", error.rawValue, path)
        }
        let (claim, opened) = try JournalOpening(path: path, options: options).open()
        lock = Mutex(claim)
        contents = Mutex(opened)
    }

    func start() throws(JournalError) {
        do throws(SystemErrorNumber) {
            let made = try SystemThread { self.run() }
            thread.withLock { $0 = made }
        } catch {
            throw FileLook.systemError("pthread_create", error.rawValue, path)
        }
    }

    var counters: JournalCounters { queue.withLock { $0.counters } }
    var failure: JournalError? { queue.withLock { $0.failure } }
    var reopenCount: Int { queue.withLock { $0.reopenCount } }
    /// Whether all work is done and tidied.
    var isResting: Bool { queue.withLock { $0.isResting && $0.items.isEmpty } }

    // MARK: Calls of other threads

    /// Throws the error of a file that was closed.
    func checkOpen() throws(JournalError) {
        guard queue.withLock({ $0.phase == .running }) else {
            throw JournalError(.closed, path: path, "it was closed")
        }
    }

    /// Queues a batch for the thread without waking it.
    func add(_ batch: Batch) -> JournalAnswer {
        queue.withLock { queue in
            guard queue.phase == .running, queue.failure == nil,
                !queue.stopped.contains(batch.pairing)
            else {
                queue.stopped.insert(batch.pairing)
                return .failed
            }
            queue.items.append(.batch(batch))
            if queue.isAsleep { queue.isWakeDue = true }
            queue.isAsleep = false
            return .later
        }
    }

    /// Wakes the thread if a batch was queued while it slept.
    func wakeForWork() {
        let mustWake = queue.withLock { queue in
            defer { queue.isWakeDue = false }
            return queue.isWakeDue
        }
        if mustWake { wake.signal() }
    }

    /// Waits until all earlier work is durable.
    ///
    /// - Throws: ``JournalError``, the failure, if there was one.
    func flush() throws(JournalError) {
        try settle()
        if let failure { throw failure }
    }

    /// Waits until all earlier work is durable or has failed.
    func settle() throws(JournalError) {
        let done: WakeDescriptor
        do throws(SystemErrorNumber) { done = try WakeDescriptor() } catch {
            throw FileLook.systemError("eventfd", error.rawValue, path)
        }
        let isTaken = queue.withLock { queue in
            guard queue.phase == .running || queue.phase == .closing else { return false }
            queue.items.append(.mark(done))
            queue.isAsleep = false
            return true
        }
        if isTaken {
            wake.signal()
            wait(for: done)
        }
    }

    func stop(abandoning: Bool, waiting: Bool) {
        queue.withLock { queue in
            guard queue.phase == .running else { return }
            queue.phase = abandoning ? .abandoned : .closing
            queue.isAsleep = false
        }
        wake.signal()
        if waiting { thread.withLock { $0 }?.join() }
    }

    // MARK: The thread

    private func run() {
        var group: [Item] = []
        while true {
            let phase = queue.withLock { queue -> Phase in
                swap(&group, &queue.items)
                queue.isWakeDue = false
                queue.isAsleep = group.isEmpty && queue.phase == .running
                return queue.phase
            }
            if phase == .abandoned {
                // Their waiting callers get the error of a closed file.
                for case .mark(let done) in group { done.signal() }
                break
            }
            if group.isEmpty {
                tidy(isIdle: true)
                if phase == .closing { break }
                if queue.withLock({ $0.isAsleep }) { sleep() }
                continue
            }
            work(group)
            group.removeAll(keepingCapacity: true)
            tidy(isIdle: false)
        }
        end()
    }

    private func sleep() {
        queue.withLock { $0.isResting = true }
        wait(for: wake)
        wake.clear()
        queue.withLock { queue in
            queue.isResting = false
            queue.counters.wakeUps += 1
        }
    }

    private func wait(for descriptor: WakeDescriptor) {
        var set = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        while unsafe watchproto_poll(&set, 1, -1) < 0, errno == EINTR {}
    }

    private func end() {
        let (left, isWhole) = queue.withLock { queue -> ([Item], Bool) in
            defer { queue.items = [] }
            let isWhole = queue.phase == .closing && queue.failure == nil
            queue.phase = .ended
            return (queue.items, isWhole)
        }
        contents.withLock { contents in
            let mark = contents?.database.mark
            let pending = contents?.pending
            let isWhole = isWhole && pending == nil
            // Nothing may call for the log that goes.
            let keepsCall = options.mutants.contains(.callsForLogWhenClosed)
            let isLogEnded =
                isWhole
                && contents?.database.endLog(
                    keepingCall: keepsCall, closing: try? contents?.contentTag()) ?? false
            contents?.database.setsCheckpointOnClose(isLogEnded)
            contents = nil
            pending?.removeEmptyLog()
            // A file that replaces this one needs no knowledge of the mark. If the copy found no
            // room, the log is still there, and its loss must be detected.
            let isLogGone = FileLook.bytes(of: path + "-wal", count: 1)?.isEmpty ?? true
            if isWhole, isLogGone { mark?.withdraw() }
        }
        lock.withLock { $0 = nil }
        for case .mark(let done) in left { done.signal() }
    }
}
