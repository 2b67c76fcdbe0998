/// The form of an entry in bytes: its code, then the parts that its kind has.
extension JournalFields {
    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        let start = c.offset
        try c.code(&code, "journal entry 1 to 25")
        switch code {
        case .opened:
            try id.epoch.code(&c)
            try c.version(&number)
        case .ticketEntered: try ticket.code(&c)
        case .ticketProgress, .counters:
            try c.version(&number)
            try c.version(&further)
        case .epoch:
            try id.epoch.code(&c)
            try c.code(&mark, "mark 0 to 7")
        case .queued:
            try record.code(&c)
            try time.code(&c)
        case .cancellationAsked, .settled:
            try id.code(&c)
            try codeOutcome(&c)
        case .committedThere, .tailLost, .numbered: try id.code(&c)
        case .ended: try codeEnded(&c)
        case .value:
            try record.code(&c)
            try time.code(&c)
            var isOver = outcome != nil
            try c.flag(&isOver)
            if isOver { try codeOutcome(&c) }
            try c.version(&number)
        case .removalWatermark: try c.version(&number)
        case .received:
            try record.code(&c)
            try c.form(&disposition, "disposition 0 to 2")
            try time.code(&c)
        case .decided:
            try id.code(&c)
            try c.form(&disposition, "disposition 0 to 2")
        case .passed:
            try id.code(&c)
            try c.varint(&number, "records passed", 0...(RecordNumber.largest - id.number.rawValue))
            var state = exception.map { PassedState.exception($0) } ?? .applied
            try c.form(&state, "exception 0 to 5")
            exception = state.exception
        case .held:
            try record.code(&c)
            try c.list(&followers, "followers", 0...JournalCoding.followerLimit, size: 10)
        case .key:
            try c.uint128(&key, "idempotency key")
            try id.code(&c)
            try c.form(&disposition, "disposition 0 to 2")
            try time.code(&c)
        case .repeated:
            try id.code(&c)
            try first.code(&c)
            try c.form(&disposition, "disposition 0 to 2")
        case .watermark: try id.code(&c, least: 0)
        case .counterpartRemovalWatermark:
            try c.version(&number)
            try id.epoch.code(&c)
        case .topMoved: try id.epoch.code(&c)
        case .pathMeasured:
            try c.varint(&number, "bytes a second")
            try c.varint(&further, "round trip")
            try c.varint(&third, "packets lost of 10,000", 0...10_000)
            try c.check(entry != nil, .outOfRange, at: start, "measurements of a path", number)
        case .address:
            try c.uint128(&key, "address")
            try c.uint64(&number, "port")
        }
    }

    private mutating func codeOutcome<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C
    ) throws(C.Failure) {
        var known = outcome ?? .applied
        try c.form(&known, "outcome 0 to 7")
        outcome = known
    }

    private mutating func codeEnded<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C
    ) throws(C.Failure) {
        try id.code(&c)
        let room = RecordNumber.largest - id.number.rawValue + 1
        try c.varint(
            &number, "records that ended", 1...min(UInt64(JournalCoding.endedLimit), room))
        try codeOutcome(&c)
        try c.flag(&isLostSince)
    }
}

extension FieldCoder where Self: ~Copyable & ~Escapable {
    /// A version, or a number that may be 0.
    fileprivate mutating func version(_ value: inout UInt64) throws(Failure) {
        try varint(&value, "version or number", 0...RecordNumber.largest)
    }

    fileprivate mutating func flag(_ value: inout Bool) throws(Failure) {
        var bit: UInt8 = value ? 1 : 0
        try code(&bit, below: 2, "flag 0 or 1")
        value = bit == 1
    }

    /// A value by its place among all; the application's code stands behind a rejection.
    fileprivate mutating func form<Form: JournalForm>(
        _ value: inout Form, _ what: StaticString
    ) throws(Failure) {
        var code = value.rejectionCode ?? 0
        let blank = value.rejectionCode == nil ? value : .rejected(code: 0)
        var place = UInt8(Form.all.firstIndex(of: blank) ?? 0)
        try self.code(&place, below: UInt8(Form.all.count), what)
        value = Form.all[Int(place)]
        guard value.rejectionCode != nil else { return }
        try uint16(&code, "rejection code")
        value = .rejected(code: code)
    }
}

/// A value that is written by its place among all of its kind.
private protocol JournalForm: Equatable {
    static var all: [Self] { get }
    static func rejected(code: UInt16) -> Self
    var rejectionCode: UInt16? { get }
}

extension Outcome: JournalForm {
    static var all: [Outcome] {
        [
            .applied, .superseded, .cancelled, .expired, .rejected(code: 0), .unknown,
            .outcomeUnknown, .notDelivered,
        ]
    }
    var rejectionCode: UInt16? { if case .rejected(let code) = self { code } else { nil } }
}

extension Disposition: JournalForm {
    static var all: [Disposition] { [.applied, .pending, .rejected(code: 0)] }
    var rejectionCode: UInt16? { if case .rejected(let code) = self { code } else { nil } }
}

/// The state of a record that had its turn.
private enum PassedState: JournalForm {
    case applied
    case exception(RecordException)

    static var all: [PassedState] {
        [
            .applied, .exception(.pending), .rejected(code: 0), .exception(.cancelled),
            .exception(.expired), .exception(.skipped),
        ]
    }
    static func rejected(code: UInt16) -> PassedState { .exception(.rejected(code: code)) }
    var rejectionCode: UInt16? {
        if case .exception(.rejected(let code)) = self { code } else { nil }
    }
    var exception: RecordException? {
        if case .exception(let exception) = self { exception } else { nil }
    }
}
