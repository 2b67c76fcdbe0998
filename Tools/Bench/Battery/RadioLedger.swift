package import WatchProtoCore

/// The radio traffic of a watch, with the energy that it takes by the model, for each class of
/// messages. Packets are added in the order of their times.
package struct RadioLedger: Sendable {
    /// The share of one class.
    package struct Share: Hashable, Sendable {
        /// Packets in both directions.
        package var packets: UInt64 = 0
        /// Their bytes.
        package var bytes: UInt64 = 0
        /// The wake-ups that a packet of the class began.
        package var wakeUps: UInt64 = 0
        /// The energy of its packets, of the events that they began, and of its wake-ups.
        package var millijoules = 0.0
    }

    /// The model.
    package let model: RadioModel
    /// The shares by channel; those of packets without a record are under nil.
    package private(set) var shares: [Channel?: Share] = [:]
    /// The time from the first to the last event of each wake-up.
    package private(set) var wakeTime = Duration.zero
    private var last: Instant?
    private var event: UInt64?

    /// An empty ledger.
    package init(_ model: RadioModel = RadioModel()) { self.model = model }

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - channel: the class: the channel of its first record; nil for none.
    ///   - bytes: its bytes on the carrier.
    ///   - isSent: whether the watch sent it.
    ///   - now: the time of its departure.
    package mutating func add(_ channel: Channel?, bytes: Int, isSent: Bool, at now: Instant) {
        var share = shares[channel] ?? Share()
        share.packets += 1
        share.bytes += UInt64(bytes)
        share.millijoules += model.millijoules(bytes: bytes, isSent: isSent)
        let number = now.nanoseconds / UInt64(model.interval.nanosecondsClamped)
        if event != number { share.millijoules += model.eventMillijoules }
        event = number
        if let last, last.duration(to: now) < model.silence {
            wakeTime += last.duration(to: now)
        } else {
            share.wakeUps += 1
            share.millijoules += model.wakeMillijoules
            wakeTime += model.interval
        }
        last = now
        shares[channel] = share
    }

    /// The shares in the order of the channels, those without a record last.
    package var classes: [(channel: Channel?, share: Share)] {
        shares.sorted { $0.key?.rawValue ?? .max < $1.key?.rawValue ?? .max }
            .map { ($0.key, $0.value) }
    }

    /// All shares together, in the order of the channels: the sum is the same in each process.
    package var total: Share {
        classes.map(\.share).reduce(into: Share()) { sum, share in
            sum.packets += share.packets
            sum.bytes += share.bytes
            sum.wakeUps += share.wakeUps
            sum.millijoules += share.millijoules
        }
    }

    /// The millijoules that an idle connection takes for this long, whatever is sent.
    package func maintenance(for time: Duration) -> Double {
        let events =
            Double(time.nanosecondsClamped) / Double(model.idleInterval.nanosecondsClamped)
        return events * model.idleMillijoules
    }

    /// The share of the battery, in per cent, that some millijoules are.
    package func percent(of millijoules: Double) -> Double {
        millijoules / 1000 / model.batteryJoules * 100
    }
}
