package import WatchProtoCore
package import WatchProtoJournal

/// A value of this side that only the counterpart had: this side was restored from a backup, or
/// ended after the value had left and before its own file held it. Or one that a former pairing
/// with the counterpart never delivered, which the new one is to; or that the counterpart had
/// confirmed and has lost.
package struct HandedBack: Hashable, Sendable {
    /// The channel it went in.
    package var channel: Channel
    /// The key of the value. For a record without a key the caller gives one that no other has.
    package var key: RecordKey
    /// What the payload is.
    package var kind: ContentKind
    /// The value.
    package var payload: [UInt8]
    /// When it loses its worth; nil for never.
    package var expiresAt: WallTime?

    /// Makes the value.
    package init(
        channel: Channel, key: RecordKey, kind: ContentKind, payload: [UInt8],
        expiresAt: WallTime? = nil
    ) {
        self.channel = channel
        self.key = key
        self.kind = kind
        self.payload = payload
        self.expiresAt = expiresAt
    }
}

extension StoreChange {
    /// Keeps a value handed back until it is taken up, in the place of an earlier one of its key.
    ///
    /// To be written in the transaction in which the journal takes the value for its own: from then
    /// on the two sides agree, and nothing else would say that the application has not had its word
    /// yet.
    package static func keep(_ value: HandedBack) -> SQLWrite {
        SQLWrite { store in
            try forget(value, store)
            let place = try nextPlace("handed_back", store)
            var writer = WireWriter()
            let isLasting = value.expiresAt == nil
            writer.byte(value.channel.rawValue | (isLasting ? 0 : HandedBack.expires))
            writer.uint128(value.key.rawValue)
            writer.byte(value.kind.rawValue)
            if let moment = value.expiresAt {
                writer.uint64(UInt64(bitPattern: moment.milliseconds))
            }
            writer.append(value.payload)
            let body = store.columns.seal(
                writer.bytes, table: DeviceSchema.Table.handedBack, row: place)
            try store.run(
                "INSERT INTO handed_back(id, tag, body) VALUES(?, ?, ?)",
                [.integer(place), .blob(tag(of: value, store.columns)), .blob(body)])
        }
    }

    /// The application has had its word on a value handed back: goes with the record that says it.
    package static func takenUp(_ value: HandedBack) -> SQLWrite {
        SQLWrite { store in try forget(value, store) }
    }

    private static func forget(
        _ value: HandedBack, _ store: borrowing StoreTransaction
    ) throws(StoreFailure) {
        try store.run(
            "DELETE FROM handed_back WHERE tag = ?", [.blob(tag(of: value, store.columns))])
    }

    static func tag(of value: HandedBack, _ columns: StoreColumns) -> [UInt8] {
        // 1 and 2 begin the tags of medications and of doses.
        tag(0x80 | value.channel.rawValue, value.key.rawValue, columns)
    }
}

extension FileStore {
    /// Values handed back that were not taken up before the process ended, the earliest first.
    ///
    /// - Throws: `StoreFailure` when one was altered.
    package func handedBack() throws -> [HandedBack] {
        try file.read { store in
            let columns = store.columns
            return try store.query("SELECT id, body FROM handed_back ORDER BY id") {
                (row: borrowing SQLRow) throws(StoreFailure) in
                try HandedBack.read(row, columns)
            }
        }
    }
}

extension HandedBack {
    /// The value in a row that begins with its number and its body.
    static func read(
        _ row: borrowing SQLRow, _ columns: StoreColumns
    ) throws(StoreFailure) -> HandedBack {
        let body = try columns.open(
            row.blob(1), table: DeviceSchema.Table.handedBack, row: row.integer(0))
        guard let value = HandedBack(row: body) else {
            throw StoreFailure("value handed back \(row.integer(0)): it cannot be read")
        }
        return value
    }

    /// Set in a row's first byte, the channel, where a moment stands before the payload.
    fileprivate static let expires: UInt8 = 0x80

    private init?(row body: [UInt8]) {
        var reader = WireReader(body.span)
        guard let first = try? reader.byte("channel"),
            let channel = Channel(rawValue: first & ~Self.expires),
            let key = try? reader.uint128("key"), let kind = try? reader.byte("kind")
        else { return nil }
        var moment: WallTime?
        if first & Self.expires != 0 {
            guard let bits = try? reader.uint64("expiry") else { return nil }
            moment = WallTime(milliseconds: Int64(bitPattern: bits))
        }
        self.init(
            channel: channel, key: RecordKey(rawValue: key), kind: ContentKind(rawValue: kind),
            payload: Array(body.dropFirst(reader.offset)), expiresAt: moment)
    }
}
