internal import Locks
internal import WatchProtoJournal
internal import WatchProtoTransport

/// Holds a journal's writer before a transaction, so that what is given meanwhile forms one group,
/// the same in every run.
final class WriterGate: Sendable {
    private let isArmed = Mutex(false)
    private let arrived: WakeDescriptor
    private let opened: WakeDescriptor

    init() throws(CrashFailure) {
        do throws(SystemErrorNumber) {
            arrived = try WakeDescriptor()
            opened = try WakeDescriptor()
        } catch {
            throw CrashFailure("eventfd: error \(error.rawValue)")
        }
    }

    /// The hook for the journal: its writer waits before a transaction while the gate is closed.
    var fault: JournalFault {
        JournalFault { call in
            if call == .begin(.group), self.isArmed.withLock({ $0 }) {
                self.arrived.signal()
                self.opened.wait()
            }
            return nil
        }
    }

    /// The next transaction waits.
    func close() {
        // A journal that failed in between has signalled without a transaction.
        arrived.clear()
        opened.clear()
        isArmed.withLock { $0 = true }
    }

    /// Waits until one does.
    func awaitArrival() { arrived.wait() }

    /// None will: the journal has failed.
    func expectNone() { arrived.signal() }

    /// Lets it, and all later ones, go.
    func open() {
        isArmed.withLock { $0 = false }
        opened.signal()
    }
}
