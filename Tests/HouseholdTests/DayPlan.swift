import WatchProto
import WatchProtoTesting

/// A source of the same numbers for the same seed (SplitMix64).
struct DayDraws: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether one of `count` comes true.
    mutating func oneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

/// The conditions of the links, an hour each.
enum DayConditions {
    static func hours() throws -> [LinkConditions] {
        [
            .bluetoothLowEnergy, .fourG,
            try over(.wcsession, ["error-after-delivery", "state-copies"]),
            .edge, .threeG,
            try over(.pebble, ["error-after-delivery", "queue-cleared"]),
            lossy, plain,
        ]
    }

    private static var plain: LinkConditions {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(15)
        return conditions
    }

    /// Packets that are messages of a platform, with some of its faults.
    private static func over(
        _ profile: PlatformProfile, _ faults: [String]
    ) throws -> LinkConditions {
        var conditions = plain
        conditions.platform = try faults.reduce(profile) { try $0.with($1) }
        return conditions
    }

    /// Packets that are lost, repeated and late.
    private static var lossy: LinkConditions {
        var conditions = LinkConditions()
        conditions.carriesPackets = true
        conditions.delay = .milliseconds(80)
        conditions.jitter = .milliseconds(60)
        conditions.lossRate = 0.1
        conditions.repetitionRate = 0.05
        conditions.reorderingRate = 0.05
        return conditions
    }
}
