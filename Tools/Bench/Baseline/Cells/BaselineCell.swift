package import Simulation
import WatchProtoCore

/// A cell of the report: one kind of exchange, the same on every link.
package enum BaselineCell: String, Hashable, Sendable, CaseIterable {
    /// One complication update on a warm, idle link.
    case complication
    /// The same where losses come in bursts of up to three.
    case complicationBursts = "complication-bursts"
    /// The same while a bulk transfer has the line.
    case complicationBulk = "complication-bulk"
    /// One complication update as the first thing after a reconnection.
    case complicationEarly = "complication-early"
    /// The same after the phone's process ended: it starts in the same moment.
    case complicationRestart = "complication-restart"
    /// The same, and the link is there 30 ms later.
    case complicationDialled = "complication-dialled"
    /// The second of two complication updates 30 ms apart.
    case complicationSecond = "complication-second"
    /// One complication update while a bulk transfer has a stream.
    case complicationStream = "complication-stream"
    /// 100 changed records on a warm link, until all are durable.
    case hundredWarm = "hundred-warm"
    /// The same, queued when the link comes up.
    case hundredCold = "hundred-cold"
    /// 2 MB in the bulk channel.
    case bulk
    /// The same in datagrams of 244 bytes.
    case bulkSmall = "bulk-244"
    /// The same where datagrams may have up to 64 KiB: the peer fills fewer on slow lines.
    case bulkLarge = "bulk-64k"
    /// A dose was taken: one medication changes.
    case change
    /// A list of 50 medications that the watch has nothing of.
    case list
    /// A message to the other application.
    case message
    /// 100 changed medications, queued when the link comes up.
    case incremental
    /// 20 changes on each side, queued when the link comes up.
    case offline
    /// One change on each side, queued when the link comes up.
    case transition
    /// One record as the first thing after a reconnection, until the watch is given it.
    case recordEarly = "record-early"
    /// The same, until the phone's application is told that it is committed.
    case committedEarly = "committed-early"
    /// The same, after the link was cut before that.
    case committedCut = "committed-cut"
    /// The interop runner's losses: 2 % of the packets.
    case hardLoss = "hard-loss"
    /// The interop runner's corruption: 2 % of the packets.
    case hardCorruption = "hard-corruption"
    /// 750 ms each way.
    case hardDelay = "hard-delay"
    /// Blackouts: 5 s on, 2 s off.
    case hardBlackout = "hard-blackout"

    /// Bytes of a file in the bulk channel.
    package static let bulkBytes = 2_000_000

    /// Its description.
    package var title: String {
        switch self {
        case .complication: "complication, link up"
        case .complicationBursts: "complication, bursts of 3"
        case .complicationBulk: "complication beside bulk"
        case .complicationEarly: "complication, reconnect"
        case .complicationRestart: "complication, restart"
        case .complicationDialled: "complication, restart, link later"
        case .complicationSecond: "complication, second of two"
        case .complicationStream: "complication beside bulk, stream"
        case .hundredWarm: "100 records, warm"
        case .hundredCold: "100 records, cold"
        case .bulk: "bulk, 2 MB"
        case .bulkSmall: "bulk, 244 B datagrams"
        case .bulkLarge: "bulk, datagrams up to 64 KiB"
        case .change: "sync, one change"
        case .list: "sync, list of 50"
        case .message: "message delivery"
        case .incremental: "100 items after reconnect"
        case .offline: "20 changes each way"
        case .transition: "offline to online"
        case .recordEarly: "record, reconnect"
        case .committedEarly: "committed, reconnect"
        case .committedCut: "committed, after a cut"
        case .hardLoss: "2 MB, 2 % loss"
        case .hardCorruption: "2 MB, 2 % corrupted"
        case .hardDelay: "2 MB, 750 ms one way"
        case .hardBlackout: "10 MB, blackouts 5 s/2 s"
        }
    }

    /// Whether it is one of the hard cases, which have a link of their own.
    package var isHard: Bool {
        switch self {
        case .hardLoss, .hardCorruption, .hardDelay, .hardBlackout: true
        default: false
        }
    }

    /// Whether it moves files.
    var isBulk: Bool {
        switch self {
        case .bulk, .bulkSmall, .bulkLarge: true
        default: isHard
        }
    }

    /// Whether files have the line while it is measured.
    var isBesideBulk: Bool { self == .complicationBulk || self == .complicationStream }

    /// Whether it is evaluated by what files come to on the line.
    var hasGoodput: Bool { isBulk && !isHard || self == .complicationBulk }

    /// Whether it is a row of the watch link's table of targets.
    var isTarget: Bool { target != nil }

    /// Whether the cell is run on a link: a bulk transfer needs a rate to fill.
    package func runs(on profile: LinkProfile) -> Bool {
        if isHard || profile == Self.hardProfile { return isHard && profile == Self.hardProfile }
        switch self {
        case .bulk, .complicationBulk: return profile.rateBitsPerSecond != nil
        // A line with an interval is Bluetooth Low Energy's, where all datagrams are small.
        case .bulkSmall, .bulkLarge, .complicationStream:
            return profile.rateBitsPerSecond != nil && profile.sendInterval == .zero
        default: return true
        }
    }

    /// How many trials are worth their time: of a transfer of megabytes one in 500, but 20.
    package func trials(of wanted: Int) -> Int {
        isBulk ? min(wanted, max(20, wanted / 500)) : wanted
    }

    /// Trials that share one pair of peers.
    var trialsPerPair: Int {
        switch self {
        case .bulk, .bulkSmall, .bulkLarge, .hardLoss, .hardCorruption, .hardDelay, .hardBlackout:
            1
        case .hundredWarm, .hundredCold, .list, .incremental, .offline: 50
        default: 250
        }
    }
}

