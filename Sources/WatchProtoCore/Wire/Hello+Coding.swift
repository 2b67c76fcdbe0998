extension Hello {
    private static let hasPending: UInt8 = 1
    private static let hasEpochs: UInt8 = 2
    private static let hasTaken: UInt8 = 4
    private static let hasHeld: UInt8 = 8
    private static let hasLargestDatagram: UInt8 = 16
    private static let answerShift: UInt8 = 5
    private static let statesPresent: UInt8 = 1
    private static let statesNewestConfirmed: UInt8 = 2

    /// Reads a hello to the end of its message, whose sender is in `epoch`; `isAnswer` in message
    /// 2. The sender is at fault for every error.
    package static func read(
        _ reader: inout WireReader, epoch: EpochID, isAnswer: Bool
    ) throws(WireError) -> Hello {
        var hello = Hello(
            tickets: TicketPresentation(), answer: isAnswer ? TicketAnswer.notHeld : nil)
        try hello.code(&reader, epoch)
        try reader.finish("the end of the hello")
        return hello
    }

    /// Appends the hello.
    package func write(to writer: inout WireWriter) {
        var hello = self
        hello.code(&writer, EpochID())
    }

    private mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C, _ epoch: EpochID
    ) throws(C.Failure) {
        var flags = (answer?.rawValue ?? 0) << Self.answerShift
        if tickets.pending != nil { flags |= Self.hasPending }
        if present != nil || newestConfirmed != nil || earlierCount > 0 { flags |= Self.hasEpochs }
        if !taken.isEmpty || !takenIsComplete { flags |= Self.hasTaken }
        if held != nil { flags |= Self.hasHeld }
        if largestDatagram != Self.defaultLargestDatagram { flags |= Self.hasLargestDatagram }
        let start = c.offset
        try c.byte(&flags, "flags of the hello")
        let given = TicketAnswer(rawValue: flags >> Self.answerShift)
        try c.check(
            given != nil
                && (answer != nil || given == .notHeld && flags & Self.hasHeld == 0),
            .unknownCode, at: start, "flags of message 1", UInt64(flags))
        if answer != nil { answer = given }
        try tickets.code(&c, hasPending: flags & Self.hasPending != 0)
        if flags & Self.hasEpochs != 0 { try codeEpochs(&c, epoch) }
        if flags & Self.hasTaken != 0 { try codeTaken(&c) }
        try c.optional(&held, if: flags & Self.hasHeld != 0)
        guard flags & Self.hasLargestDatagram != 0 else { return }
        let at = c.offset
        var bytes = UInt16(clamping: largestDatagram)
        try c.uint16(&bytes, "largest datagram")
        largestDatagram = Int(bytes)
        try c.check(
            largestDatagram != Self.defaultLargestDatagram
                && largestDatagram >= Limits.standard.smallestDatagramBytes,
            .outOfRange, at: at, "largest datagram from 244 to 65,534", UInt64(bytes))
    }

    private mutating func codeEpochs<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C, _ epoch: EpochID
    ) throws(C.Failure) {
        let start = c.offset
        var stated: UInt8 = present == nil ? 0 : Self.statesPresent
        if newestConfirmed != nil { stated |= Self.statesNewestConfirmed }
        try c.code(&stated, below: 4, "which epochs are stated")
        if stated & Self.statesPresent != 0 {
            var listed = present ?? ListedEpoch(id: epoch)
            try listed.codePresent(&c)
            present = listed
        }
        try c.optional(&newestConfirmed, if: stated & Self.statesNewestConfirmed != 0)
        try c.varint(&earlierCount, "epochs listed in all", 0...RecordAddress.largestIndex)
        try c.list(&earlier, "epochs in the hello", 0...earlierCount, size: 9)
        try c.check(stated != 0 || earlierCount > 0, .notCanonical, at: start, "an epoch", 0)
    }

    private mutating func codeTaken<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C
    ) throws(C.Failure) {
        let start = c.offset
        var head = UInt64(taken.count) * 2 + (takenIsComplete ? 0 : 1)
        try c.varint(&head, "epochs taken from")
        takenIsComplete = head & 1 == 0
        try c.check(head > 0, .notCanonical, at: start, "epochs taken from", 0)
        guard C.reads else {
            for var entry in taken { try entry.code(&c) }
            return
        }
        // The reader ends where the bytes do, so a count that is too large costs nothing.
        for _ in 0..<head / 2 {
            var entry = Taken()
            try entry.code(&c)
            taken.append(entry)
        }
    }
}

extension TicketPresentation {
    /// Visits the tickets: 8 bytes and two numbers, and as much for a pending one.
    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C, hasPending: Bool
    ) throws(C.Failure) {
        let largest = RecordNumber.largest
        var name = common?.rawValue ?? 0
        if name == 0 { (position, counterpartPosition) = (0, 0) }
        try c.uint64(&name, "common ticket")
        common = name == 0 ? nil : Ticket(rawValue: name)
        let start = c.offset
        try c.varint(&position, "position", 0...largest)
        try c.varint(&counterpartPosition, "counterpart's position", 0...largest)
        try c.check(
            name != 0 || position == 0 && counterpartPosition == 0, .notCanonical, at: start,
            "positions of 0 without a ticket", position)
        guard hasPending else { return }
        let pendingStart = c.offset
        name = pending?.rawValue ?? 0
        try c.uint64(&name, "pending ticket")
        try c.check(name != 0, .outOfRange, at: pendingStart, "a ticket other than 0", 0)
        pending = Ticket(rawValue: name)
        try c.varint(&pendingPosition, "position", 0...largest)
    }
}
