package import ControlProtocol
import Simulation
import WatchProtoCore

/// The settings of a link's network conditions; the raw values are the words of `--set` and of
/// files.
package enum ConditionKey: String, CaseIterable, Hashable, Sendable {
    /// The round trip: half of it in each direction, or all of it where that was asked for.
    case rtt
    /// The delay of one direction.
    case delay
    /// Scale of the random part of the delay.
    case jitter
    /// How the random part is distributed.
    case jitterShape = "jitter-shape"
    /// Whether jitter may let a packet overtake.
    case jitterReorders = "jitter-reorders"
    /// The capacity of the line.
    case rate
    /// Share of packets lost in the long run.
    case loss
    /// The longest run of packets that one loss takes.
    case burst
    /// How long a loss holds back a lossless carrier.
    case recovery
    /// Chance that a packet comes twice.
    case duplication
    /// How much later at most.
    case duplicateDelay = "duplicate-delay"
    /// Chance that a packet is delayed and overtaken.
    case reorder
    /// How long at most.
    case reorderDelay = "reorder-delay"
    /// Chance that bits of a packet are flipped.
    case corruption
    /// Chance that a packet is cut short.
    case truncation
    /// Chance, per packet, that the line stops for a while.
    case clog
    /// For how long at most.
    case longestClog = "longest-clog"
    /// When nothing passes.
    case blackout
    /// How often an idle line may begin to send.
    case interval
    /// Chance that such an occasion passes unused.
    case stall
    /// Packets that may wait for the line.
    case queuePackets = "queue-packets"
    /// Bytes that may wait for the line.
    case queueBytes = "queue-bytes"

    /// The form of the value, for tables and help.
    package var form: String {
        switch self {
        case .rtt, .delay, .jitter, .recovery, .duplicateDelay, .reorderDelay, .longestClog,
            .interval:
            "a time: 60ms"
        case .rate: "a rate: 700kbit/s, or unlimited"
        case .loss, .duplication, .reorder, .corruption, .truncation, .clog, .stall: "a share: 2%"
        case .jitterShape: "uniform, triangular or heavy-tailed"
        case .jitterReorders: "yes or no"
        case .burst, .queuePackets: "a count: 4"
        case .blackout: "2s every 7s, 2s after 5s, or none"
        case .queueBytes: "a size: 64KiB"
        }
    }

    /// Sets it from `text`.
    ///
    /// - Throws: what is wrong with `text`; whoever wrote it is at fault.
    package func apply(
        _ text: String, to conditions: inout DirectionConditions
    ) throws(QuantityError) {
        switch self {
        case .rtt: conditions.latency = .roundTrip(try Self.time(text))
        case .delay: conditions.latency = .oneWay(try Self.time(text))
        case .jitter: conditions.options.jitter = try Self.time(text)
        case .jitterShape: conditions.options.jitterShape = try Self.shape(text)
        case .jitterReorders: conditions.options.jitterReorders = try Self.choice(text)
        case .rate:
            conditions.options.rateBitsPerSecond =
                text == "unlimited" ? nil : try BitRate(quantity: text).bitsPerSecond
        case .loss: conditions.options.loss = try Self.share(text)
        case .burst: conditions.options.lossBurstPackets = try Self.count(text, upTo: 10_000)
        case .recovery: conditions.recovery = try Self.time(text)
        case .duplication: conditions.options.duplication = try Self.share(text)
        case .duplicateDelay: conditions.options.duplicateDelay = try Self.time(text)
        case .reorder: conditions.options.reordering = try Self.share(text)
        case .reorderDelay: conditions.options.reorderDelay = try Self.time(text)
        case .corruption: conditions.options.corruption = try Self.share(text)
        case .truncation: conditions.options.truncation = try Self.share(text)
        case .clog: conditions.options.clogging = try Self.share(text)
        case .longestClog: conditions.options.longestClog = try Self.time(text)
        case .blackout: conditions.blackout = text == "none" ? nil : try Blackout(quantity: text)
        case .interval: conditions.options.sendInterval = try Self.time(text)
        case .stall: conditions.options.stalling = try Self.share(text)
        case .queuePackets: conditions.options.queuePackets = try Self.count(text, upTo: 1_000_000)
        case .queueBytes:
            let size = try ByteCount(quantity: text).bytes
            guard (1...(1 << 30)).contains(size) else {
                throw QuantityError("it must be 1B to 1GiB")
            }
            conditions.options.queueBytes = Int(size)
        }
    }

    /// Longer waits than an hour are a slip of the unit.
    private static func time(_ text: String) throws(QuantityError) -> Duration {
        let time = try Duration(quantity: text)
        guard time <= .seconds(3600) else { throw QuantityError("it must be at most 1h") }
        return time
    }

    private static func share(_ text: String) throws(QuantityError) -> Double {
        try Percentage(quantity: text).fraction
    }

    private static func count(_ text: String, upTo limit: Int) throws(QuantityError) -> Int {
        guard let count = Int(text), (1...limit).contains(count), text.allSatisfy(\.isNumber)
        else { throw QuantityError("it must be a whole number, 1 to \(limit)") }
        return count
    }

    private static func choice(_ text: String) throws(QuantityError) -> Bool {
        switch text {
        case "yes", "true": true
        case "no", "false": false
        default: throw QuantityError("it must be yes or no")
        }
    }

    private static func shape(_ text: String) throws(QuantityError) -> JitterShape {
        guard let shape = JitterShape.allCases.first(where: { $0.word == text }) else {
            let words = JitterShape.allCases.map(\.word).joined(separator: ", ")
            throw QuantityError("it must be one of \(words)")
        }
        return shape
    }

    /// The fault of `text` as a clause with the key: `loss is 120%, must be 0% to 100%`.
    static func clause(_ key: String, _ text: String, _ fault: QuantityError) -> String {
        let reason = fault.description
        let rest = reason.hasPrefix("it ") ? String(reason.dropFirst(3)) : reason
        return "\(key) is \(Excerpt.of(text)), \(rest)"
    }
}

extension JitterShape {
    /// As it is written.
    var word: String {
        switch self {
        case .uniform: "uniform"
        case .triangular: "triangular"
        case .heavyTailed: "heavy-tailed"
        }
    }
}
