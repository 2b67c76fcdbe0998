/// One frame of a packet.
package enum Frame: Hashable, Sendable {
    case padding
    case ping(PingFrame)
    case close(CloseFrame)
    case ack(AckFrame)
    case earlyData(EarlyDataFrame)
    case keyUpdate
    case position(PositionFrame)
    case epochs(EpochsFrame)
    case ticketAnswer(TicketAnswerFrame)
    case record(RecordFrame)
    case value(ValueFrame)
    case values(ValuesFrame)
    case fragment(FragmentFrame)
    case credit(CreditFrame)
    case tryLater(TryLaterFrame)
    case needBase(NeedBaseFrame)
    case cancel(CancelFrame)
    case received(ReceivedFrame)
    case heldQuery(HeldQueryFrame)
    case valueQuery(ValueQueryFrame)
    case nothingLost(NothingLostFrame)
    case acknowledgement(AcknowledgementFrame)
    case outcome(OutcomeFrame)
    case watermark(WatermarkFrame)
    case epochList(EpochListFrame)
    case epochHeld(EpochHeldFrame)
    case valueAcknowledgement(ValueAcknowledgementFrame)
    case valueOutcome(ValueOutcomeFrame)
    case mended(MendedFrame)
    case heldDigest(HeldDigestFrame)
    case held(HeldFrame)
    case heldValue(HeldValueFrame)
    case removalWatermark(RemovalWatermarkFrame)
    case heldRanges(HeldRangesFrame)
    case arrival(ArrivalFrame)
    case repair(RepairFrame)
    /// A type that is not known and may be skipped.
    case skipped

    /// Reads the next frame of a packet, with its type. The packet's author is at fault for every
    /// error.
    package static func read(
        _ reader: inout WireReader
    ) throws(WireError) -> (type: FrameType?, frame: Frame) {
        let start = reader.offset
        let code = try reader.byte("frame type")
        let type = FrameType(code: code)
        guard code >= FrameType.firstSkippable else {
            guard let type else {
                throw WireError(
                    .unknownCode, at: start, expected: "frame type", found: UInt64(code))
            }
            return (type, try read(type, code, &reader))
        }
        let length = try reader.count("frame length", atMost: Limits.standard.streamPacketBytes)
        guard let type else {
            _ = try reader.bytes(length, "frame")
            return (nil, .skipped)
        }
        // F-3.
        let packet = reader.narrow(to: length)
        let frame = try read(type, code, &reader)
        guard reader.isAtEnd else {
            throw WireError(
                .notCanonical, at: reader.offset, expected: "end of the frame",
                found: UInt64(reader.remaining))
        }
        reader.widen(to: packet)
        return (type, frame)
    }

    private static func read(
        _ type: FrameType, _ code: UInt8, _ reader: inout WireReader
    ) throws(WireError) -> Frame {
        switch type {
        case .padding: .padding
        case .ping: .ping(try .read(&reader))
        case .pong: .ping(try reader.read(PingFrame(isPong: true)))
        case .close: .close(try .read(&reader))
        case .ack: .ack(try .read(&reader))
        case .earlyData: .earlyData(try .read(&reader))
        case .keyUpdate: .keyUpdate
        case .position: .position(try .read(&reader))
        case .epochs: .epochs(try .read(&reader))
        case .ticketAnswer: .ticketAnswer(try .read(&reader))
        case .record: .record(try .read(&reader))
        case .value: .value(try .read(&reader))
        case .values: .values(try .read(&reader))
        case .fragment: .fragment(try .read(&reader))
        case .furtherFragment: .fragment(try .readFurther(code, &reader))
        case .credit: .credit(try .read(&reader))
        case .tryLater: .tryLater(try .read(&reader))
        case .needBase: .needBase(try .read(&reader))
        case .cancel: .cancel(try .read(&reader))
        case .received: .received(try .read(&reader))
        case .heldQuery: .heldQuery(try .read(&reader))
        case .valueQuery: .valueQuery(try .read(&reader))
        case .nothingLost: .nothingLost(try .read(&reader))
        case .acknowledgement: .acknowledgement(try .read(&reader))
        case .outcome: .outcome(try .read(&reader))
        case .watermark: .watermark(try .read(&reader))
        case .epochOver, .epochClosed, .epochsKnown:
            .epochList(try reader.read(EpochListFrame(type: type)))
        case .epochHeld: .epochHeld(try .read(&reader))
        case .valueAcknowledgement: .valueAcknowledgement(try .read(&reader))
        case .valueOutcome: .valueOutcome(try .read(&reader))
        case .mended: .mended(try .read(&reader))
        case .heldDigest: .heldDigest(try .read(&reader))
        case .held: .held(try .read(&reader))
        case .heldValue: .heldValue(try .read(&reader))
        case .removalWatermark: .removalWatermark(try .read(&reader))
        case .heldRanges: .heldRanges(try .read(&reader))
        case .arrival: .arrival(try .read(&reader))
        case .repair: .repair(try .read(&reader))
        }
    }

    /// Appends the frame; nothing for one that was skipped.
    package func write(to writer: inout WireWriter) {
        switch self {
        case .padding: writer.byte(FrameType.padding.rawValue)
        case .ping(let frame): frame.write(to: &writer)
        case .close(let frame): frame.write(to: &writer)
        case .ack(let frame): frame.write(to: &writer)
        case .earlyData(let frame): frame.write(to: &writer)
        case .keyUpdate: writer.byte(FrameType.keyUpdate.rawValue)
        case .position(let frame): frame.write(to: &writer)
        case .epochs(let frame): frame.write(to: &writer)
        case .ticketAnswer(let frame): frame.write(to: &writer)
        case .record(let frame): frame.write(to: &writer)
        case .value(let frame): frame.write(to: &writer)
        case .values(let frame): frame.write(to: &writer)
        case .fragment(let frame): frame.write(to: &writer)
        case .credit(let frame): frame.write(to: &writer)
        case .tryLater(let frame): frame.write(to: &writer)
        case .needBase(let frame): frame.write(to: &writer)
        case .cancel(let frame): frame.write(to: &writer)
        case .received(let frame): frame.write(to: &writer)
        case .heldQuery(let frame): frame.write(to: &writer)
        case .valueQuery(let frame): frame.write(to: &writer)
        case .nothingLost(let frame): frame.write(to: &writer)
        case .acknowledgement(let frame): frame.write(to: &writer)
        case .outcome(let frame): frame.write(to: &writer)
        case .watermark(let frame): frame.write(to: &writer)
        case .epochList(let frame): frame.write(to: &writer)
        case .epochHeld(let frame): frame.write(to: &writer)
        case .valueAcknowledgement(let frame): frame.write(to: &writer)
        case .valueOutcome(let frame): frame.write(to: &writer)
        case .mended(let frame): frame.write(to: &writer)
        case .heldDigest(let frame): frame.write(to: &writer)
        case .held(let frame): frame.write(to: &writer)
        case .heldValue(let frame): frame.write(to: &writer)
        case .removalWatermark(let frame): frame.write(to: &writer)
        case .heldRanges(let frame): frame.write(to: &writer)
        case .arrival(let frame): frame.write(to: &writer)
        case .repair(let frame): frame.write(to: &writer)
        case .skipped: break
        }
    }
}
