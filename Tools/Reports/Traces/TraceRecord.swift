package import ControlProtocol

/// A sender's knowledge of one record: its identity and its outcome. Moments are nanoseconds of
/// CLOCK_MONOTONIC.
package struct TraceRecord: Hashable, Sendable {
    /// Origin epoch, channel and number; nil for an update that was replaced before it became a
    /// record.
    package var identity: RecordIdentity?
    /// Its channel, by name.
    package var channel: String
    /// `medication`, `complication`, `message`, `dose`; nil where only the receiver can tell.
    package var kind: String?
    /// Which medication or slot it is about, where a newer value replaces an older one.
    package var key: String?
    /// When it was meant to be sent; a sender that falls behind does not move this.
    package var intended: UInt64
    /// When the sender's session took it: later than intended where the sender fell behind.
    package var accepted: UInt64
    /// When it was first given to the carrier; nil where that never happened.
    package var sent: UInt64?
    /// When the sender heard that the other device's application has it; nil where it never did.
    package var applied: UInt64?
    /// `applied`, `superseded`, `equal`, `rejected`, `cancelled`, `expired`; nil while it is under
    /// way.
    package var settled: String?
    /// When the counterpart's answer came; nil for what is not answered.
    package var replied: UInt64?
    /// When the sender's journal held it; nil without a journal.
    package var durable: UInt64?
    /// When the ledger of this side held a dose, for which a tap waits; nil for other kinds.
    package var recorded: UInt64?
    /// Whether it was sent only to warm up, unmeasured.
    package var isWarmUp: Bool

    /// Reads an element of the `records` of `trace.dump`; nil when it is none.
    package init?(_ json: JSONValue) {
        guard let channel = json["channel"]?.string,
            let intended = json["intended_ns"]?.unsigned ?? json["accepted_ns"]?.unsigned
        else { return nil }
        identity = RecordIdentity(json)
        self.channel = channel
        self.intended = intended
        accepted = json["accepted_ns"]?.unsigned ?? intended
        sent = json["sent_ns"]?.unsigned
        applied = json["applied_ns"]?.unsigned
        kind = json["kind"]?.string
        key = json["key"]?.string
        settled = json["settled"]?.string
        replied = json["replied_ns"]?.unsigned
        durable = json["durable_ns"]?.unsigned
        recorded = json["recorded_ns"]?.unsigned
        isWarmUp = json["warmup"]?.bool ?? false
    }

    /// For messages: `medication, context 233`, or `complication 7` where channel and kind agree.
    package var name: String {
        let place = identity.map { "\($0)" } ?? channel
        guard let kind, kind != channel else { return place }
        return "\(kind), \(place)"
    }
}

/// A receiver's knowledge of one delivery. Moments are nanoseconds of CLOCK_MONOTONIC.
package struct TraceDelivery: Hashable, Sendable {
    /// Which record it was.
    package var identity: RecordIdentity
    /// `medication`, `complication`, `message`, `dose`.
    package var kind: String?
    /// Which medication or slot it is about; nil where that is of no matter.
    package var key: String?
    /// When the packet that made it whole had come.
    package var delivered: UInt64
    /// When its effect could be seen: in the store, or on the face.
    package var visible: UInt64
    /// When the receiver's journal held it; nil without a journal.
    package var durable: UInt64?

    /// Reads an element of the `deliveries` of `trace.dump`; nil when it is none.
    package init?(_ json: JSONValue) {
        guard let identity = RecordIdentity(json),
            let visible = json["visible_ns"]?.unsigned ?? json["delivered_ns"]?.unsigned
        else { return nil }
        self.identity = identity
        self.visible = visible
        delivered = json["delivered_ns"]?.unsigned ?? visible
        durable = json["durable_ns"]?.unsigned
        kind = json["kind"]?.string
        key = json["key"]?.string
    }
}

/// The identity of a record: (origin epoch, channel, number).
package struct RecordIdentity: Hashable, Sendable, CustomStringConvertible {
    /// The origin epoch in 16 hexadecimal digits.
    package var epoch: String
    /// The channel, by name.
    package var channel: String
    /// The number within epoch and channel.
    package var number: UInt64

    /// Makes the identity.
    package init(epoch: String, channel: String, number: UInt64) {
        self.epoch = epoch
        self.channel = channel
        self.number = number
    }

    init?(_ json: JSONValue) {
        guard let epoch = json["epoch"]?.string, let channel = json["channel"]?.string,
            let number = json["number"]?.unsigned
        else { return nil }
        self.init(epoch: epoch, channel: channel, number: number)
    }

    /// `background 4410`.
    package var description: String { "\(channel) \(number)" }
}
