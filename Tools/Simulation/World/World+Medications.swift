import WatchProtoCore
import WatchProtoRecords

/// The applications' medications: values that change step by step, so that deltas are sent, that
/// are removed, and that are synchronized as a whole set.
extension World {
    func changeMedication(
        _ number: UInt64, by change: UInt64, on node: Node, _ act: Scenario.Act
    ) {
        let key = Medicines.key(number)
        send(
            RecordDraft(
                channel: .context, kind: .medication, key: key,
                payload: Medicines.changed(node.medications[key], number, by: change),
                waitsForCommit: act.waitsForCommit), from: node)
    }

    func removeMedication(_ number: UInt64, on node: Node, _ act: Scenario.Act) {
        send(
            RecordDraft(
                channel: .context, kind: .medicationRemoval, key: Medicines.key(number),
                payload: [], waitsForCommit: act.waitsForCommit), from: node)
    }

    /// The application's own memory of a value, where that is a medication's.
    func noteMedication(
        _ key: RecordKey, _ kind: ContentKind, _ payload: [UInt8], of node: Node
    ) {
        guard Medicines.isOne(key) else { return }
        node.medications[key] = kind.isRemoval ? nil : payload
    }

    /// After a restart the application takes its medications from the journal.
    func recallMedications(_ node: Node) {
        for number in 1...scenario.medicationCount {
            let key = Medicines.key(number)
            guard let value = node.process?.peer.newestValue(.context, key) else { continue }
            noteMedication(key, value.kind, value.payload, of: node)
        }
    }

    // MARK: Whole sets

    func synchronize(_ numbers: [UInt64], _ changed: UInt64, on node: Node) {
        var values: [SyncValue] = []
        for number in numbers {
            let key = Medicines.key(number)
            let former = node.medications[key]
            let isChanged = former == nil || changed >> number & 1 == 1
            values.append(
                SyncValue(
                    key: key, kind: .medication,
                    payload: isChanged
                        ? Medicines.changed(former, number, by: changed) : former ?? []))
        }
        synchronize(values, on: node)
    }

    /// Says again, after a restart, which medications there are.
    func synchronizeAgain(_ node: Node) {
        let medications = node.medications
        synchronize(
            medications.keys.enumerated().map { slot, key in
                SyncValue(key: key, kind: .medication, payload: medications.values[slot])
            }, on: node)
    }

    private func synchronize(_ values: [SyncValue], on node: Node) {
        guard let process = node.process else { return }
        do {
            let result = try process.peer.synchronize(
                .context, values, kinds: [.medication], removalKind: .medicationRemoval, at: now)
            trace.record(
                .accept, at: now, side: node.side, 2, UInt64(values.count),
                "a set of \(values.count): \(result)")
            switch result {
            case .notModified: coverage.meet(.setNotModified)
            case .queued(let ids): noteSynchronized(ids, by: node)
            }
        } catch {
            trace.record(.refuse, at: now, side: node.side, 2, 0, "a set: \(error)")
            show(.refused(.context, error), side: node.side)
        }
        drain(node)
    }

    /// The records that the peer made of a set.
    private func noteSynchronized(_ ids: [RecordID], by node: Node) {
        for number in 1...scenario.medicationCount {
            let key = Medicines.key(number)
            guard let record = node.process?.peer.newestValue(.context, key),
                ids.contains(record.id)
            else { continue }
            if record.kind.isRemoval { coverage.meet(.synchronizedAway) }
            noteAccepted(
                record.id,
                RecordDraft(
                    channel: .context, kind: record.kind, key: key, payload: record.payload),
                by: node)
        }
    }
}
