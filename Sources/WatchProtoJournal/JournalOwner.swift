package import WatchProtoCore

/// The owner of a journal's file: one device, for one pairing.
package struct JournalOwner: Hashable, Sendable {
    /// The device.
    package var role: DeviceRole
    /// The pairing.
    package var pairing: PairingID

    /// Makes the owner.
    package init(role: DeviceRole, pairing: PairingID) {
        self.role = role
        self.pairing = pairing
    }

    /// The form in the file: the role's code, then the pairing, highest byte first.
    var bytes: [UInt8] {
        var writer = WireWriter()
        writer.byte(role.rawValue)
        writer.uint128(pairing.rawValue)
        return writer.bytes
    }

    /// Why a file of the owner `found` belongs to another owner; nil if it does not. The message
    /// does not contain the pairing's number, because messages are logged.
    func complaint(about found: [UInt8]) -> String? {
        guard found != bytes else { return nil }
        guard found.first != role.rawValue else { return "it is of another pairing" }
        let other = found.first.flatMap(DeviceRole.init(rawValue:))
        return "it belongs to \(other.map { "a \($0)" } ?? "another device"), not to a \(role)"
    }
}

extension JournalOpening {
    /// Refuses the file of another owner than the named one, if one was named.
    func checkOwner(_ database: Database) throws {
        guard let owner = options.owner else { return }
        let found = try database.query("SELECT value FROM journal_meta WHERE name = 'owner'") {
            (row: borrowing SQLRow) throws(SQLiteFailure) in row.blob(0)
        }
        guard let found = found.first else {
            throw JournalError(.otherOwner, path: path, "it does not say whose it is")
        }
        if let complaint = owner.complaint(about: found) {
            throw JournalError(.otherOwner, path: path, complaint)
        }
    }
}
