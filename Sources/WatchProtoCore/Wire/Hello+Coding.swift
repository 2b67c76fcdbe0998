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
    public static func read(
        _ reader: inout WireReader, epoch: EpochID, isAnswer: Bool
    ) throws(WireError) -> Hello {
        let start = reader.offset
        let flags = try reader.byte("flags of the hello")
        let answer = TicketAnswer(rawValue: flags >> answerShift)
        guard let answer, isAnswer || answer == .notHeld && flags & hasHeld == 0 else {
            throw WireError(
                .unknownCode, at: start, expected: "flags of message 1", found: UInt64(flags))
        }
        var hello = Hello(
            tickets: try TicketPresentation.read(&reader, hasPending: flags & hasPending != 0),
            answer: isAnswer ? answer : nil)
        if flags & hasEpochs != 0 { try hello.readEpochs(&reader, epoch) }
        if flags & hasTaken != 0 { try hello.readTaken(&reader) }
        if flags & hasHeld != 0 { hello.held = try .read(&reader) }
        if flags & hasLargestDatagram != 0 {
            let at = reader.offset
            let bytes = Int(try reader.uint16("largest datagram"))
            guard bytes != defaultLargestDatagram, bytes >= Limits().smallestDatagramBytes else {
                throw WireError(
                    .outOfRange, at: at, expected: "largest datagram from 244 to 65,534",
                    found: UInt64(bytes))
            }
            hello.largestDatagram = bytes
        }
        try reader.finish("the end of the hello")
        return hello
    }

    /// Appends the hello.
    public func write(to writer: inout WireWriter) {
        let listsEpochs = present != nil || newestConfirmed != nil || earlierCount > 0
        let listsTaken = !taken.isEmpty || !takenIsComplete
        let statesDatagram = largestDatagram != Self.defaultLargestDatagram
        var flags = (answer?.rawValue ?? 0) << Self.answerShift
        if tickets.pending != nil { flags |= Self.hasPending }
        if listsEpochs { flags |= Self.hasEpochs }
        if listsTaken { flags |= Self.hasTaken }
        if held != nil { flags |= Self.hasHeld }
        if statesDatagram { flags |= Self.hasLargestDatagram }
        writer.byte(flags)
        tickets.write(to: &writer)
        if listsEpochs { writeEpochs(to: &writer) }
        if listsTaken { writeTaken(to: &writer) }
        held?.write(to: &writer)
        if statesDatagram { writer.uint16(UInt16(clamping: largestDatagram)) }
    }

    private mutating func readEpochs(
        _ reader: inout WireReader, _ epoch: EpochID
    ) throws(WireError) {
        let start = reader.offset
        let stated = try reader.byte("which epochs are stated")
        guard stated <= Self.statesPresent | Self.statesNewestConfirmed else {
            throw WireError(
                .unknownCode, at: start, expected: "which epochs are stated",
                found: UInt64(stated))
        }
        if stated & Self.statesPresent != 0 {
            present = try ListedEpoch.read(&reader, present: epoch)
        }
        if stated & Self.statesNewestConfirmed != 0 {
            let id = try EpochID.read(&reader)
            let end = try reader.varint("end of the reservation", atMost: RecordNumber.largest)
            newestConfirmed = Reserved(id: id, end: end)
        }
        let largest = UInt64(RecordAddress.largestIndex)
        earlierCount = Int(try reader.varint("epochs listed in all", atMost: largest))
        let count = try reader.count("epochs in the hello", atMost: earlierCount, size: 9)
        for _ in 0..<count { earlier.append(try ListedEpoch.read(&reader)) }
        guard stated != 0 || earlierCount > 0 else {
            throw WireError(.notCanonical, at: start, expected: "an epoch", found: 0)
        }
    }

    private func writeEpochs(to writer: inout WireWriter) {
        var stated: UInt8 = present == nil ? 0 : Self.statesPresent
        if newestConfirmed != nil { stated |= Self.statesNewestConfirmed }
        writer.byte(stated)
        present?.write(to: &writer, isPresent: true)
        if let newestConfirmed {
            writer.uint64(newestConfirmed.id.rawValue)
            writer.varint(newestConfirmed.end)
        }
        writer.varint(UInt64(earlierCount))
        writer.varint(UInt64(earlier.count))
        for epoch in earlier { epoch.write(to: &writer) }
    }

    private mutating func readTaken(_ reader: inout WireReader) throws(WireError) {
        let start = reader.offset
        let head = try reader.varint("epochs taken from")
        takenIsComplete = head & 1 == 0
        // 8 bytes, a channel and a number each.
        guard head / 2 <= UInt64(reader.remaining / 10) else {
            throw WireError(.truncated, at: start, expected: "epochs taken from", found: head)
        }
        guard head > 0 else {
            throw WireError(.notCanonical, at: start, expected: "epochs taken from", found: 0)
        }
        for _ in 0..<head / 2 {
            let epoch = try EpochID.read(&reader)
            let at = reader.offset
            let channel = try Channel.read(&reader)
            guard channel.isListed else {
                throw WireError(
                    .outOfRange, at: at, expected: "a durable ordered channel",
                    found: UInt64(channel.rawValue))
            }
            let through = try RecordNumber.read(&reader)
            taken.append(Taken(epoch: epoch, channel: channel, through: through))
        }
    }

    private func writeTaken(to writer: inout WireWriter) {
        writer.varint(UInt64(taken.count) * 2 + (takenIsComplete ? 0 : 1))
        for entry in taken {
            writer.uint64(entry.epoch.rawValue)
            writer.byte(entry.channel.rawValue)
            writer.varint(entry.through)
        }
    }
}
