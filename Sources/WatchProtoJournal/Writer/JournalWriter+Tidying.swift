internal import Synchronization

/// What the writer's thread does between commits, so that the next one finds little to do.
extension JournalWriter {
    /// Folds the log and copies the write-ahead log, where it is time to.
    func tidy(isIdle: Bool) {
        guard failure == nil else { return }
        do {
            try look { contents in
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

    /// A full disk only puts tidying off: what is durable stays so. Then `cleanUp` takes away what
    /// the attempt left, as far as there is room for that.
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
