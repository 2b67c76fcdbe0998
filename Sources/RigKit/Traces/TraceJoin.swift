/// What became of every record of one direction, found by laying the sender's trace beside the
/// receiver's. It trusts neither: a record the sender calls applied but nobody received is lost.
public struct TraceJoin: Sendable {
    /// A record with its fate.
    public struct Entry: Sendable {
        public var record: TraceRecord
        /// How often the receiver's application got it.
        public var deliveryCount: Int
        /// When its effect, or that of a newer record with its key, was first seen; nanoseconds of
        /// CLOCK_MONOTONIC. Nil when that never happened.
        public var visible: UInt64?

        /// From the intended send time to ``visible``, in nanoseconds.
        public var latency: UInt64? {
            visible.map { $0 > record.intended ? $0 - record.intended : 0 }
        }

        /// Whether a newer record took its place before it was delivered.
        public var isSuperseded: Bool { deliveryCount == 0 && visible != nil }
    }

    /// All records, in the order of the sender's trace.
    public private(set) var entries: [Entry] = []
    /// Records that should have been delivered and were not.
    public private(set) var lost: [TraceRecord] = []
    /// Records that were delivered more than once.
    public private(set) var twice: [TraceRecord] = []
    /// Deliveries of records that the sender does not know.
    public private(set) var unknown: [TraceDelivery] = []

    /// Lays `records` beside `deliveries`.
    public init(records: [TraceRecord], deliveries: [TraceDelivery]) {
        var byIdentity: [RecordIdentity: [TraceDelivery]] = [:]
        var byKey: [Key: [TraceDelivery]] = [:]
        for delivery in deliveries {
            byIdentity[delivery.identity, default: []].append(delivery)
            if let key = Key(delivery) { byKey[key, default: []].append(delivery) }
        }
        // Newest first, with the earliest moment at which it or anything newer was seen.
        let keys = Array(byKey.keys)
        var seen: [Key: [(revision: UInt64, visible: UInt64)]] = [:]
        for key in keys {
            var earliest = UInt64.max
            seen[key] = (byKey[key] ?? []).sorted { ($0.revision ?? 0) > ($1.revision ?? 0) }
                .map { delivery in
                    earliest = min(earliest, delivery.visible)
                    return (delivery.revision ?? 0, earliest)
                }
        }
        var known = Set<RecordIdentity>()
        for record in records {
            known.insert(record.identity)
            let own = byIdentity[record.identity] ?? []
            var visible = own.map(\.visible).min()
            if let key = Key(record), let revision = record.revision {
                let newer = seen[key]?.last { $0.revision >= revision }?.visible
                visible = [visible, newer].compactMap { $0 }.min()
            }
            let entry = Entry(record: record, deliveryCount: own.count, visible: visible)
            entries.append(entry)
            if own.count > 1 { twice.append(record) }
            if own.isEmpty, !Self.mayMiss(entry) { lost.append(record) }
        }
        unknown = deliveries.filter { !known.contains($0.identity) }
    }

    /// A record may rest undelivered when it was settled otherwise: replaced by a newer one that was
    /// seen, or withdrawn.
    private static func mayMiss(_ entry: Entry) -> Bool {
        switch entry.record.settled {
        case "superseded": entry.visible != nil
        case "cancelled", "expired", "rejected": true
        default: false
        }
    }

    /// The share of records that were delivered exactly once, or rightly replaced, in per cent.
    public var exactlyOncePercent: Double? {
        guard !entries.isEmpty else { return nil }
        let wrong = Set((lost + twice).map(\.identity)).count + unknown.count
        return 100 * Double(max(0, entries.count - wrong)) / Double(entries.count)
    }

    /// The records of `kind` meant to be sent in `span`, nanoseconds of CLOCK_MONOTONIC.
    public func entries(kind: String? = nil, in span: Range<UInt64>) -> [Entry] {
        entries.filter { entry in
            (kind == nil || entry.record.kind == kind) && span.contains(entry.record.intended)
        }
    }

    private struct Key: Hashable {
        var kind: String
        var key: String

        init?(_ record: TraceRecord) {
            guard let key = record.key, record.revision != nil else { return nil }
            (self.kind, self.key) = (record.kind, key)
        }

        init?(_ delivery: TraceDelivery) {
            guard let key = delivery.key, delivery.revision != nil else { return nil }
            (self.kind, self.key) = (delivery.kind, key)
        }
    }
}
