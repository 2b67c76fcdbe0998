import WatchProtoCore
import WatchProtoRecords

/// Facts that follow from those of a record, of its receiver's disk and of the records beside it.
extension Ledger {
    /// Whether `side` accepted a newer value of the same key, or its peer adopted one.
    func hasSuccessor(_ id: RecordID, _ facts: RecordFacts) -> Bool {
        guard let key = facts.draft?.key else { return id.channel.traits.order == .latestValue }
        let name = KeyName(side: facts.sender, channel: id.channel, key: key)
        return facts.isReplaced || newest[name].map { $0 != id } ?? false
    }

    /// The other records that the same side accepted in the same channel under the same idempotency
    /// key.
    func siblings(of id: RecordID, _ facts: RecordFacts) -> [RecordID] {
        guard let name = actName(of: id, facts) else { return [] }
        return (acts[name] ?? []).filter { $0 != id }
    }

    /// The act that a record is, if it has an idempotency key.
    func actName(of id: RecordID, _ facts: RecordFacts) -> ActName? {
        facts.draft?.idempotencyKey.map {
            ActName(side: facts.sender, channel: id.channel, key: $0)
        }
    }

    /// Whether the receiver's disk holds the effect of a record, or of one under its idempotency
    /// key.
    func isEffective(_ id: RecordID, _ facts: RecordFacts) -> Bool {
        let disk = disks[1 - facts.sender]
        if disk.effects.contains(id) { return true }
        return actName(of: id, facts).map { disk.acts[$0] != nil } ?? false
    }

    /// Whether a record, or one under its idempotency key, took effect in any history.
    func tookEffect(_ id: RecordID, _ facts: RecordFacts) -> Bool {
        facts.tookEffect || siblings(of: id, facts).contains { records[$0]?.tookEffect == true }
    }

    /// Whether a record is a removal that its sender may make by itself: the sender was given
    /// values of the key, lost one of them, and its disk holds none.
    func isOwnRemoval(_ record: InboundRecord, sender: Int) -> Bool {
        guard record.kind.isRemoval, records[record.id]?.draft == nil, let key = record.key else {
            return false
        }
        let given = select { id, facts in
            facts.sender == sender && id.channel == record.id.channel && facts.draft?.key == key
        }
        let queued = disks[sender].queued
        return queued.isDisjoint(with: given)
            && given.contains {
                records[$0]?.isOrphan == true || records[$0]?.senderWentBack == true
            }
    }

    /// Whether the sender's disk knows a record that it held once: not where it went back.
    func isForgotten(_ id: RecordID, _ facts: RecordFacts) -> Bool {
        facts.senderWentBack && !disks[facts.sender].queued.contains(id)
    }

    /// Whether the receiver's present process was given a record, or its disk holds a trace of it.
    func isGiven(_ id: RecordID, _ facts: RecordFacts) -> Bool {
        let side = 1 - facts.sender
        return facts.deliveredLife == lives[side] || disks[side].hasTaken(id)
    }

    /// Whether a value may count because the receiver holds an equal one under another name: after
    /// a disk went back, when the values of both sides are compared; and where an equal value of
    /// the key took effect.
    func isComparable(_ id: RecordID) -> Bool {
        guard id.channel.traits.order == .latestValue else { return false }
        if hasForgotten { return true }
        guard let facts = records[id], let draft = facts.draft, let key = draft.key else {
            return false
        }
        let name = KeyName(side: facts.sender, channel: id.channel, key: key)
        guard let effects = effects[name] else { return false }
        let value = Payloads.fingerprint(draft.kind, draft.payload)
        return zip(effects.keys, effects.values).contains { $0 != id && $1 == value }
    }
}
