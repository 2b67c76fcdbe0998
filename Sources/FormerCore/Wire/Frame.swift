/// One frame of a packet.
public enum Frame: Hashable, Sendable {
    /// A run of that many zero bytes, which say nothing.
    case padding(bytes: Int)
    /// A ping, or the pong that answers one.
    case ping(PingFrame)
    /// The sender is done with the link.
    case close(CloseFrame)
    /// Packets that arrived, on carriers that can lose.
    case ack(AckFrame)
    /// When the largest of them arrived.
    case arrival(ArrivalFrame)
    /// A combination of packets, on carriers that can lose.
    case parity(ParityFrame)
    /// What became of the counterpart's early data.
    case early(EarlyFrame)
    /// The sender's next packet has the next key.
    case nextKey
    /// A whole record, or a delta.
    case record(RecordFrame)
    /// A piece of a record too long for one packet.
    case part(PartFrame)
    /// How far records of the counterpart have come.
    case receipt(ReceiptFrame)
    /// Below which number the sender's records are all settled.
    case floor(FloorFrame)
    /// How much the counterpart may offer in a lane.
    case credit(CreditFrame)
    /// A record turned away for want of room.
    case tryLater(TryLaterFrame)
    /// A delta that cannot be applied: send the value whole.
    case needBase(NeedBaseFrame)
    /// A record that ended without being applied.
    case outcome(OutcomeFrame)
    /// A record its sender takes back.
    case withdraw(WithdrawFrame)
    /// The question what the counterpart holds in a lane.
    case heldQuery(HeldQueryFrame)
    /// The answer, or a piece of it: what its sender holds in a lane.
    case held(HeldFrame)
    /// The question which value the counterpart holds of a key.
    case valueQuery(ValueQueryFrame)
    /// The answer, or a piece of it.
    case value(ValueFrame)
    /// A type this version does not know but may skip.
    case skipped(type: UInt8, bytes: Int)

    /// The frame's type byte.
    public var type: UInt8 {
        switch self {
        case .padding: FrameType.padding.rawValue
        case .ping(let ping): ping.isPong ? FrameType.pong.rawValue : FrameType.ping.rawValue
        case .close: FrameType.close.rawValue
        case .ack: FrameType.ack.rawValue
        case .arrival: FrameType.arrival.rawValue
        case .parity: FrameType.parity.rawValue
        case .early: FrameType.early.rawValue
        case .nextKey: FrameType.nextKey.rawValue
        case .record: FrameType.record.rawValue
        case .part(let part): part.type.rawValue
        case .receipt: FrameType.receipt.rawValue
        case .floor: FrameType.floor.rawValue
        case .credit: FrameType.credit.rawValue
        case .tryLater: FrameType.tryLater.rawValue
        case .needBase: FrameType.needBase.rawValue
        case .outcome: FrameType.outcome.rawValue
        case .withdraw: FrameType.withdraw.rawValue
        case .heldQuery: FrameType.heldQuery.rawValue
        case .held: FrameType.held.rawValue
        case .valueQuery: FrameType.valueQuery.rawValue
        case .value: FrameType.value.rawValue
        case .skipped(let type, _): type
        }
    }

    /// Whether it is a piece of a large record: there are many, and nobody waits for one of them.
    var isBulk: Bool {
        if case .part(let part) = self { part.lane == .bulk } else { false }
    }

    /// What it says of an arrival, if it is such a frame.
    var arrival: ArrivalFrame? {
        if case .arrival(let arrival) = self { arrival } else { nil }
    }

    /// Reads the next frame of a packet. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> Frame {
        let start = reader.offset
        let code = try reader.byte("frame type")
        guard let type = FrameType(code: code) else {
            guard code >= FrameType.firstSkippable else {
                throw WireError(
                    .unknownCode, at: start, expected: "frame type", found: UInt64(code))
            }
            let length = try reader.count("frame length", atMost: limits.streamPacketBytes)
            _ = try reader.bytes(length, "frame")
            return .skipped(type: code, bytes: length)
        }
        switch type {
        case .padding:
            var count = 1
            while reader.peek == 0 {
                _ = try reader.byte("padding")
                count += 1
            }
            return .padding(bytes: count)
        case .ping: return .ping(try .read(&reader, isPong: false))
        case .pong: return .ping(try .read(&reader, isPong: true))
        case .close: return .close(try .read(&reader))
        case .ack: return .ack(try .read(&reader, limits: limits))
        case .arrival: return .arrival(try .read(&reader, limits: limits))
        case .parity: return .parity(try .read(&reader, limits: limits))
        case .early: return .early(try .read(&reader, limits: limits))
        case .nextKey: return .nextKey
        case .record: return .record(try .read(&reader))
        case .part: return .part(try .read(&reader))
        case .furtherPart: return .part(try .readFurther(code, &reader))
        case .receipt: return .receipt(try .read(&reader, limits: limits))
        case .floor: return .floor(try .read(&reader))
        case .credit: return .credit(try .read(&reader))
        case .tryLater: return .tryLater(try .read(&reader))
        case .needBase: return .needBase(try .read(&reader))
        case .outcome: return .outcome(try .read(&reader))
        case .withdraw: return .withdraw(try .read(&reader))
        case .heldQuery: return .heldQuery(try .read(&reader))
        case .held: return .held(try .read(&reader, limits: limits))
        case .valueQuery: return .valueQuery(try .read(&reader, limits: limits))
        case .value: return .value(try .read(&reader, limits: limits))
        }
    }

    /// Appends the frame, as a test or a tool wants it; the peer writes its frames one by one.
    public func write(to writer: inout WireWriter, limits: Limits) {
        switch self {
        case .padding(let bytes): for _ in 0..<bytes { writer.byte(0) }
        case .ping(let frame): frame.write(to: &writer)
        case .close(let frame): frame.write(to: &writer)
        case .ack(let frame): frame.write(to: &writer, limits: limits)
        case .arrival(let frame): frame.write(to: &writer)
        case .parity(let frame): frame.write(to: &writer)
        case .early(let frame): frame.write(to: &writer, limits: limits)
        case .nextKey: writer.byte(FrameType.nextKey.rawValue)
        case .record(let frame): frame.write(to: &writer)
        case .part(let frame): frame.write(to: &writer)
        case .receipt(let frame): frame.write(to: &writer, limits: limits)
        case .floor(let frame): frame.write(to: &writer)
        case .credit(let frame): frame.write(to: &writer)
        case .tryLater(let frame): frame.write(to: &writer)
        case .needBase(let frame): frame.write(to: &writer)
        case .outcome(let frame): frame.write(to: &writer)
        case .withdraw(let frame): frame.write(to: &writer)
        case .heldQuery(let frame): frame.write(to: &writer)
        case .held(let frame): frame.write(to: &writer)
        case .valueQuery(let frame): frame.write(to: &writer)
        case .value(let frame): frame.write(to: &writer)
        case .skipped(let type, let bytes):
            writer.byte(type)
            writer.varint(UInt64(bytes))
            for _ in 0..<bytes { writer.byte(0) }
        }
    }
}
