@testable import WatchProtoCore

/// The contents of the packets of these tests.
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
