internal import WatchProto
internal import WatchSecurity

/// The device's name and its keys, as rows: sealed where the journal is.
extension JournalContents {
    /// A place that a seal binds keys to: 4 and the row, 0 for the device's name. Places of
    /// payloads begin with 1 and 2, those of the store's columns with 3.
    private static func place(_ rowID: Int64) -> [UInt8] {
        var writer = WireWriter()
        writer.byte(4)
        writer.uint64(UInt64(bitPattern: rowID))
        return writer.bytes
    }

    private func sealed(_ value: [UInt8], rowID: Int64) -> [UInt8] {
        JournalRow.seal(
            sealing.seal(value, associatedData: Self.place(rowID)), pairing: rowID, sequence: 0)
    }

    private func opened(_ row: [UInt8], rowID: Int64) -> [UInt8]? {
        guard let body = JournalRow.open(row, pairing: rowID, sequence: 0) else { return nil }
        return try? sealing.open(body, associatedData: Self.place(rowID))
    }

    /// The device's name in a row; nil when it was altered.
    func openDevice(_ row: [UInt8]) -> DeviceID? {
        guard let bytes = opened(row, rowID: 0), bytes.count == 16 else { return nil }
        var reader = WireReader(bytes.span)
        return (try? reader.uint128("device")).map { DeviceID(rawValue: $0) }
    }

    /// The keys in a row; nil when it was altered, and without memory for them.
    func openKeys(_ row: [UInt8], rowID: Int64) -> PairedDevice? {
        guard var bytes = opened(row, rowID: rowID) else { return nil }
        defer { AtRestKey.wipe(&bytes) }
        return PairedDevice(exposed: bytes)
    }

    /// Keeps the name drawn for this device.
    func store(_ device: DeviceID) throws {
        var writer = WireWriter()
        writer.uint128(device.rawValue)
        let row = sealed(writer.bytes, rowID: 0)
        try database.transaction(.keys) {
            try countChange()
            try database.run(
                "INSERT INTO journal_meta(name, value) VALUES('device', ?)", [.blob(row)])
        }
        self.device = device
    }

    /// Keeps the keys of a pairing. Those of an earlier one with the same device go, and with them
    /// all there is of the pairings in `gone`.
    func store(
        _ paired: PairedDevice, erasing gone: [PairingID], _ writes: [SQLWrite]
    ) throws {
        let replaced = self.paired.map(\.device)
            .filter { $0.counterpart == paired.counterpart || $0.pairing == paired.pairing }
            .map(\.pairing)
        try replace(keys: replaced + gone, journals: gone, with: paired, writes)
    }

    /// Makes a pairing the one in use: its keys move behind all others. Says whether they are here.
    func activate(_ pairing: PairingID) throws -> Bool {
        guard let place = paired.firstIndex(where: { $0.device.pairing == pairing }) else {
            return false
        }
        guard place < paired.count - 1 else { return true }
        let (former, device) = paired[place]
        let id = (paired.map(\.rowID).max() ?? 0) + 1
        var bytes = device.exposed()
        defer { AtRestKey.wipe(&bytes) }
        // A seal binds keys to their row.
        let row = sealed(bytes, rowID: id)
        try database.transaction(.keys) {
            try countChange()
            try database.run(
                "UPDATE journal_keys SET id = ?, body = ? WHERE id = ?",
                [.integer(id), .blob(row), .integer(former)])
        }
        paired.remove(at: place)
        paired.append((id, device))
        return true
    }

    private func eraseKeys(_ rowID: Int64) throws {
        try database.run("DELETE FROM journal_keys WHERE id = ?", [.integer(rowID)])
        try noteErasing()
    }

    private func noteErasing() throws {
        try database.run(
            "INSERT OR REPLACE INTO journal_meta(name, value) VALUES('erasing', x'01')")
    }

