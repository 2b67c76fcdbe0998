extension Hello {
    private static let hasPending: UInt8 = 1
    private static let hasEpochs: UInt8 = 2
    private static let hasTaken: UInt8 = 4
    private static let hasHeld: UInt8 = 8
    private static let answerShift: UInt8 = 4
    private static let answerMask: UInt8 = 7
    private static let hasCoding: UInt8 = 0x80

    /// Reads a hello, whose sender is in `epoch`; `isAnswer` in message 2. Padding may follow it
    /// (``WireReader/finishPadding(_:)``). The sender is at fault for every error.
    package static func read(
        _ reader: inout WireReader, epoch: EpochID, isAnswer: Bool
    ) throws(WireError) -> Hello {
        var hello = Hello(
            tickets: TicketPresentation(), answer: isAnswer ? TicketAnswer.notHeld : nil)
        try hello.code(&reader, epoch)
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
        if coding != nil { flags |= Self.hasCoding }
        let start = c.offset
        try c.byte(&flags, "flags of the hello")
        let given = TicketAnswer(rawValue: flags >> Self.answerShift & Self.answerMask)
        try c.check(
            given != nil
                && (answer != nil || given == .notHeld && flags & Self.hasHeld == 0),
            .unknownCode, at: start, "flags of message 1", UInt64(flags))
        if answer != nil { answer = given }
        try tickets.code(&c, hasPending: flags & Self.hasPending != 0)
        if flags & Self.hasEpochs != 0 { try codeEpochs(&c, epoch) }
        if flags & Self.hasTaken != 0 { try codeTaken(&c) }
        try c.optional(&held, if: flags & Self.hasHeld != 0)
        try c.optional(&coding, if: flags & Self.hasCoding != 0)
    }

    /// The head's highest four bits where both counts of earlier epochs follow.
    private static let countsFollow = 15

    private mutating func codeEpochs<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C, _ epoch: EpochID
    ) throws(C.Failure) {
        let start = c.offset
        var head = headOfEpochs
        try c.byte(&head, "head of the epochs")
        let (presence, naming) = (head & 3, head >> 2 & 3)
        try c.check(
            head != 0 && presence < 3 && naming < 3, .unknownCode, at: start,
            "head of the epochs", UInt64(head))
        if presence != 0 {
            var listed = present ?? ListedEpoch(id: epoch)
            try listed.codePresent(&c, isAnnouncedAlone: presence == 1)
            present = listed
        }
        try codeEarlier(&c, Int(head >> 4))
        if naming != 0 {
            var named = newestConfirmed ?? Reserved(id: earlier.last?.id ?? EpochID())
            if naming == 1 { try named.id.code(&c) }
            try c.varint(&named.end, "end of the reservation", 0...RecordNumber.largest)
            newestConfirmed = named
        }
        let saysSomething = present.map { $0.announcedEnd != nil || !$0.numbers.isEmpty } ?? true
        try c.check(
            head == headOfEpochs && saysSomething, .notCanonical, at: start,
            "the shortest form of the epochs", UInt64(head))
    }

    /// How the epochs are written: the present one (1 announced, and no more, 2 with its form), the
    /// newest confirmed one × 4 (1 with its id, 2 the last one that is listed here), and the number
    /// of earlier ones × 16.
    private var headOfEpochs: UInt8 {
        var head: UInt8 = present.map { $0.isAnnouncedAlone ? 1 : 2 } ?? 0
        if let newestConfirmed { head |= newestConfirmed.id == earlier.last?.id ? 8 : 4 }
        let isShort = earlier.count == earlierCount && earlierCount < Self.countsFollow
        return head | UInt8(isShort ? earlierCount : Self.countsFollow) << 4
    }

    /// The counts, where the head does not hold them, and the epochs that are listed here.
    private mutating func codeEarlier<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C, _ count: Int
    ) throws(C.Failure) {
        guard count < Self.countsFollow else {
            try c.varint(&earlierCount, "epochs listed in all", 0...RecordAddress.largestIndex)
            return try c.list(&earlier, "epochs in the hello", 0...earlierCount, size: 9)
        }
        earlierCount = count
        try c.items(&earlier, count)
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
