import Bench
import CommandLine
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// The load that measures durable records beside the lower bound under them, and the bounds on
/// their cost.
enum DurableLoad {
    static let recordBytes = 200
    /// From one intended send to the next.
    static let intervalNanoseconds: UInt64 = 2_000_000
    /// Unmeasured records at the begin of a turn.
    static let warmUpRounds = 5
    /// Pages of room that the journals keep behind their logs.
    static let logPagesAhead = 256
    /// A durable record may take this many times what the bare loop takes, at the median.
    static let latencyLimit = 1.2
    /// A flood must reach this share of the bare loop's.
    static let throughputLimit = 0.2

    /// The bare loop's part, with files in a directory.
    static func baseline(rounds: Int, in directory: String) -> DurableBaseline.Options {
        var options = DurableBaseline.Options(directory: directory)
        options.recordBytes = recordBytes
        options.rounds = rounds
        options.warmUpRounds = warmUpRounds
        options.intervalNanoseconds = intervalNanoseconds
        return options
    }
}

extension DurablePath.Setting {
    /// Two that have just paired, over a sealed link.
    ///
    /// - Throws: `PairingFailure`, which would be a fault of the library.
    static func paired(in directory: String, logPagesAhead: Int) throws(PairingFailure) -> Self {
        let pair = try SimulatedPair(seed: .random(in: .min ... .max))
        return Self(
            directory: directory, recordBytes: DurableLoad.recordBytes,
            logPagesAhead: logPagesAhead, pairing: pair.phone.pairing, ticket: pair.phone.ticket,
            phone: pair.security(of: .phone, life: 1), watch: pair.security(of: .watch, life: 1))
    }

    /// Two that speak in clear.
    static func unsealed(in directory: String, logPagesAhead: Int) -> Self {
        let pairing = PairingID(rawValue: 1)
        return Self(
            directory: directory, recordBytes: DurableLoad.recordBytes,
            logPagesAhead: logPagesAhead, pairing: pairing, ticket: Ticket(rawValue: 1),
            phone: NullSecurity(PeerLabel(role: .phone, pairing: pairing), seed: 1),
            watch: NullSecurity(PeerLabel(role: .watch, pairing: pairing), seed: 2))
    }
}
