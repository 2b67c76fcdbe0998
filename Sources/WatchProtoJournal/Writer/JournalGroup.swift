internal import WatchProtoCore
internal import WatchProtoTransport

/// Batches that become durable together: one row of the log for each pairing among them.
struct JournalGroup {
    private struct Row {
        var pairing: PairingID
        var bytes: [UInt8]
        var batches: [[JournalEntry]]
    }

    private var rows: [Row] = []
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
            if let place = rows.firstIndex(where: { $0.pairing == batch.pairing }) {
                rows[place].bytes += batch.bytes
                rows[place].batches.append(batch.entries)
            } else {
                rows.append(
                    Row(
                        pairing: batch.pairing, bytes: JournalCoding.emptyBody + batch.bytes,
                        batches: [batch.entries]))
            }
        }
    }

    var byteCount: Int { rows.reduce(0) { $0 + $1.bytes.count } }

    /// Commits one transaction: the rows, then the store's changes in the order given.
    func commit(to contents: JournalContents, canaries: Set<JournalCanary>) throws {
        let isApart = canaries.contains(.writesApart)
        try contents.database.transaction(.group) {
            for (index, row) in rows.enumerated() {
                try contents.insert(
                    row.bytes, of: row.pairing, sequence: contents.nextSequence + Int64(index))
            }
            if rows.isEmpty, !writes.isEmpty { try contents.countChange() }
            if !isApart { try write(to: contents) }
        }
        if isApart {
            try contents.database.transaction(.group) { try write(to: contents) }
        }
        for row in rows { contents.inserted(row.bytes.count, of: row.pairing) }
    }

    /// Updates the images after the commit. It is separate, so that callers who wait for the commit
    /// do not wait for it.
    func fold(into contents: JournalContents) {
        for row in rows {
            for entries in row.batches { contents.apply(entries, of: row.pairing) }
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
