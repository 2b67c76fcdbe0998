import WatchProto

/// Bytes: what is given is what was accepted, field by field.
struct BytesChecker: Checker {
    static let name = "bytes"

    private var complications = OrderedTable<Ledger.KeyName, [UInt64]>()

    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String? {
        switch sight {
        case .complicationAccepted(let key, let payload):
            let name = Ledger.KeyName(side: side, lane: .complication, key: key)
            complications.update(name, default: []) { $0.append(ContentHash.of(payload)) }
            return nil
        case .delivered(let record, _):
            guard let draft = ledger[record.id]?.draft else {
                return record.id.lane == .complication
                    ? complication(record, sender: 1 - side) : "\(record.id) was never accepted"
            }
            if draft.payload != record.payload {
                return "\(record.id): \(draft.payload.count) bytes were sent,"
                    + " \(record.payload.count) other bytes were given"
            }
            let isSame =
                draft.kind == record.kind && draft.key == record.key
                && draft.expectsReply == record.expectsReply && draft.inReplyTo == record.inReplyTo
            return isSame ? nil : "\(record.id): kind, key or reply differ from what was sent"
        default:
            return nil
        }
    }

    private func complication(_ record: InboundRecord, sender: Int) -> String? {
        guard let key = record.key else { return "\(record.id): a complication without a key" }
        let name = Ledger.KeyName(side: sender, lane: .complication, key: key)
        let isKnown = complications[name]?.contains(ContentHash.of(record.payload)) ?? false
        return isKnown ? nil : "\(record.id) shows a state that was never given for its key"
    }
}
