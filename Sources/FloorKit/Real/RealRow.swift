public import NetworkModel
public import WatchProto

/// What one cell came to in real time on one link.
public struct RealRow: Sendable {
    /// What was measured.
    public var cell: RealCell
    /// On which link.
    public var settings: FloorSettings
    /// Nanoseconds each exchange took; ``FloorSamples/never`` for one that was not over.
    public private(set) var times: [UInt64] = []
    /// The theoretical limit of each: propagation, and serialization of the first packet of an
    /// update. Empty where the packets that carried something first cannot be told from others.
    public private(set) var limits: [UInt64] = []
    /// The line's time for all that was sent for each, whatever for: propagation, and serialization
    /// of every byte. No limit: what sends more than it must has more of it.
    public private(set) var lineTimes: [UInt64] = []
    /// How long each waited for a journal's commit behind what it is compared with.
    public private(set) var commits: [UInt64] = []
    /// The same cell in virtual time; nil where there is none.
    public var simulated: FloorSamples?
    /// How much later than planned the conditioner handed packets over, in nanoseconds.
    public var lateness: UInt64 = 0

    /// Makes a row without exchanges.
    public init(_ cell: RealCell, _ settings: FloorSettings) {
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
    public mutating func add(_ time: UInt64?, bytes: Int, first: Int? = nil, commit: UInt64 = 0) {
        times.append(time ?? FloorSamples.never)
        lineTimes.append(Ideal.limit(bytes: bytes, settings.weather).sample)
        if let first { limits.append(Ideal.limit(bytes: first, settings.weather).sample) }
        commits.append(commit)
    }

    /// The theoretical limit at the median: of what was sent here, or else of what the simulation
    /// of the same cell sent first.
    public var limit: UInt64? {
        Self.median(limits) ?? simulated.flatMap { Self.median($0.limit) }
    }

    /// The fewest exchanges that a figure should rest on.
    public static let enough = 30

    /// Whether a figure rests on fewer exchanges than it should.
    public var isFew: Bool { times.count < Self.enough }

    /// Exchanges that were not over in time.
    public var unfinished: Int { times.count { $0 == FloorSamples.never } }

    /// The middle one of `samples`, the lower of two, however few there are; nil without any.
    public static func median(_ samples: [UInt64]) -> UInt64? {
        samples.isEmpty ? nil : samples.sorted()[(samples.count - 1) / 2]
    }
}

extension Ideal {
    /// Bytes of `packets` that can have mattered to what began at `start` and was there at `end`:
    /// what came to the line later than one delay before is no part of it.
    public static func bytes(
        of packets: [(at: Instant, bytes: Int)], from start: Instant, until end: Instant,
        _ options: LinkOptions
    ) -> Int {
        packets.reduce(0) { sum, packet in
            let matters = packet.at >= start && packet.at.advanced(by: options.delay) <= end
            return sum + (matters ? packet.bytes : 0)
        }
    }
}
