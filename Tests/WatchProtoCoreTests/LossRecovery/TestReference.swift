@testable import WatchProtoCore

/// What the packets of these tests carry.
enum TestReference: PacketReference {
    /// Something that no block protects.
    case plain(UInt64)
    /// Something that a block protects.
    case protected
    /// The same, for which somebody waits.
    case urgent
    case repair

    var isWorthRepair: Bool { self == .protected || self == .urgent }
    var isUrgent: Bool { self == .urgent }
}