    /// Erases the keys of pairings and all the journal holds of them, and carries out `writes` in
    /// the same transaction; says whether there was anything of them.
    func erase(_ pairings: [PairingID], _ writes: [SQLWrite]) throws -> Bool {
        let isStored = slots.contains { $0.isStored && pairings.contains($0.pairing) }
        let hasKeys = paired.contains { pairings.contains($0.device.pairing) }
        guard isStored || hasKeys else { return false }
        try replace(keys: pairings, journals: pairings, with: nil, writes)
        return true
    }

    /// Erases keys and journals, keeps new keys where there are some, and carries out `writes`, all
    /// in one transaction.
    private func replace(
        keys: [PairingID], journals: [PairingID], with new: PairedDevice?, _ writes: [SQLWrite]
    ) throws {
        let goneKeys = paired.filter { keys.contains($0.device.pairing) }
        let gone = slots.indices.filter {
            slots[$0].isStored && journals.contains(slots[$0].pairing)
        }
        // Rows of the log are numbered without gaps, so that none of one pairing can be taken out.
        if !gone.isEmpty, slots.contains(where: \.isInLog) { try fold() }
        // As whoever opens the file next counts: on from the newest image there is.
        let lastRow =
            slots.indices.filter { !gone.contains($0) && slots[$0].isStored }
            .map { slots[$0].foldedThrough }.max() ?? 0
        let id = (paired.map(\.rowID).max() ?? 0) + 1
        var bytes = new?.exposed() ?? []
        defer { AtRestKey.wipe(&bytes) }
        let row = new == nil ? nil : sealed(bytes, rowID: id)
        let isApart = new == nil && canaries.contains(.forgetsByHalves)
        func eraseAllKeys() throws { for key in goneKeys { try eraseKeys(key.rowID) } }
        if isApart { try database.transaction(.keys) { try eraseAllKeys() } }
        try database.transaction(.keys) {
            try countChange()
            if !isApart { try eraseAllKeys() }
            for slot in gone {
                database.extent.lastRow = lastRow
                let id: [SQLValue] = [.integer(slots[slot].rowID)]
                try database.run("DELETE FROM journal_image WHERE pairing = ?", id)
                try database.run("DELETE FROM journal_pairings WHERE id = ?", id)
                try noteErasing()
            }
            // What the writes erase is to leave no bytes either.
            if !writes.isEmpty { try noteErasing() }
            for write in writes {
                try write.body(StoreTransaction(database, sealing: sealing))
            }
            if let row {
                try database.run(
                    "INSERT INTO journal_keys(id, body) VALUES(?, ?)", [.integer(id), .blob(row)])
            }
        }
        paired.removeAll { paired in goneKeys.contains { $0.rowID == paired.rowID } }
        if let new { paired.append((id, new)) }
        for slot in gone {
            slots[slot].isStored = false
            slots[slot].image = JournalImage()
            slots[slot].foldedThrough = 0
        }
        if !gone.isEmpty {
            nextSequence = lastRow + 1
            imageBytes = Int(
                clamping: try database.integer("SELECT total(length(body)) FROM journal_image")
                    ?? 0)
        }
        if !goneKeys.isEmpty || !gone.isEmpty || !writes.isEmpty { try finishErasing() }
    }

    /// Goes on with what a crash came between: bytes of what was erased, or rows of an older schema
    /// that are to be sealed.
    func finishWhatWasBegun() throws {
        guard let mark = try erasingMark() else { return }
        if mark == [2] { try sealOldRows() } else { try finishErasing() }
    }

    /// What is to be gone on with: 1 for bytes of what was erased, 2 for rows of an older schema.
    func erasingMark() throws -> [UInt8]? {
        try database.query("SELECT value FROM journal_meta WHERE name = 'erasing'") {
            (row: borrowing SQLRow) throws(SQLiteFailure) in row.blob(0)
        }.first
    }

    /// Writes the file anew, without the bytes of what was deleted from it, and empties its log.
    func finishErasing() throws {
        if !canaries.contains(.leavesErasedBytes) { try database.run("VACUUM") }
        try database.transaction(.keys) {
            try database.run("DELETE FROM journal_meta WHERE name = 'erasing'")
        }
        try database.copyLog(truncating: true)
        try database.beginLog()
        logRoom = 0
    }
}
