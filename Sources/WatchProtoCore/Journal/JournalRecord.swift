/// Records as a journal holds them: identity, kind, flags, the parts that the flags announce,
/// payload.
struct JournalRecord: WireCoded {
    var id = RecordID.blank
    var kind = ContentKind()
    var key: RecordKey?
    var payload: [UInt8] = []
    var expectsReply = false
    var inReplyTo: RecordNumber?
    var expiresAt: WallTime?
    var idempotencyKey: UInt128?

    init() {}

    init(_ record: OutboundRecord) {
        (id, kind, key, payload) = (record.id, record.kind, record.key, record.payload)
        (expectsReply, inReplyTo) = (record.expectsReply, record.inReplyTo)
        (expiresAt, idempotencyKey) = (record.expiresAt, record.idempotencyKey)
    }

    init(_ record: InboundRecord) {
        (id, kind, key, payload) = (record.id, record.kind, record.key, record.payload)
        (expectsReply, inReplyTo) = (record.expectsReply, record.inReplyTo)
        (expiresAt, idempotencyKey) = (record.expiresAt, record.idempotencyKey)
    }

    private enum Flag {
        static let key: UInt8 = 1 << 0
        static let expiry: UInt8 = 1 << 1
        static let idempotencyKey: UInt8 = 1 << 2
        static let expectsReply: UInt8 = 1 << 3
        static let inReplyTo: UInt8 = 1 << 4
        static let end: UInt8 = 1 << 5
    }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var flags: UInt8 = expectsReply ? Flag.expectsReply : 0
        if key != nil { flags |= Flag.key }
        if expiresAt != nil { flags |= Flag.expiry }
        if idempotencyKey != nil { flags |= Flag.idempotencyKey }
        if inReplyTo != nil { flags |= Flag.inReplyTo }
        try id.code(&c)
        try kind.code(&c)
        try c.code(&flags, below: Flag.end, "record flags")
        expectsReply = flags & Flag.expectsReply != 0
        try c.optional(&key, if: flags & Flag.key != 0)
        try c.optional(&expiresAt, if: flags & Flag.expiry != 0)
        if flags & Flag.idempotencyKey != 0 {
            var name = idempotencyKey ?? 0
            try c.uint128(&name, "idempotency key")
            idempotencyKey = name
        }
        if flags & Flag.inReplyTo != 0 {
            var number = inReplyTo?.rawValue ?? 0
            try c.number(&number)
            inReplyTo = RecordNumber(number)
        }
        try c.block(&payload, "payload", 0...id.channel.traits.recordByteLimit)
    }
}

extension OutboundRecord {
    /// The record of which a journal holds these parts.
    convenience init(_ record: JournalRecord, acceptedAt: WallTime) {
        let draft = RecordDraft(
            channel: record.id.channel, kind: record.kind, key: record.key,
            payload: record.payload, expiresAt: record.expiresAt,
            idempotencyKey: record.idempotencyKey, expectsReply: record.expectsReply,
            inReplyTo: record.inReplyTo)
        self.init(id: record.id, draft: draft, acceptedAt: acceptedAt)
    }
}

extension InboundRecord {
    /// The record of which a journal holds these parts.
    convenience init(_ record: JournalRecord) {
        self.init(
            id: record.id, kind: record.kind, key: record.key, payload: record.payload,
            expectsReply: record.expectsReply, inReplyTo: record.inReplyTo,
            expiresAt: record.expiresAt, idempotencyKey: record.idempotencyKey)
    }
}

extension RecordID: WireCoded {
    /// A place for an identity that is to be read.
    static let blank = RecordID()

    init() { self.init(EpochID(), .interactive, 0) }

    init(_ epoch: EpochID, _ channel: Channel, _ number: UInt64) {
        self.init(epoch: epoch, channel: channel, number: RecordNumber(number))
    }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try code(&c, least: 1)
    }

    /// Channel, epoch, and a number of at least `least`.
    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C, least: UInt64
    ) throws(C.Failure) {
        try c.channel(&channel, nil)
        try epoch.code(&c)
        try c.varint(&number.rawValue, "number of a record", least...RecordNumber.largest)
    }
}

extension TicketEntry {
    init() {
        self.init(
            ticket: Ticket(rawValue: 0), promotesPending: false, abandoned: [],
            counterpartCounter: 0, counterpartLostState: false)
    }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try ticket.code(&c)
        var flags: UInt8 = (promotesPending ? 1 : 0) | (counterpartLostState ? 2 : 0)
        if isOldestRemembered { flags |= 4 }
        try c.code(&flags, below: 8, "flags of a ticket")
        promotesPending = flags & 1 != 0
        counterpartLostState = flags & 2 != 0
        isOldestRemembered = flags & 4 != 0
        try c.varint(&counterpartCounter, "counterpart's counter", 0...RecordNumber.largest)
        try c.list(&abandoned, "abandoned tickets", 0...JournalCoding.ticketLimit, size: 8)
    }
}

extension Ticket: WireCoded {
    init() { self.init(rawValue: 0) }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.uint64(&rawValue, "ticket")
    }
}
