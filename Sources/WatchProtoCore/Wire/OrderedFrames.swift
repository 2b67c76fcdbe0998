/// Hint of a receiver: how much may be offered in a channel since the session began. The highest
/// limits count, so repetition and reordering do no harm.
package struct CreditFrame: FramePayload {
    var channel = Channel.background
    var records: UInt64 = 0
    /// Payload bytes.
    var bytes: UInt64 = 0

    var type: FrameType { .credit }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.channel(&channel, .ordered)
        try c.varint(&records, "credit in records", 0...RecordNumber.largest)
        try c.varint(&bytes, "credit in bytes", 0...RecordNumber.largest)
    }
}

/// Hint of a receiver: it turned a record away for want of room. The sender offers nothing new from
/// this record on until its credit in records is above the one named here.
package struct TryLaterFrame: FramePayload {
    var channel = Channel.background
    var address = RecordAddress()
    /// The credit in records that stood then.
    var records: UInt64 = 0

    var type: FrameType { .tryLater }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.channel(&channel, .ordered)
        try address.code(&c)
        try c.varint(&records, "credit in records", 0...RecordNumber.largest)
    }
}

/// Request of a sender: end a record that may have arrived, in its turn. Only the receiver's answer
/// settles the record. The request takes the place of the record, so it names its predecessor.
package struct CancelFrame: FramePayload {
    var channel = Channel.background
    var address = RecordAddress()
    var predecessor: RecordAddress?
    /// Whether its time ran out; otherwise the application cancelled it.
    var isExpired = false

    var type: FrameType { .cancel }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var flags: UInt8 = (isExpired ? 0x08 : 0) | (predecessor == nil ? 0 : 0x10)
        try c.head(&channel, .ordered, &flags, of: 0x18, "cancelled channel and flags")
        try address.code(&c)
        try c.predecessor(&predecessor, of: address, if: flags & 0x10 != 0)
        isExpired = flags & 0x08 != 0
    }
}

/// Hint of a receiver: it has taken every record of an epoch up to this one, durable or not.
package struct ReceivedFrame: FramePayload {
    var channel = Channel.background
    /// The highest number taken.
    var address = RecordAddress()

    var type: FrameType { .received }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.channel(&channel, .ordered)
        try address.code(&c)
    }
}

/// Statement of a sender: every record of an epoch up to this number is settled (F-19).
package struct WatermarkFrame: FramePayload {
    var channel = Channel.background
    /// The watermark.
    var address = RecordAddress()

    var type: FrameType { .watermark }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.channel(&channel, .ordered)
        try address.code(&c)
    }
}

/// Statement of a receiver: these records of an ordered channel are committed, or applied (F-16).
package struct AcknowledgementFrame: FramePayload {
    var channel = Channel.background
    /// Whether the application took the records over; otherwise it decides later (F-17).
    var isApplied = false
    /// The place of the epoch in the hello of the sender of the records.
    var epochIndex = 0
    /// At least one, in at most ``Limits/acknowledgementRanges`` ranges.
    var numbers = NumberRanges()

    var type: FrameType { .acknowledgement }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var flags: UInt8 = isApplied ? 0x08 : 0
        try c.head(&channel, .ordered, &flags, of: 0x08, "acknowledged channel and level")
        isApplied = flags != 0
        try c.varint(&epochIndex, "epoch index", 0...RecordAddress.largestIndex)
        try c.ascending(&numbers, countsFirst: false, most: RecordNumber.largest)
    }
}

/// Statement of a receiver: these records of an ordered channel ended without being applied, or how
/// they ended is no longer known (F-18).
package struct OutcomeFrame: FramePayload {
    enum Word: Hashable, Sendable {
        /// The sender had settled the record before it sent a later one.
        case skipped
        /// The sender cancelled it before its turn.
        case cancelled
        /// Its time ran out before its turn.
        case expired
        /// The application refused it, or a bound of the receiver did.
        case rejected(code: UInt16)
        /// It is settled, and its outcome is not kept.
        case unknown
    }

    var channel = Channel.background
    /// The place of the epoch in the hello of the sender of the records.
    var epochIndex = 0
    var numbers: ClosedRange<UInt64> = 1...1
    var word = Word.unknown

    var type: FrameType { .outcome }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.channel(&channel, .ordered)
        var first = RecordAddress(epochIndex: epochIndex, number: numbers.lowerBound)
        try first.code(&c)
        var further = numbers.upperBound - numbers.lowerBound
        try c.varint(&further, "further records", 0...(RecordNumber.largest - first.number))
        epochIndex = first.epochIndex
        numbers = first.number...(first.number + further)
        var rejection: UInt16 = 0
        var code: UInt8 =
            switch word {
            case .skipped: 1
            case .cancelled: 2
            case .expired: 3
            case .rejected: 4
            case .unknown: 5
            }
        if case .rejected(let reason) = word { rejection = reason }
        let start = c.offset
        try c.byte(&code, "outcome")
        try c.check(1...5 ~= code, .unknownCode, at: start, "outcome 1 to 5", UInt64(code))
        if code == 4 { try c.uint16(&rejection, "rejection code") }
        word =
            switch code {
            case 1: .skipped
            case 2: .cancelled
            case 3: .expired
            case 4: .rejected(code: rejection)
            default: .unknown
            }
    }
}
