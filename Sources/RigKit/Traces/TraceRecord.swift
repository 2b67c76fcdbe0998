public import ControlKit

/// What a sender knows of one record: who it is and when it reached which stage, in nanoseconds of
/// CLOCK_MONOTONIC. A stage that it did not reach has no time.
public struct TraceRecord: Hashable, Sendable {
    /// Origin epoch, lane and number: the record's identity for life.
    public var identity: RecordIdentity
    /// `medication`, `complication`, `message`, `dose`.
    public var kind: String
    /// Which medication, slot or timeline it is about; newer records of one key replace older ones.
    public var key: String?
    public var revision: UInt64?
    /// When it was meant to be sent; a sender that falls behind does not move this.
    public var intended: UInt64
    public var sent: UInt64?
    /// `applied`, `superseded`, `rejected`, `cancelled`, `expired`; nil while it is under way.
    public var settled: String?

    /// Reads an element of the `records` of `trace.dump`; nil when it is none.
    public init?(_ json: JSONValue) {
        guard let identity = RecordIdentity(json), let kind = json["kind"]?.string,
            let intended = json["intended_ns"]?.unsigned ?? json["accepted_ns"]?.unsigned
        else { return nil }
        self.identity = identity
        self.kind = kind
        self.intended = intended
        key = json["key"].flatMap(RecordIdentity.text)
        revision = json["revision"]?.unsigned
        sent = json["sent_ns"]?.unsigned
        settled = json["settled"]?.string
    }
}

/// What a receiver knows of one delivery.
public struct TraceDelivery: Hashable, Sendable {
    public var identity: RecordIdentity
    public var kind: String
    public var key: String?
    public var revision: UInt64?
    /// When the application was handed it, in nanoseconds of CLOCK_MONOTONIC.
    public var delivered: UInt64
    /// When its effect could be seen: in the store, or on the face.
    public var visible: UInt64

    /// Reads an element of the `deliveries` of `trace.dump`; nil when it is none.
    public init?(_ json: JSONValue) {
        guard let identity = RecordIdentity(json), let kind = json["kind"]?.string,
            let delivered = json["delivered_ns"]?.unsigned
        else { return nil }
        self.identity = identity
        self.kind = kind
        self.delivered = delivered
        key = json["key"].flatMap(RecordIdentity.text)
        revision = json["revision"]?.unsigned
        visible = json["visible_ns"]?.unsigned ?? delivered
    }
}

/// The identity of a record: (origin epoch, lane, number).
public struct RecordIdentity: Hashable, Sendable, CustomStringConvertible {
    public var epoch: String
    public var lane: String
    public var number: UInt64

    /// Makes the identity.
    public init(epoch: String, lane: String, number: UInt64) {
        self.epoch = epoch
        self.lane = lane
        self.number = number
    }

    init?(_ json: JSONValue) {
        guard let epoch = json["epoch"].flatMap(Self.text),
            let lane = json["lane"].flatMap(Self.text), let number = json["number"]?.unsigned
        else { return nil }
        self.init(epoch: epoch, lane: lane, number: number)
    }

    static func text(_ json: JSONValue) -> String? {
        json.string ?? json.unsigned.map { String($0) }
    }

    /// `background 4410`.
    public var description: String { "\(lane) \(number)" }
}
