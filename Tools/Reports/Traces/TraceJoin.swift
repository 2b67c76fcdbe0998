/// The fate of every record of one direction, found by laying the sender's trace beside the
/// receiver's. It trusts neither: a record the sender calls applied but nobody received is lost.
package struct TraceJoin: Sendable {
    /// A record with its fate.
    package struct Entry: Sendable {
        /// The record; facts that only the receiver could tell of it are filled in.
        package var record: TraceRecord
        /// How often the receiver's application got it.
        package var deliveryCount: Int
        /// When the packet that made it whole first had come; nanoseconds of CLOCK_MONOTONIC. Nil
        /// when that never happened.
        package var delivered: UInt64?
        /// When its own effect was first seen, whatever newer values did; nanoseconds of
        /// CLOCK_MONOTONIC. Nil when that never happened.
        package var ownVisible: UInt64?
        /// When its effect, or that of a newer value of its key, was first seen; nanoseconds of
        /// CLOCK_MONOTONIC. Nil when that never happened.
        package var visible: UInt64?
        /// When it, or a newer value of its key, was seen and both journals held it; nanoseconds
        /// of CLOCK_MONOTONIC. Nil when that never happened, or without journals.
        package var durable: UInt64?

        /// From the intended send time to ``durable``.
        package var durableNanoseconds: UInt64? {
            durable.map { $0 > record.intended ? $0 - record.intended : 0 }
        }

        /// From the intended send time to ``visible``.
        package var latencyNanoseconds: UInt64? {
            visible.map { $0 > record.intended ? $0 - record.intended : 0 }
        }

        /// From the intended send time, which is the tap, to ``TraceRecord/recorded``.
        package var recordedNanoseconds: UInt64? {
            record.recorded.map { $0 > record.intended ? $0 - record.intended : 0 }
        }

        /// From the intended send time until it was seen, or durable; where that never came, the
        /// wait until `end`, nanoseconds of CLOCK_MONOTONIC, which is shorter than the truth. To
        /// leave out what never came would make the percentiles better for every loss.
        package func response(
            isDurable: Bool, until end: UInt64
        ) -> (nanoseconds: UInt64, hasArrived: Bool) {
            if let found = isDurable ? durableNanoseconds : latencyNanoseconds {
                return (found, true)
            }
            return (end - min(end, record.intended), false)
        }

        /// Whether a newer value took its place before it was delivered.
        package var isSuperseded: Bool { deliveryCount == 0 && record.settled == "superseded" }
        /// Whether it was never sent because the receiver shows or gets the same already.
        package var isEqual: Bool { deliveryCount == 0 && record.settled == "equal" }
        /// Whether it should have been delivered and was not.
        package var isMissing: Bool { deliveryCount == 0 && !TraceJoin.mayMiss(self) }
    }

    /// All records, in the order of the sender's trace, which is the order they were accepted in.
    package private(set) var entries: [Entry] = []
    /// Records that should have been delivered and were not.
    package private(set) var lost: [TraceRecord] = []
    /// Records that were delivered more than once.
    package private(set) var twice: [TraceRecord] = []
    /// Deliveries of records that the sender does not know.
    package private(set) var unknown: [TraceDelivery] = []

    /// Lays `records` beside `deliveries`.
    ///
    /// - Parameters:
    ///   - records: what the sender traced, in its order.
    ///   - deliveries: what the receiver traced.
    ///   - quiet: when the sender had nothing under way; nanoseconds of CLOCK_MONOTONIC. A record
    ///     that was accepted then or later is left out, and so are its deliveries.
    package init(
        records: [TraceRecord], deliveries: [TraceDelivery], quietAt quiet: UInt64 = .max
    ) {
        var byIdentity: [RecordIdentity: [TraceDelivery]] = [:]
        for delivery in deliveries { byIdentity[delivery.identity, default: []].append(delivery) }
        var known = Set<RecordIdentity>()
        for var record in records {
            let own = record.identity.flatMap { byIdentity[$0] } ?? []
            if let identity = record.identity { known.insert(identity) }
            guard record.accepted < quiet else { continue }
            record.kind = record.kind ?? own.first?.kind
            record.key = record.key ?? own.first?.key
            let visible = own.map(\.visible).min()
            var durable: UInt64?
            if let visible, let here = record.durable, let there = own.compactMap(\.durable).min() {
                durable = max(visible, here, there)
            }
            entries.append(
                Entry(
                    record: record, deliveryCount: own.count,
                    delivered: own.map(\.delivered).min(), ownVisible: visible, visible: visible,
                    durable: durable))
        }
        letNewerValuesCount(\.visible)
        letNewerValuesCount(\.durable)
        for entry in entries {
            if entry.deliveryCount > 1 { twice.append(entry.record) }
            if entry.isMissing { lost.append(entry.record) }
        }
        unknown = deliveries.filter { !known.contains($0.identity) }
    }

    /// Walks from the newest record to the oldest: the effect of a value is also shown by any newer
    /// value of its key.
    private mutating func letNewerValuesCount(_ moment: WritableKeyPath<Entry, UInt64?>) {
        var earliest: [Key: UInt64] = [:]
        for index in entries.indices.reversed() {
            guard let key = Key(entries[index].record) else { continue }
            let first = [entries[index][keyPath: moment], earliest[key]].compactMap { $0 }.min()
            if entries[index][keyPath: moment] == nil || entries[index].deliveryCount > 0 {
                entries[index][keyPath: moment] = first
            }
            if let first { earliest[key] = first }
        }
    }

    /// A record may rest undelivered when it was settled otherwise: replaced by a newer value that
    /// was seen, equal to one, or withdrawn.
    fileprivate static func mayMiss(_ entry: Entry) -> Bool {
        switch entry.record.settled {
        case "superseded": entry.visible != nil || Key(entry.record) == nil
        case "equal", "cancelled", "expired", "rejected": true
        default: false
        }
    }

    /// How many records had the wrong fate: lost, delivered twice, or not the sender's.
    package var wrongCount: Int {
        let neither = lost.filter { record in !twice.contains(record) }
        return neither.count + twice.count + unknown.count
    }

    /// The measured records of `kind` meant to be sent in `span`, nanoseconds of CLOCK_MONOTONIC.
    package func entries(kind: String? = nil, in span: Range<UInt64>) -> [Entry] {
        entries.filter { entry in
            (kind == nil || entry.record.kind == kind) && !entry.record.isWarmUp
                && !entry.isEqual && span.contains(entry.record.intended)
        }
    }

    /// The key by which a newer value replaces an older one; nil for records that each count by
    /// themselves.
    private struct Key: Hashable {
        var channel: String
        var key: String

        init?(_ record: TraceRecord) {
            // The face's updates share one key, which is not always written down.
            guard let key = record.key ?? (record.channel == "complication" ? "" : nil),
                ["complication", "context"].contains(record.channel)
            else { return nil }
            channel = record.channel
            self.key = record.channel == "complication" ? "" : key
        }
    }
}
