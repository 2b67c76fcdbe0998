import WatchProtoCore
import WatchProtoRecords

/// Bytes: a record is given as it was accepted, field by field; where the record has no acceptance
/// of its own, its value was given for its key.
struct BytesChecker: Checker {
    static let name = "bytes"

    private var values = OrderedTable<Ledger.KeyName, [UInt64]>()

    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String? {
        switch observation {
        case .accepted(let id, let draft):
            guard let key = draft.key else { return nil }
            let name = Ledger.KeyName(side: side, channel: id.channel, key: key)
            values.update(name, default: []) { $0.append(ContentHash.of(draft.payload)) }
            return nil
        case .delivered(let record, _):
            if let fault = Self.fault(of: record) { return fault }
            guard let draft = ledger[record.id]?.draft else {
                if ledger.isOwnRemoval(record, sender: 1 - side) { return nil }
                return record.id.mayBeUnnamed
                    ? unnamed(record, sender: 1 - side) : "\(record.id.text) was never accepted"
            }
            if draft.payload != record.payload {
                let first = zip(draft.payload, record.payload).enumerated().first {
                    $0.element.0 != $0.element.1
                }
                return "\(record.id.text): \(draft.payload.count) bytes were sent,"
                    + " \(record.payload.count) other bytes were delivered,"
                    + " the first at \(first?.offset ?? draft.payload.count)"

            }
            let isSame =
                draft.kind == record.kind && draft.key == record.key
                && draft.expectsReply == record.expectsReply && draft.inReplyTo == record.inReplyTo
            return isSame ? nil : "\(record.id.text): kind, key or reply differ from what was sent"
        default:
            return nil
        }
    }

    /// The fault of a value that the application has to understand; nil when there is none.
    private static func fault(of record: InboundRecord) -> String? {
        do throws(WireError) {
            switch record.kind {
            case .medication:
                let value = try LightweightMedication(decoding: record.payload)
                guard value.recordKey == record.key else {
                    return "\(record.id.text): a medication under another's key"
                }
            case .complication:
                _ = try ComplicationState(decoding: record.payload)
            default:
                break
            }
        } catch {
            return "\(record.id.text) cannot be read: \(error)"
        }
        return nil
    }

    private func unnamed(_ record: InboundRecord, sender: Int) -> String? {
        guard let key = record.key else { return "\(record.id.text): a newest value without a key" }
        let name = Ledger.KeyName(side: sender, channel: record.id.channel, key: key)
        let isKnown = values[name]?.contains(ContentHash.of(record.payload)) ?? false
        return isKnown ? nil : "\(record.id.text) shows a value that was never given for its key"
    }
}
