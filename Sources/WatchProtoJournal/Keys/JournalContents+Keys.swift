internal import WatchProtoCore
internal import WatchProtoSecurity

/// The device's name and its keys, as rows. They are sealed if the journal is.
extension JournalContents {
    private func sealed(_ value: [UInt8], rowID: Int64) -> [UInt8] {
        sealing.seal(value, associatedData: SealedPlace.keys(rowID))
    }

    private func opened(_ row: [UInt8], rowID: Int64) -> [UInt8]? {
        try? sealing.open(row, associatedData: SealedPlace.keys(rowID))
    }

    /// The device's name in a row; nil if it was altered.
    func openDevice(_ row: [UInt8]) -> DeviceID? {
        guard let bytes = opened(row, rowID: 0), bytes.count == 16 else { return nil }
        var reader = WireReader(bytes.span)
        return (try? reader.uint128("device")).map { DeviceID(rawValue: $0) }
    }

    /// The keys in a row; nil if it was altered, or if there is no memory for them.
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

    /// Keeps the keys of a pairing. Its journal begins with its ticket. The keys of an earlier
    /// pairing with the same device are erased, with all entries of the pairings in `gone`.
    func store(
        _ paired: PairedDevice, erasing gone: [PairingID], _ writes: [SQLWrite]
    ) throws {
        let replaced = self.paired.map(\.device)
            .filter { $0.counterpart == paired.counterpart || $0.pairing == paired.pairing }
            .map(\.pairing)
        try replace(keys: replaced + gone, journals: gone, with: paired, writes)
    }

    /// Makes a pairing the one in use: its keys move behind all others. False if they are not here.
    func activate(_ pairing: PairingID) throws -> Bool {
        guard let place = paired.firstIndex(where: { $0.device.pairing == pairing }) else {
            return false
        }
        guard place < paired.count - 1 else { return true }
        let (former, device) = paired[place]
        let id = nextKeysID
        // A seal binds keys to their row.
        let row = sealedKeys(device, rowID: id)
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

    private var nextKeysID: Int64 { (paired.map(\.rowID).max() ?? 0) + 1 }

    private func sealedKeys(_ device: PairedDevice, rowID: Int64) -> [UInt8] {
        var bytes = device.exposed()
        defer { AtRestKey.wipe(&bytes) }
        return sealed(bytes, rowID: rowID)
    }

    /// Erases the keys and all entries of pairings, and carries out `writes` in the same
    /// transaction. False if there were none.
    func erase(_ pairings: [PairingID], _ writes: [SQLWrite]) throws -> Bool {
        let isStored = slots.contains { $0.hasRows && pairings.contains($0.pairing) }
        let hasKeys = paired.contains { pairings.contains($0.device.pairing) }
        guard isStored || hasKeys else { return false }
        try replace(keys: pairings, journals: pairings, with: nil, writes)
        return true
    }

    /// Erases keys and journals, keeps new keys if there are some, and carries out `writes`, in one
    /// transaction.
    private func replace(
        keys: [PairingID], journals gone: [PairingID], with new: PairedDevice?,
        _ writes: [SQLWrite]
    ) throws {
        let goneKeys = paired.filter { keys.contains($0.device.pairing) }
        let goneRows = slots.contains { $0.hasRows && gone.contains($0.pairing) }
        let erases = goneRows || !goneKeys.isEmpty || !writes.isEmpty
        let begins = new.flatMap { new in
            slots.contains {
                $0.hasRows && $0.pairing == new.pairing && !gone.contains(new.pairing)
            }
                ? nil : new
        }
        let id = nextKeysID
        if new == nil, mutants.contains(.forgetsByHalves) {
            try database.transaction(.keys) { try eraseKeys(goneKeys.map(\.rowID)) }
        }
        var rewritten: [Row]?
        var begun: [Row] = []
        try database.transaction(.keys) {
            try countChange()
            try eraseKeys(goneKeys.map(\.rowID))
            if goneRows { rewritten = try rewriteLog(without: gone) }
            for write in writes {
                try write.body(StoreTransaction(database, sealing: sealing))
            }
            if let new {
                try database.run(
                    "INSERT INTO journal_keys(id, body) VALUES(?, ?)",
                    [.integer(id), .blob(sealedKeys(new, rowID: id))])
            }
            if let begins {
                begun = try insert(of: begins.pairing, after: rewritten?.count ?? 0) { add in
                    try TicketState.Image.paired(begins.ticket).forEach(add)
                }
            }
            if erases {
                try database.run(
                    "INSERT OR REPLACE INTO journal_meta(name, value) VALUES('erasing', 1)")
            }
        }
        paired.removeAll { paired in goneKeys.contains { $0.rowID == paired.rowID } }
        if let new { paired.append((id, new)) }
        if let rewritten {
            finishRewriting(rewritten)
            for pairing in gone { keep(nil, of: pairing) }
        }
        for row in begun { inserted(row.bytes, of: row.pairing) }
        if erases { try finishErasing() }
    }

    private func eraseKeys(_ rows: [Int64]) throws(SQLiteFailure) {
        for row in rows {
            try database.run("DELETE FROM journal_keys WHERE id = ?", [.integer(row)])
        }
    }

    /// Writes the file anew, without the bytes of deleted rows, and empties its log. After a crash,
    /// the opening continues it.
    func finishErasing() throws {
        guard try number("erasing") != nil else { return }
        if !mutants.contains(.leavesErasedBytes) { try database.run("VACUUM") }
        try database.transaction(.keys) {
            try database.run("DELETE FROM journal_meta WHERE name = 'erasing'")
        }
        try database.copyLog(truncating: true)
        try database.beginLog()
        logRoom = 0
    }
}
