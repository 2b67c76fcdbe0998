/// Which types of frames a packet holds.
public struct FrameKinds: Hashable, Sendable {
    /// A bit for each type.
    private var bits: UInt32 = 0

    /// None.
    public init() {}

    /// Those of both.
    func union(_ other: FrameKinds) -> FrameKinds {
        var union = self
        union.bits |= other.bits
        return union
    }

    /// Adds a type.
    public mutating func insert(_ type: FrameType) { bits |= Self.bit(type) }

    /// Whether `type` is one of them.
    public func contains(_ type: FrameType) -> Bool { bits & Self.bit(type) != 0 }

    /// Their names as the wire format calls them, in the order of their codes.
    public var names: [String] {
        FrameType.allCases.filter { $0 != .furtherPart && contains($0) }.map(\.name)
    }

    /// A further part is a part, however short its head is.
    private static func bit(_ type: FrameType) -> UInt32 {
        let code = type == .furtherPart ? FrameType.part.rawValue : type.rawValue
        // 0x00 to 0x06, 0x10 to 0x1A, 0x42 and 0x43, 0x50 and 0x51: no two of them meet.
        let first: UInt8 = code < 0x10 ? 0 : code < 0x20 ? 8 : code < 0x50 ? 20 : 24
        return 1 << UInt32(first + code & 0x0F)
    }
}

extension FrameType {
    /// As the wire format calls it.
    public var name: String {
        switch self {
        case .padding: "padding"
        case .ping: "ping"
        case .pong: "pong"
        case .close: "close"
        case .ack: "ack"
        case .early: "early"
        case .nextKey: "next key"
        case .record: "record"
        case .part: "part"
        case .receipt: "receipt"
        case .floor: "floor"
        case .credit: "credit"
        case .tryLater: "try later"
        case .needBase: "need base"
        case .outcome: "outcome"
        case .withdraw: "withdraw"
        case .heldQuery: "held query"
        case .held: "held"
        case .furtherPart: "further part"
        case .arrival: "arrival"
        case .parity: "parity"
        case .valueQuery: "value query"
        case .value: "value"
        }
    }
}

extension FrameReference {
    /// The type of the frame that it stands for.
    var frameType: FrameType {
        switch self {
        case .record: .record
        case .part: .part
        case .receipt: .receipt
        case .outcome: .outcome
        case .floor: .floor
        case .credit: .credit
        case .withdraw: .withdraw
        case .needBase: .needBase
        case .tryLater: .tryLater
        case .heldQuery: .heldQuery
        case .held: .held
        case .valueQuery: .valueQuery
        case .value: .value
        case .early: .early
        case .ping: .ping
        case .pong: .pong
        case .parity: .parity
        }
    }
}
