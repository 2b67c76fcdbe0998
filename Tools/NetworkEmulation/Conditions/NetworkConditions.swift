package import Simulation
package import WatchProtoCore

/// The conditions asked of a link, in both directions: a profile or a file, and the changes to it.
package struct NetworkConditions: Hashable, Sendable {
    /// The sender of a direction.
    package enum Way: String, Hashable, Sendable, CaseIterable {
        /// From the side that connects (the phone) to the one that listens (the watch).
        case up
        /// The other way.
        case down
    }

    /// The name of the profile or file it began with; `custom` where it has none.
    package var name: String
    /// The meaning of a round trip: half of it in each direction, or all of it.
    package var reading = LinkProfile.Reading.roundTrip
    /// From the phone to the watch.
    package var up: DirectionConditions
    /// From the watch to the phone.
    package var down: DirectionConditions

    /// A link without any network conditions.
    package init() {
        name = "custom"
        up = DirectionConditions()
        down = DirectionConditions()
    }

    /// The network conditions of a profile, alike in both directions.
    package init(_ profile: LinkProfile, reading: LinkProfile.Reading = .roundTrip) {
        name = profile.name
        self.reading = reading
        up = DirectionConditions(profile)
        down = up
    }

    /// Why nothing passes in a direction, ever.
    package enum Closure: Hashable, Sendable, CaseIterable {
        /// All is lost.
        case loss
        /// The line carries nothing.
        case rate
    }

    /// The directions in which nothing passes, ever, each with the first reason for it.
    package var closedWays: [(way: Way, closure: Closure)] {
        Way.allCases.compactMap { way in self[way].closure.map { (way, $0) } }
    }

    /// One of the two directions.
    package subscript(way: Way) -> DirectionConditions {
        get { way == .up ? up : down }
        set {
            switch way {
            case .up: up = newValue
            case .down: down = newValue
            }
        }
    }
}

/// One direction of a ``NetworkConditions``.
package struct DirectionConditions: Hashable, Sendable {
    /// How long a packet is on its way.
    package enum Latency: Hashable, Sendable {
        /// There and back.
        case roundTrip(Duration)
        /// In this direction.
        case oneWay(Duration)
    }

    /// All but what depends on the carrier, on the reading and on the moment: kind, delay, recovery
    /// and outages are those of ``options(_:reading:since:around:)``.
    package var options = LinkOptions()
    /// How long a packet is on its way, without jitter.
    package var latency = Latency.oneWay(.zero)
    /// The time that a lossless carrier loses by a loss; nil for a round trip.
    package var recovery: Duration?
    /// When nothing passes.
    package var blackout: Blackout?

    /// No network conditions at all.
    package init() {}

    /// One direction of `profile`.
    package init(_ profile: LinkProfile) {
        options = profile.options(.lossyDatagram)
        options.delay = .zero
        options.recoveryTime = .zero
        latency = .roundTrip(profile.latency)
    }

    /// Why nothing passes, ever; nil where something may.
    var closure: NetworkConditions.Closure? {
        if options.loss >= 1 { return .loss }
        return options.rateBitsPerSecond == 0 ? .rate : nil
    }

    /// The delay in this direction.
    package func delay(_ reading: LinkProfile.Reading) -> Duration {
        switch latency {
        case .oneWay(let delay): delay
        case .roundTrip(let whole): reading == .roundTrip ? whole / 2 : whole
        }
    }

    /// The options of the model, on a carrier of `kind`.
    ///
    /// - Parameters:
    ///   - kind: the carrier.
    ///   - reading: what a round trip means.
    ///   - origin: when the network conditions were set, from which the rhythm of blackouts counts.
    ///   - now: the moment around which blackouts are listed.
    package func options(
        _ kind: LinkKind, reading: LinkProfile.Reading, since origin: Instant,
        around now: Instant
    ) -> LinkOptions {
        var options = options
        options.kind = kind
        options.delay = delay(reading)
        options.recoveryTime = recovery ?? options.delay * 2
        options.outages = blackout?.outages(from: origin, around: now) ?? []
        return options
    }
}

extension NetworkConditions {
    /// Whether anything can happen on it: a delay, a rate, a loss.
    package var hasEffect: Bool { up.hasEffect || down.hasEffect }
}

extension DirectionConditions {
    fileprivate var hasEffect: Bool {
        let calm = Self()
        var rest = self
        // The carrier's own settings are no network conditions, and a delay counts whichever way it
        // is given.
        rest.options.kind = calm.options.kind
        rest.recovery = calm.recovery
        rest.latency = calm.latency
        return delay(.oneWay) > .zero || rest != calm
    }
}
