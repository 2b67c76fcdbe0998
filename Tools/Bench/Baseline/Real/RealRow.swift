package import Simulation
package import WatchProtoCore

/// The results of one cell in real time on one link.
package struct RealRow: Sendable {
    /// The measured value.
    package var cell: RealCell
    /// On which link.
    package var settings: BaselineSettings
    /// Nanoseconds each exchange took; ``BaselineSamples/never`` for one that was not over.
    package private(set) var times: [UInt64] = []
    /// The theoretical limit of each: propagation, and serialization of the first packet of an
    /// update. Empty where the packets that carried something first cannot be told from others.
    package private(set) var limits: [UInt64] = []
    /// The line's time for all that was sent for each: propagation, and serialization of every
    /// byte. It is no limit: a protocol that sends more than it must has a longer one.
    package private(set) var lineTimes: [UInt64] = []
    /// How long each waited for a journal's commit behind what it is compared with.
    package private(set) var commits: [UInt64] = []
    /// The same cell in virtual time; nil where there is none.
    package var simulated: BaselineSamples?
    /// How much later than planned the conditioner handed packets over, in nanoseconds.
    package var lateness: UInt64 = 0

    /// Makes a row without exchanges.
    package init(_ cell: RealCell, _ settings: BaselineSettings) {
        self.cell = cell
        self.settings = settings
    }

    /// Adds an exchange.
    ///
    /// - Parameters:
    ///   - time: nanoseconds it took; nil when it was not over.
    ///   - bytes: all that was sent for it.
    ///   - first: bytes of the packet that can have been enough; nil where no one packet can.
    ///   - commit: nanoseconds of `time` in which all was there and a journal wrote.
    package mutating func add(_ time: UInt64?, bytes: Int, first: Int? = nil, commit: UInt64 = 0) {
        times.append(time ?? BaselineSamples.never)
        lineTimes.append(Ideal.limit(bytes: bytes, settings.conditions).sample)
        if let first { limits.append(Ideal.limit(bytes: first, settings.conditions).sample) }
        commits.append(commit)
    }

    /// The theoretical limit at the median: of what was sent here, or else of what the simulation
    /// of the same cell sent first.
    package var limit: UInt64? {
        Self.median(limits) ?? simulated.flatMap { Self.median($0.limit) }
    }

    /// The fewest exchanges that a figure should rest on.
    package static let enough = 30

    /// Whether a figure rests on fewer exchanges than it should.
    package var isFew: Bool { times.count < Self.enough }

    /// Exchanges that were not over in time.
    package var unfinished: Int { times.count { $0 == BaselineSamples.never } }

    /// The middle one of `samples`, the lower of two, however few there are; nil without any.
    package static func median(_ samples: [UInt64]) -> UInt64? {
        samples.isEmpty ? nil : samples.sorted()[(samples.count - 1) / 2]
    }
}

extension Ideal {
    /// Bytes of `packets` that can have mattered to what began at `start` and was there at `end`:
    /// bytes that came to the line later than one delay before are no part of it.
    package static func bytes(
        of packets: [(at: Instant, bytes: Int)], from start: Instant, until end: Instant,
        _ options: LinkOptions
    ) -> Int {
        packets.reduce(0) { sum, packet in
            let matters = packet.at >= start && packet.at.advanced(by: options.delay) <= end
            return sum + (matters ? packet.bytes : 0)
        }
    }
}
