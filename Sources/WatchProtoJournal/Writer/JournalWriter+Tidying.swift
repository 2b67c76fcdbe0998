internal import Locks

/// The work of the writer's thread between commits, so that the next commit finds little to do.
extension JournalWriter {
    /// Folds the log and copies the write-ahead log, if they are due.
    func tidy(isIdle: Bool) {
        guard failure == nil else { return }
        do {
            try look { contents in
                // Nothing of it goes into a file that was not checked.
                guard contents.pending == nil else { return }
                if contents.logBytes > max(options.logBytesBeforeImage, contents.imageBytes) {
                    try attempt {
                        try contents.fold()
                    } then: {
                        $0.folds += 1
                    } otherwise: {
                        try contents.database.cutLog()
                        contents.logRoom = 0
                    }
                }
                let pages = contents.database.logPages
                let limit = options.logPagesBeforeCheckpoint
                if pages > (isIdle ? limit : 4 * limit) {
                    try attempt {
                        try contents.database.copyLog()
                    } then: {
                        $0.checkpoints += 1
                    }
                    try contents.database.beginLog()
                }
                if contents.makeRoom(options) { queue.withLock { $0.counters.extensions += 1 } }
            }
        } catch {
            _ = stop(for: error)
        }
    }

    /// Runs a step of tidying. A full disk only puts it off; durable entries stay durable. Then
    /// `cleanUp` removes the remains of the attempt, if there is room for that.
    private func attempt(
        _ body: () throws -> Void, then count: (inout JournalCounters) -> Void,
        otherwise cleanUp: () throws -> Void = {}
    ) throws {
        do {
            try body()
            queue.withLock { count(&$0.counters) }
        } catch let error as SQLiteFailure where error.kind == .diskFull {
            queue.withLock { $0.counters.putOff += 1 }
            do { try cleanUp() } catch let error as SQLiteFailure where error.kind == .diskFull {}
        }
    }
}
