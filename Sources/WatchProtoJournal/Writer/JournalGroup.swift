internal import WatchProtoCore
internal import WatchProtoTransport

/// Batches that become durable together: one row of the log for each pairing among them, or more
/// where there are many entries.
struct JournalGroup {
    private struct Part {
        var pairing: PairingID
        var batches: [[JournalEntry]]
    }

    private var parts: [Part] = []
    private(set) var writes: [SQLWrite] = []
    private(set) var entryCount = 0

    /// Puts the batches together.
    init(_ batches: [JournalWriter.Batch]) {
        for batch in batches {
            for write in batch.writes {
                guard let write = write as? SQLWrite else {
                    preconditionFailure("a JournalFile takes SQLWrite, not \(type(of: write))")
                }
                writes.append(write)
            }
            guard !batch.entries.isEmpty else { continue }
            entryCount += batch.entries.count
            if let place = parts.firstIndex(where: { $0.pairing == batch.pairing }) {
                parts[place].batches.append(batch.entries)
            } else {
                parts.append(Part(pairing: batch.pairing, batches: [batch.entries]))
            }
        }
    }

    /// Commits one transaction: the rows, then the store's changes in the order given. Gives the
    /// bytes of the rows.
    func commit(to contents: JournalContents, mutants: Set<JournalMutant>) throws -> Int {
        let isApart = mutants.contains(.writesApart)
        let rows = try contents.database.transaction(.group) {
            var rows: [JournalContents.Row] = []
            for part in parts {
                rows += try contents.insert(of: part.pairing, after: rows.count) { add in
                    for entries in part.batches { try entries.forEach(add) }
                }
            }
            if rows.isEmpty, !writes.isEmpty { try contents.countChange() }
            if !isApart { try write(to: contents) }
            return rows
        }
        if isApart {
            try contents.database.transaction(.group) { try write(to: contents) }
        }
        for row in rows { contents.inserted(row.bytes, of: row.pairing) }
        return rows.reduce(0) { $0 + $1.bytes }
    }

    /// Updates the images after the commit. It is separate, so that callers who wait for the commit
    /// do not wait for it.
    func fold(into contents: JournalContents) {
        for part in parts {
            for entries in part.batches { contents.apply(entries, of: part.pairing) }
        }
    }

    // Inlined, it makes the optimiser of Swift 6.3 fail (forwardToInit).
    @inline(never)
    private func write(to contents: JournalContents) throws {
        for write in writes {
            try write.body(StoreTransaction(contents.database, sealing: contents.sealing))
        }
    }
}
