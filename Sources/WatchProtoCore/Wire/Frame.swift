/// One frame of a packet.
public enum Frame: Hashable, Sendable {
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
    case epochOver(EpochOverFrame)
    case epochClosed(EpochClosedFrame)
    case epochsKnown(EpochsKnownFrame)
    case epochHeld(EpochHeldFrame)
    case valueAcknowledgement(ValueAcknowledgementFrame)
    case valueOutcome(ValueOutcomeFrame)
    case mended(MendedFrame)
    case heldDigest(HeldDigestFrame)
    case held(HeldFrame)
    case heldValue(HeldValueFrame)
    case removalFloor(RemovalFloorFrame)
    case arrival(ArrivalFrame)
    case repair(RepairFrame)
    /// A type that is not known and may be skipped.
    case skipped

    /// Reads the next frame of a packet, with its type. The packet's author is at fault for every
    /// error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> (type: FrameType?, frame: Frame) {
        let start = reader.offset
        let code = try reader.byte("frame type")
        guard let type = FrameType(code: code) else {
            guard code >= FrameType.firstSkippable else {
                throw WireError(
                    .unknownCode, at: start, expected: "frame type", found: UInt64(code))
            }
            let length = try reader.count("frame length", atMost: limits.streamPacketBytes)
            _ = try reader.bytes(length, "frame")
            return (nil, .skipped)
        }
        return (type, try read(type, code, &reader, limits))
    }

    private static func read(
        _ type: FrameType, _ code: UInt8, _ reader: inout WireReader, _ limits: Limits
    ) throws(WireError) -> Frame {
        switch type {
        case .padding: return .padding
        case .ping: return .ping(try .read(&reader, limits: limits))
        case .pong: return .ping(try .readPong(&reader))
        case .close: return .close(try .read(&reader, limits: limits))
        case .ack: return .ack(try .read(&reader, limits: limits))
        case .earlyData: return .earlyData(try .read(&reader, limits: limits))
        case .keyUpdate: return .keyUpdate
        case .position: return .position(try .read(&reader, limits: limits))
        case .epochs: return .epochs(try .read(&reader, limits: limits))
        case .ticketAnswer: return .ticketAnswer(try .read(&reader, limits: limits))
        case .record: return .record(try .read(&reader, limits: limits))
        case .value: return .value(try .read(&reader, limits: limits))
        case .fragment: return .fragment(try .read(&reader))
        case .furtherFragment: return .fragment(try .readFurther(code, &reader))
        case .credit: return .credit(try .read(&reader, limits: limits))
        case .tryLater: return .tryLater(try .read(&reader, limits: limits))
        case .needBase: return .needBase(try .read(&reader, limits: limits))
        case .cancel: return .cancel(try .read(&reader, limits: limits))
        case .received: return .received(try .read(&reader, limits: limits))
        case .heldQuery: return .heldQuery(try .read(&reader, limits: limits))
        case .valueQuery: return .valueQuery(try .read(&reader, limits: limits))
        case .nothingLost: return .nothingLost(try .read(&reader, limits: limits))
        case .acknowledgement: return .acknowledgement(try .read(&reader, limits: limits))
        case .outcome: return .outcome(try .read(&reader, limits: limits))
        case .watermark: return .watermark(try .read(&reader, limits: limits))
        case .epochOver: return .epochOver(try .read(&reader, limits: limits))
        case .epochClosed: return .epochClosed(try .read(&reader, limits: limits))
        case .epochsKnown: return .epochsKnown(try .read(&reader, limits: limits))
        case .epochHeld: return .epochHeld(try .read(&reader, limits: limits))
        case .valueAcknowledgement:
            return .valueAcknowledgement(try .read(&reader, limits: limits))
        case .valueOutcome: return .valueOutcome(try .read(&reader, limits: limits))
        case .mended: return .mended(try .read(&reader, limits: limits))
        case .heldDigest: return .heldDigest(try .read(&reader, limits: limits))
        case .held: return .held(try .read(&reader, limits: limits))
        case .heldValue: return .heldValue(try .read(&reader, limits: limits))
        case .removalFloor: return .removalFloor(try .read(&reader, limits: limits))
        case .arrival: return .arrival(try .read(&reader, limits: limits))
        case .repair: return .repair(try .read(&reader, limits: limits))
        }
    }
}
