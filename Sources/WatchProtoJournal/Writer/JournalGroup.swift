internal import WatchProtoCore
internal import WatchProtoTransport

/// Batches that become durable together: one row of the log for each pairing among them, or more
/// where there are many entries.
struct JournalGroup {
    private struct Part {
        var pairing: PairingID
        var batches: [[JournalEntry]]
    }

    /// A batch and its writes.
    private struct Member {
        var pairing: PairingID
        var entries: [JournalEntry]
        var writes: [SQLWrite]
    }

    private var members: [Member] = []
    /// The entries that are written, by pairing.
    private var parts: [Part] = []
    private(set) var writeCount = 0
    private(set) var entryCount = 0

    /// Puts the batches together.
    init(_ batches: [JournalWriter.Batch]) {
        for batch in batches {
            let writes = batch.writes.map { write in
                guard let write = write as? SQLWrite else {
                    preconditionFailure("a JournalFile takes SQLWrite, not \(type(of: write))")
                }
                return write
            }
            writeCount += writes.count
            entryCount += batch.entries.count
            members.append(
                Member(pairing: batch.pairing, entries: batch.entries, writes: writes))
        }
    }

    /// Commits one transaction: the application's statements, the rows, then the store's other
    /// changes, in the order given. Gives the bytes of the rows, and the batches whose decisions
    /// count for nothing, by their places.
    mutating func commit(
        to contents: JournalContents, mutants: Set<JournalMutant>
    ) throws -> (bytes: Int, undecided: [Int]) {
        let isApart = mutants.contains(.writesApart)
        var undecided: [Int] = []
        let rows = try contents.database.transaction(.group) {
            if !isApart { undecided = try attemptWrites(to: contents) }
            for place in undecided { members[place].entries.removeAll(where: \.isDecision) }
            let rows = try insertRows(to: contents)
            if !isApart { try write(to: contents) }
            return rows
        }
        if isApart {
            try contents.database.transaction(.group) {
                _ = try attemptWrites(to: contents)
                try write(to: contents)
            }
        }
        for row in rows { contents.inserted(row.bytes, of: row.pairing) }
        return (rows.reduce(0) { $0 + $1.bytes }, undecided)
    }

    /// Updates the images after the commit. It is separate, so that callers who wait for the commit
    /// do not wait for it.
    func fold(into contents: JournalContents) {
        for part in parts {
            for entries in part.batches { contents.apply(entries, of: part.pairing) }
        }
    }

    private mutating func insertRows(to contents: JournalContents) throws -> [JournalContents.Row] {
        for member in members where !member.entries.isEmpty {
            if let place = parts.firstIndex(where: { $0.pairing == member.pairing }) {
                parts[place].batches.append(member.entries)
            } else {
                parts.append(Part(pairing: member.pairing, batches: [member.entries]))
            }
        }
        var rows: [JournalContents.Row] = []
        for part in parts {
            rows += try contents.insert(of: part.pairing, after: rows.count) { add in
                for entries in part.batches { try entries.forEach(add) }
            }
        }
        if rows.isEmpty, writeCount > 0 { try contents.countChange() }
        return rows
    }

    /// Runs the application's statements. Gives the places of the batches whose decisions count
    /// for nothing.
    ///
    /// - Throws: the error of the disk, or of a statement that has ended the transaction.
    private func attemptWrites(to contents: JournalContents) throws -> [Int] {
        var undecided: [Int] = []
        for (place, member) in members.enumerated() {
            let deciding = member.writes.filter { $0.trial?.decides == true }
            if !deciding.isEmpty, try !contents.attempt(deciding) { undecided.append(place) }
            for write in member.writes where write.trial?.decides == false {
                _ = try contents.attempt([write])
            }
        }
        return undecided
    }

    // Inlined, it makes the optimiser of Swift 6.3 fail (forwardToInit).
    @inline(never)
    private func write(to contents: JournalContents) throws {
        for member in members {
            for write in member.writes where write.trial == nil {
                try write.body(StoreTransaction(contents.database, sealing: contents.sealing))
            }
        }
    }
}

extension JournalContents {
    /// Runs writes in the open transaction, all of them or none. Gives false if a statement failed.
    ///
    /// - Throws: the error of the disk, or of a statement that has ended the transaction.
    fileprivate func attempt(_ writes: [SQLWrite]) throws -> Bool {
        try database.run("SAVEPOINT attempt")
        for write in writes {
            do {
                try write.body(StoreTransaction(database, sealing: sealing))
            } catch let failure as StoreFailure
                where failure.isOfTheStatement && database.isInTransaction
            {
                try database.run("ROLLBACK TO attempt")
                try database.run("RELEASE attempt")
                write.trial?.failed(failure)
                return false
            }
        }
        try database.run("RELEASE attempt")
        return true
    }
}

extension JournalEntry {
    /// Whether it is the application's later word on a record.
    fileprivate var isDecision: Bool {
        if case .decided = self { true } else { false }
    }
}
