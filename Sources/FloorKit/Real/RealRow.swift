public import SimKit
public import WatchProto

/// What one cell came to in real time on one link.
public struct RealRow: Sendable {
    /// What was measured.
    public var cell: RealCell
    /// On which link.
    public var settings: FloorSettings
    /// Nanoseconds each exchange took; ``FloorSamples/never`` for one that was not over.
    public private(set) var times: [UInt64] = []
    /// The theoretical limit of each: propagation, and serialization of what was sent for it.
    public private(set) var limits: [UInt64] = []
    /// The same cell in virtual time; nil where there is none.
    public var simulated: FloorSamples?

    /// How far a real median may be from the simulated one: a share of it, and what two processes,
    /// their sockets and their journals take.
    public static let tolerance = (share: 0.1, time: Duration.milliseconds(10))

    /// Makes a row without exchanges.
    public init(_ cell: RealCell, _ settings: FloorSettings) {
        self.cell = cell
        self.settings = settings
    }

    /// Adds an exchange.
    ///
    /// - Parameters:
    ///   - time: nanoseconds it took; nil when it was not over.
    ///   - bytes: what was sent for it.
    public mutating func add(_ time: UInt64?, bytes: Int) {
        times.append(time ?? FloorSamples.never)
        limits.append(Ideal.limit(bytes: bytes, settings.weather).sample)
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

    /// Whether the median agrees with the simulated one; nil where there is none.
    public var agrees: Bool? {
        guard let simulated, let there = Self.median(simulated.ours) else { return nil }
        guard let here = Self.median(times), here != FloorSamples.never else { return false }
        let slack =
            Double(there) * Self.tolerance.share + Double(Self.tolerance.time.nanosecondsClamped)
        return abs(Double(here) - Double(there)) <= slack
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