// MARK: Commits

extension BaselineCell {
    /// How many commits the cell may take, where `rig lab baseline --commits` counts them.
    public var commits: Int? {
        switch self {
        case .complicationEarly, .recordEarly, .complicationDialled: 0
        // The epoch of the process is durable before anything of it leaves.
        case .complicationRestart: 1
        case .committedEarly: 1
        case .committedCut: 2
        default: nil
        }
    }

    /// Whether it is measured by ``commits`` alone.
    public var isOnlyForCommits: Bool {
        switch self {
        case .recordEarly, .complicationDialled, .committedEarly, .committedCut: true
        default: false
        }
    }
}

// MARK: The link

extension BaselineCell {
    /// The link of the hard cases, as the QUIC interop runner has it: 15 ms each way, 10 Mbit/s.
    package static let hardProfile = LinkProfile(
        name: "interop", latency: .milliseconds(30), rateBitsPerSecond: 10_000_000)

    /// The network conditions of each direction under this cell.
    func conditions(_ settings: BaselineSettings) -> LinkOptions {
        var conditions = settings.conditions
        guard isHard else {
            if self == .complicationBursts { conditions.lossBurstPackets = 3 }
            if self == .complicationStream {
                conditions = settings.profile.options(.stream(.whole), reading: settings.reading)
                // The send buffer of a socket.
                conditions.queueBytes = 212_992
            }
            return conditions
        }
        conditions.queuePackets = 25
        switch self {
        case .hardLoss: conditions.loss = 0.02
        case .hardCorruption: conditions.corruption = 0.02
        case .hardDelay: conditions.delay = .milliseconds(750)
        case .hardBlackout:
            conditions.outages = LinkOutage.cycle(
                on: .seconds(5), off: .seconds(2), from: Instant(nanoseconds: 5_000_000_000),
                count: 100)
        default: break
        }
        return conditions
    }

    /// Bytes of the largest datagram under this cell.
    func datagramBytes(_ settings: BaselineSettings) -> Int {
        switch self {
        case .bulkSmall: 244
        case .bulkLarge: 65_536
        default: settings.datagramBytes
        }
    }
}

// MARK: Targets

extension BaselineCell {
    /// Target and hard limit of the 95th percentile, in milliseconds, where the watch link's table
    /// has the cell.
    package var target: (goal: Double, limit: Double?)? {
        switch self {
        case .change: (1000, 3000)
        case .list: (500, 2000)
        case .message: (200, 1000)
        case .complication: (100, 500)
        case .complicationEarly, .complicationRestart: (500, nil)
        case .complicationSecond: (100, 500)
        case .complicationStream: (1000, nil)
        case .incremental: (2000, nil)
        case .offline: (5000, nil)
        case .transition: (500, 1000)
        default: nil
        }
    }
}
