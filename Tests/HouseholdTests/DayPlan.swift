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
    /// The conditions of an hour, and the faults of its platform, all of which must act.
    typealias Hour = (link: LinkConditions, faults: [String])

    static func hours() throws -> [Hour] {
        [
            (link: .bluetoothLowEnergy, faults: []), (link: .fourG, faults: []),
            try over(.wcsession, ["error-after-delivery": 1, "state-copies": 8]),
            (link: .edge, faults: []), (link: .threeG, faults: []),
            try over(.pebble, ["error-after-delivery": 1, "flap-seconds": 60]),
            try over(.wear, ["early-answer-seconds": 2, "flap-seconds": 60]),
            (link: lossy, faults: []), (link: plain, faults: []),
        ]
    }

    private static var plain: LinkConditions {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(15)
        return conditions
    }

    /// Packets that are messages of a platform, with some of its faults and their values.
    private static func over(
        _ profile: PlatformProfile, _ faults: [String: Int]
    ) throws -> Hour {
        var conditions = plain
        conditions.platform = try faults.reduce(profile) { try $0.with($1.key, $1.value) }
        return (link: conditions, faults: Array(faults.keys))
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
