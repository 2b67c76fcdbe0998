internal import Glibc
internal import Locks

/// The contents, and the check that an opening left for later.
extension JournalWriter {
    /// Reads the contents between transactions.
    ///
    /// - Throws: ``JournalError`` if the file is closed or could not be opened again, or the error
    ///   of `body`.
    func look<Value: Sendable>(
        _ body: (JournalContents) throws -> Value
    ) throws -> Value {
        waiting.add(1)
        return try contents.withLock { contents in
            waiting.add(-1)
            guard let contents else {
                throw failure ?? JournalError(.closed, path: path, "it was closed")
            }
            return try body(contents)
        }
    }

    /// Whether all contents were checked.
    var isChecked: Bool { (try? look { contents in contents.pending == nil }) ?? true }

    /// Checks the contents, unless the opening or an earlier call did. A finding is a failure of
    /// the journal.
    func check() throws(JournalError) {
        try checking.withLock { _ throws(JournalError) in
            if let failure { throw failure }
            do {
                guard let pending = try look({ contents in contents.pending }) else { return }
                let found = try pending.readsFileAlone ? pending.check() : checkShared(pending)
                try look { contents in
                    // It was opened again, and checked then.
                    guard contents.pending != nil else { return }
                    contents.takeUp(found)
                    contents.pending = nil
                    try pending.opening.begin(contents)
                }
            } catch {
                throw stop(for: error)
            }
        }
    }

    /// Attempts after which others wait for the check.
    private static let mostAttempts = 50

    /// Checks the contents as the writer's connection sees them. The check begins anew when a
    /// thread waits for the connection.
    private func checkShared(_ pending: PendingCheck) throws -> JournalContents.Found {
        var attempts = 0
        while true {
            attempts += 1
            let isLast = attempts >= Self.mostAttempts
            let found = try look { contents -> JournalContents.Found? in
                contents.database.giveWay(to: isLast ? nil : waiting)
                defer { contents.database.giveWay(to: nil) }
                do {
                    return try pending.check(contents.database)
                } catch {
                    // A thread that made it give way waits until the lock is free.
                    guard !isLast, waiting.isPositive else { throw error }
                    return nil
                }
            }
            if let found { return found }
            while waiting.isPositive { usleep(50) }
        }
    }
}
