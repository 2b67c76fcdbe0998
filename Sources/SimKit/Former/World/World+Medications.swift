import WatchProto
import WatchProtoRecords

/// The applications' medications: values that change step by step, so that deltas are sent, that
/// are removed, and that are synchronized as a whole set.
extension World {
    func changeMedication(
        _ number: UInt64, by change: UInt64, on node: Node<Security>, _ act: Scenario.Act
    ) {
        let key = Medicines.key(number)
        send(
            RecordDraft(
                lane: .context, kind: .medication, key: key,
                payload: Medicines.changed(node.medications[key], number, by: change),
                waitsForCommit: act.waitsForCommit), from: node)
    }

    func removeMedication(_ number: UInt64, on node: Node<Security>, _ act: Scenario.Act) {
        send(
            RecordDraft(
                lane: .context, kind: .medicationRemoval, key: Medicines.key(number), payload: [],
                waitsForCommit: act.waitsForCommit), from: node)
    }

    /// The application's own memory of a value, where that is a medication's.
    func noteMedication(
        _ key: RecordKey, _ kind: ContentKind, _ payload: [UInt8], of node: Node<Security>
    ) {
        guard Medicines.isOne(key) else { return }
        node.medications[key] = kind.isRemoval ? nil : payload
        if !kind.isRemoval { medicationBytes[ContentHash.of(payload)] = payload }
    }

    /// What the disk holds of the medications, after a restart.
    func recallMedications(_ node: Node<Security>) {
        let kept = node.disk.application.medications
        for (slot, key) in kept.keys.enumerated() {
            node.medications[key] = medicationBytes[kept.values[slot]]
        }
    }

    // MARK: Whole sets

    func synchronize(_ numbers: [UInt64], _ changed: UInt64, on node: Node<Security>) {
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
    func synchronizeAgain(_ node: Node<Security>) {
        let medications = node.medications
        synchronize(
            medications.keys.enumerated().map { slot, key in
                SyncValue(key: key, kind: .medication, payload: medications.values[slot])
            }, on: node)
    }

    private func synchronize(_ values: [SyncValue], on node: Node<Security>) {
        guard let process = node.process else { return }
        do {
            let result = try process.peer.synchronize(
                .context, values, kinds: [.medication], removalKind: .medicationRemoval, at: now)
            node.medications.removeAll()
            for value in values { noteMedication(value.key, value.kind, value.payload, of: node) }
            trace.record(
                .accept, at: now, side: node.side, 2, UInt64(values.count),
                "a set of \(values.count): \(result)")
            node.isComparing = result == .comparing
            switch result {
            case .comparing: coverage.meet(.setCompared)
            case .notModified: coverage.meet(.setNotModified)
            case .queued: break
            }
            node.synchronizing.formUnion(result.queued)
            if result != .comparing { writeMedications(of: node) }
        } catch {
            trace.record(.refuse, at: now, side: node.side, 2, 0, "a set: \(error)")
            show(.refused(.context, error), side: node.side)
        }
        drain(node)
        // What nothing of the journal's goes with is written by itself.
        guard node.process != nil, !node.unwritten.isEmpty else { return }
        persist([], JournalReceipt(rawValue: 0), of: node)
        endIfDoomed(node)
    }

    /// A set that had to be compared was.
    func synchronized(_ result: SyncResult, _ node: Node<Security>) {
        node.isComparing = false
        node.synchronizing.formUnion(result.queued)
        writeMedications(of: node)
    }

    /// The application's own table of medications, in the next transaction.
    private func writeMedications(of node: Node<Security>) {
        for number in 1...scenario.medicationCount {
            let key = Medicines.key(number)
            let value = node.medications[key].map { ContentHash.of($0) } ?? 0
            node.unwritten.append(.own(.context, key, value: value))
        }
    }

    /// A record that the peer made of a set: now its name is known, and what it is of.
    func takeSynchronized(_ record: OutboundRecord, of node: Node<Security>) {
        node.synchronizing.remove(record.id)
        if record.kind.isRemoval { coverage.meet(.synchronizedAway) }
        noteAccepted(
            record.id,
            RecordDraft(
                lane: record.id.lane, kind: record.kind, key: record.key, payload: record.payload),
            by: node)
    }
}
