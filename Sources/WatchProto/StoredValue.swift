package import WatchProtoCore
package import WatchProtoJournal
import WatchProtoTransport

/// A value that waits for the application or for the next pairing, in a table of the journal's
/// file.
package struct StoredValue: Hashable, Sendable {
    /// The reason why a value is kept.
    package enum Purpose: UInt8, Sendable {
        /// The other device handed it back; the application has not taken it.
        case recovered = 1
        /// A former pairing did not deliver it; the new one is to.
        case carriedOver = 2
        /// A message to the other application whose call ended without an outcome.
        case sentMessage = 3
        /// A message of the other application that this one was given.
        case givenMessage = 4
        /// A file that this device sends.
        case sentFile = 5
        /// A file that this device receives.
        case arrivingFile = 6
    }

    /// The reason why it is kept.
    package var purpose: Purpose
    /// The device that the value is for, or came from; of a message the pairing.
    package var counterpart: UInt128
    /// The channel of its record.
    package var channel: Channel
    /// For a record without a key a number that no other has.
    package var key: RecordKey
    /// The kind of the payload.
    package var kind: ContentKind
    /// The value.
    package var payload: [UInt8]
    /// When it loses its worth; nil for never.
    package var expiresAt: WallTime?
    /// The sender's own name for the act.
    var idempotencyKey: UInt128?
    /// The identity in the former pairing.
    var former: RecordID?

    /// A value of this side, which the journal had lost and the other device returned.
    package init(
        recovered kind: ContentKind, _ payload: [UInt8], _ channel: Channel, _ key: RecordKey,
        from counterpart: UInt128
    ) {
        self.init(
            purpose: .recovered, counterpart: counterpart, channel: channel, key: key, kind: kind,
            payload: payload)
    }

    init(
        purpose: Purpose, counterpart: UInt128, channel: Channel, key: RecordKey,
        kind: ContentKind, payload: [UInt8]
    ) {
        self.purpose = purpose
        self.counterpart = counterpart
        self.channel = channel
        self.key = key
        self.kind = kind
        self.payload = payload
    }

    func isSame(as other: StoredValue) -> Bool {
        purpose == other.purpose && counterpart == other.counterpart
            && channel == other.channel && key == other.key
    }
}

extension StoredValue {
    /// A record that a former pairing did not deliver; nil for one that no other pairing needs.
    package init?(carryingOver record: OutboundRecord, to counterpart: UInt128) {
        // A dose event stands in the ledger.
        guard record.inReplyTo == nil, record.kind != .doseEvent,
            record.expiresAt.map({ $0 > SystemClock.wall.time }) ?? true
        else { return nil }
        self.init(
            purpose: .carriedOver, counterpart: counterpart, channel: record.id.channel,
            key: record.key ?? record.id.storedKey, kind: record.kind, payload: record.payload)
        expiresAt = record.expiresAt
        idempotencyKey = record.idempotencyKey
        former = record.id
    }

    /// The record that delivers it.
    package var draft: RecordDraft {
        RecordDraft(
            channel: channel, kind: kind, key: channel.traits.order == .latestValue ? key : nil,
            payload: payload, expiresAt: expiresAt, idempotencyKey: idempotencyKey)
    }

    // MARK: The table

    package static let schema = StoreSchema(
        name: "watchproto",
        migrations: [
            Migration(
                adding: "makes the table of kept values",
                [
                    "CREATE TABLE stored_values(id INTEGER PRIMARY KEY, tag BLOB, body BLOB NOT NULL)",
                    "CREATE INDEX stored_values_by_tag ON stored_values(tag)",
                ])
        ], check: { store, _ in try check(store) })

    /// Names the table among those whose columns are sealed.
    private static let table: UInt8 = 0x70

    package static func insert(_ value: StoredValue) -> SQLWrite {
        SQLWrite { store in
            let tag = value.tag(store.columns)
            try store.run("DELETE FROM stored_values WHERE tag = ?", [.blob(tag)])
            let place =
                try store.query("SELECT coalesce(max(id), 0) + 1 FROM stored_values") {
                    (row: borrowing SQLRow) throws(StoreFailure) in row.integer(0)
                }.first ?? 1
            let body = store.columns.seal(value.bytes, table: table, row: place)
            try store.run(
                "INSERT INTO stored_values(id, tag, body) VALUES(?, ?, ?)",
                [.integer(place), .blob(tag), .blob(body)])
        }
    }

    package static func delete(_ value: StoredValue) -> SQLWrite {
        SQLWrite { store in
            try store.run(
                "DELETE FROM stored_values WHERE tag = ?", [.blob(value.tag(store.columns))])
        }
    }

