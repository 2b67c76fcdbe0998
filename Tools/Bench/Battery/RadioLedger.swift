package import WatchProtoCore

/// The radio traffic of a watch, with the energy that it takes by the model, for each class of
/// messages. Packets are added in the order of their times.
package struct RadioLedger: Sendable {
    /// Why a packet was sent.
    package enum Cause: UInt8, Sendable {
        /// It brings a record for the first time.
        case record
        /// It brings a record again.
        case repetition
        /// It brings no record: it answers, or keeps the session.
        case answer
        /// It opens a session.
        case opening

        /// As a note names it.
        package var name: String { "\(self)" }
    }

    /// A class of packets.
    package struct Class: Hashable, Sendable {
        /// The channel of the first record; nil for none.
        package var channel: Channel?
        /// Why the packet was sent.
        package var cause: Cause
    }

    /// The share of one class.
    package struct Share: Hashable, Sendable {
        /// Packets in both directions.
        package var packets: UInt64 = 0
        /// Their bytes.
        package var bytes: UInt64 = 0
        /// The wake-ups that a packet of the class began.
        package var wakeUps: UInt64 = 0
        /// The time from the first to the last event of those wake-ups.
        package var wakeTime = Duration.zero
        /// The energy of its packets, of the events that they began, and of its wake-ups.
        package var millijoules = 0.0
    }

    /// The model.
    package let model: RadioModel
    /// The shares by class.
    package private(set) var shares: [Class: Share] = [:]
    /// The time from the first to the last event of each wake-up.
    package var wakeTime: Duration { total.wakeTime }
    /// The longest of these times.
    package private(set) var longestWake = Duration.zero
    private var last: Instant?
    private var wakeBegin: Instant?
    private var wakeKind: Class?
    private var event: UInt64?

    /// An empty ledger.
    package init(_ model: RadioModel = RadioModel()) { self.model = model }

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - channel: the channel of its first record; nil for none.
    ///   - cause: why it was sent; without it, a record, or an answer if there is no record.
    ///   - bytes: its bytes on the carrier.
    ///   - isSent: whether the watch sent it.
    ///   - now: the time of its departure.
    package mutating func add(
        _ channel: Channel?, _ cause: Cause? = nil, bytes: Int, isSent: Bool, at now: Instant
    ) {
        let kind = Class(
            channel: channel, cause: cause ?? (channel == nil ? .answer : .record))
        var share = shares[kind] ?? Share()
        share.packets += 1
        share.bytes += UInt64(bytes)
        share.millijoules += model.millijoules(bytes: bytes, isSent: isSent)
        let number = now.nanoseconds / UInt64(model.interval.nanosecondsClamped)
        if event != number { share.millijoules += model.eventMillijoules }
        event = number
        if let last, let wakeBegin, last.duration(to: now) < model.silence {
            // The class that began the wake-up bears its time.
            let time = last.duration(to: now)
            if let wakeKind, wakeKind != kind {
                shares[wakeKind]?.wakeTime += time
            } else {
                share.wakeTime += time
            }
            longestWake = max(longestWake, wakeBegin.duration(to: now) + model.interval)
        } else {
            wakeBegin = now
            wakeKind = kind
            longestWake = max(longestWake, model.interval)
            share.wakeUps += 1
            share.millijoules += model.wakeMillijoules
            share.wakeTime += model.interval
        }
        last = now
        shares[kind] = share
    }

    /// The shares in the order of the channels and causes, those without a record last.
    package var classes: [(kind: Class, share: Share)] {
        func place(_ kind: Class) -> (UInt8, UInt8) {
            (kind.channel?.rawValue ?? .max, kind.cause.rawValue)
        }
        return shares.sorted { place($0.key) < place($1.key) }.map { ($0.key, $0.value) }
    }

    /// All shares together: the sum is the same in each process.
    package var total: Share { sum { _ in true } }

    /// The shares of some classes together, in the order of the classes.
    package func sum(of isCounted: (Class) -> Bool) -> Share {
        classes.filter { isCounted($0.kind) }.map(\.share).reduce(into: Share()) { sum, share in
            sum.packets += share.packets
            sum.bytes += share.bytes
            sum.wakeUps += share.wakeUps
            sum.wakeTime += share.wakeTime
            sum.millijoules += share.millijoules
        }
    }

    /// Adds what sets up a connection, beside its packets.
    package mutating func addSetUp() {
        shares[Class(channel: nil, cause: .opening), default: Share()].millijoules +=
            model.setUpMillijoules
    }

    /// The millijoules of advertising for this long, while there is no connection.
    package func advertising(for time: Duration) -> Double {
        let events =
            Double(time.nanosecondsClamped) / Double(model.advertisingInterval.nanosecondsClamped)
        return events * model.advertisingMillijoules
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
