/// A ping, or the pong that returns its token: proof of life and a round-trip sample (F-5).
package struct PingFrame: FramePayload {
    var token: UInt64 = 0
    var isPong = false

    var type: FrameType { isPong ? .pong : .ping }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.varint(&token, "ping token")
    }
}

/// The end of a session, and why its sender ends it. No packet of the session follows it (F-6).
package struct CloseFrame: FramePayload {
    /// A code without a name is no violation.
    var code = CloseCode.normal

    var type: FrameType { .close }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.byte(&code.rawValue, "close code")
    }
}

/// The packets that arrived, on carriers that can lose (RFC 9000, 19.3, without ECN; LR-3).
package struct AckFrame: FramePayload {
    /// At least one, in at most `Limits.ackRanges` ranges.
    var packets = NumberRanges()
    /// Microseconds between the arrival of the largest packet and this frame (F-8).
    var delayMicroseconds: UInt64 = 0

    /// The longest delay that can be told, in microseconds: thirteen days.
    static let longestDelay: UInt64 = 1 << 40

    var type: FrameType { .ack }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.varint(&delayMicroseconds, "acknowledgement delay", 0...Self.longestDelay)
        try c.descending(&packets)
    }

    /// Leaves out the oldest ranges so that the frame takes at most `bytes`. The newest range
    /// stays.
    mutating func fit(_ bytes: Int) {
        let room = bytes - 1 - WireWriter.varintSize(delayMicroseconds)
        packets.keepNewest(packets.newest(in: room, atMost: packets.ranges.count))
    }
}

/// Whether early data was accepted, and which early packets were taken (F-9). A hint; the sender
/// repeats the frame while early packets arrive.
package struct EarlyDataFrame: FramePayload {
    enum Answer: Hashable, Sendable {
        /// The early packets of these numbers were taken; those missing may still arrive.
        case accepted(NumberRanges)
        /// None was taken and none will be: its sender sends all of it again.
        case rejected
    }

    /// The handshake counter of the message 1 that the early data came with.
    var counter: UInt64 = 0
    var answer = Answer.rejected

    var type: FrameType { .earlyData }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.varint(&counter, "handshake counter of early data")
        var taken = NumberRanges()
        var form: UInt8 = 2
        if case .accepted(let packets) = answer {
            taken = packets
            form = packets.isEmpty ? 0 : 1
        }
        let start = c.offset
        try c.code(&form, below: 3, "answer to early data")
        if form == 1 {
            try c.descending(&taken)
            let last = taken.last ?? 0
            // F-10.
            try c.check(
                last < UInt64(Limits.standard.earlyPackets), .outOfRange, at: start,
                "numbers of early packets", last)
        }
        answer = form == 2 ? .rejected : .accepted(taken)
    }
}

/// The arrival time of the largest packet in the acknowledgement in front of this frame, by the
/// clock of its sender (draft-smith-quic-receive-ts).
package struct ArrivalFrame: FramePayload {
    /// Microseconds from some moment that is the same throughout the session.
    var microseconds: UInt64 = 0
    /// Packets recovered from repair packets since the session began.
    var recoveredPackets: UInt64 = 0

    /// Bytes that a frame takes at most.
    static let largestBytes = 18
    /// The largest value of either number.
    static let largestNumber: UInt64 = 1 << 50

    var type: FrameType { .arrival }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.varint(&microseconds, "arrival", 0...Self.largestNumber)
        try c.varint(&recoveredPackets, "recovered packets", 0...Self.largestNumber)
    }
}

/// A forward-error-correction (FEC) repair packet: one combination of the packets of a block, made
/// by `ErasureCode` from the length of the frames of each in two bytes and the frames, padded
/// with zeros to the longest of the block (LR-8).
package struct RepairFrame: FramePayload {
    /// The number of the first packet of the block.
    var first: UInt64 = 0
    /// The packets of the block, from the first on without a gap.
    var count = 0
    /// Which combination of the block it is.
    var index = 0
    /// The combination, at least two bytes.
    var bytes: [UInt8] = []

    static let mostPackets = 128
    static let mostRepairs = 32

    var type: FrameType { .repair }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.varint(&first, "first packet of an FEC block", 0...(1 << 62))
        try c.varint(&count, "packets of an FEC block", 1...Self.mostPackets)
        try c.varint(&index, "index of a repair packet", 0...(Self.mostRepairs - 1))
        let at = c.offset
        try c.bytes(&bytes, nil, "combination")
        try c.check(
            bytes.count >= 2, .outOfRange, at: at, "combination of 2 bytes or more",
            UInt64(bytes.count))
    }
}

/// The position of the sender in the session's ticket, for the statements that follow in the packet
/// (F-4).
package struct PositionFrame: FramePayload {
    /// Own batches since the ticket was entered, all of them durable.
    var position: UInt64 = 0

    var type: FrameType { .position }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.varint(&position, "position from 1", 1...RecordNumber.largest)
    }
}

/// The initiator's answer to the tickets that the responder presented in message 2, and the summary
/// of the responder's values that it holds. In a session with a new ticket the responder acts once
/// it has come; the initiator's packets carry it until one of them is acknowledged.
package struct TicketAnswerFrame: FramePayload {
    var answer = TicketAnswer.notHeld
    /// The summary of the values held; nil where none was ever taken.
    var held: HeldPresentation?

    var type: FrameType { .ticketAnswer }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        let start = c.offset
        var code = answer.rawValue | (held == nil ? 0 : 8)
        try c.byte(&code, "ticket answer")
        try c.check(code < 16, .unknownCode, at: start, "ticket answer 0 to 15", UInt64(code))
        answer = TicketAnswer(rawValue: code & 7) ?? answer
        try c.optional(&held, if: code & 8 != 0)
    }
}