    static let deleteAll = SQLWrite("DELETE FROM stored_values")

    /// All kept values, oldest first.
    ///
    /// - Throws: `StoreFailure`; the file is at fault.
    package static func all(
        in store: borrowing StoreReader
    ) throws(StoreFailure) -> [StoredValue] {
        let columns = store.columns
        return try store.query("SELECT id, body FROM stored_values ORDER BY id") {
            (row: borrowing SQLRow) throws(StoreFailure) in try value(row, columns)
        }
    }

    /// Every value must open, and its tag must be that of the value.
    private static func check(_ store: borrowing StoreReader) throws {
        let columns = store.columns
        _ = try store.query("SELECT id, body, tag FROM stored_values") {
            (row: borrowing SQLRow) throws(StoreFailure) in
            guard row.blob(2) == (try value(row, columns)).tag(columns) else {
                throw StoreFailure("kept value \(row.integer(0)): the tag is that of another one")
            }
        }
    }

    /// The value in a row that begins with its number and its body.
    private static func value(
        _ row: borrowing SQLRow, _ columns: StoreColumns
    ) throws(StoreFailure) -> StoredValue {
        let body = try columns.open(row.blob(1), table: table, row: row.integer(0))
        guard let value = StoredValue(body) else {
            throw StoreFailure("kept value \(row.integer(0)) cannot be read")
        }
        return value
    }

    /// Set in the byte of marks where a field is present.
    private enum Mark {
        static let expiry: UInt8 = 1
        static let idempotencyKey: UInt8 = 2
        static let former: UInt8 = 4
    }

    /// Purpose, counterpart, channel, key, kind, marks, the fields that are marked, payload;
    /// numbers lowest byte first.
    private var bytes: [UInt8] {
        var writer = WireWriter()
        writer.byte(purpose.rawValue)
        writer.uint128(counterpart)
        writer.byte(channel.rawValue)
        writer.uint128(key.rawValue)
        writer.byte(kind.rawValue)
        writer.byte(
            (expiresAt == nil ? 0 : Mark.expiry)
                | (idempotencyKey == nil ? 0 : Mark.idempotencyKey)
                | (former == nil ? 0 : Mark.former))
        if let expiresAt { writer.uint64(UInt64(bitPattern: expiresAt.milliseconds)) }
        if let idempotencyKey { writer.uint128(idempotencyKey) }
        if let former {
            writer.uint64(former.epoch.rawValue)
            writer.uint64(former.number.rawValue)
        }
        writer.append(payload)
        return writer.bytes
    }

    private init?(_ bytes: [UInt8]) {
        var reader = WireReader(bytes.span)
        guard let purpose = (try? reader.byte("purpose")).flatMap(Purpose.init(rawValue:)),
            let counterpart = try? reader.uint128("counterpart"),
            let channel = (try? reader.byte("channel")).flatMap(Channel.init(rawValue:)),
            let key = try? reader.uint128("key"), let kind = try? reader.byte("kind"),
            let marks = try? reader.byte("marks"), marks < 8
        else { return nil }
        self.init(
            purpose: purpose, counterpart: counterpart, channel: channel,
            key: RecordKey(rawValue: key), kind: ContentKind(rawValue: kind), payload: [])
        if marks & Mark.expiry != 0 {
            guard let moment = try? reader.uint64("expiry") else { return nil }
            expiresAt = WallTime(milliseconds: Int64(bitPattern: moment))
        }
        if marks & Mark.idempotencyKey != 0 {
            guard let name = try? reader.uint128("idempotency key") else { return nil }
            idempotencyKey = name
        }
        if marks & Mark.former != 0 {
            guard let epoch = try? reader.uint64("epoch"),
                let number = try? reader.uint64("number")
            else { return nil }
            former = RecordID(
                epoch: EpochID(rawValue: epoch), channel: channel, number: RecordNumber(number))
        }
        payload = Array(bytes.dropFirst(reader.offset))
    }

    private func tag(_ columns: StoreColumns) -> [UInt8] {
        var writer = WireWriter()
        writer.byte(Self.table)
        writer.byte(purpose.rawValue)
        writer.uint128(counterpart)
        writer.byte(channel.rawValue)
        writer.uint128(key.rawValue)
        return columns.lookupTag(writer.bytes)
    }
}

extension RecordID {
    /// The key of a kept record that has no key of its own: no other has it.
    var storedKey: RecordKey {
        RecordKey(rawValue: UInt128(epoch.rawValue) << 64 | UInt128(number.rawValue))
    }
}
