package import WatchProtoCore
package import WatchProtoJournal
package import WatchProtoSecurity
import WatchProtoTransport

/// The records of the pairings that a new one replaced.
package struct CarryOver: Sendable {
    /// The replaced pairings.
    package fileprivate(set) var replaced: [PairingID] = []
    /// The number of undelivered records that the new pairing is to deliver.
    package fileprivate(set) var carried = 0
    /// The number of undelivered records that are lost.
    package fileprivate(set) var erased = 0
    /// Whether the ledger was erased, because it belongs to another phone's wearer.
    package fileprivate(set) var erasesLedger = false

    /// Nothing.
    package init() {}
}

/// Pairings that begin and end, and the values kept beside them.
extension DeviceStorage {
    /// The pairings of this device. Does not open a failed journal again, which a session does.
    ///
    /// - Throws: `JournalError`; the disk failed.
    func knownPairings() throws(JournalError) -> [PairingID] {
        if let failure = file?.failure { throw failure }
        return try paired().map(\.pairing)
    }

    /// Keeps a new pairing, and in the same transaction what a former one with the same device did
    /// not deliver; the former one is erased. A watch belongs to one phone: every former pairing
    /// of it is erased, and the ledger if ``erasesDoses(pairingWith:)`` says so.
    ///
    /// - Parameters:
    ///   - device: the result of the pairing.
    ///   - keepingDoses: whether another phone is of the same wearer; the ledger stays then.
    ///   - writes: the application's changes in the same transaction.
    ///   - carriesOver: whether the new pairing is to deliver the undelivered records of a kind.
    /// - Throws: where the disk failed; nothing is paired then.
    @discardableResult
    package func keep(
        _ device: PairedDevice, keepingDoses: Bool, writes: [SQLWrite] = [],
        carriesOver: (ContentKind) -> Bool = { _ in true }
    ) throws -> CarryOver {
        let former = try paired()
        let same = former.filter { $0.counterpart == device.counterpart }.map(\.pairing)
        var made = CarryOver()
        made.replaced = role == .watch ? former.map(\.pairing) : same
        let isOther = role == .watch && former.areOfOthers(than: device.counterpart)
        made.erasesLedger = isOther && !keepingDoses
        var values: [StoredValue] = []
        for pairing in made.replaced {
            for record in try undelivered(to: pairing) {
                // The ledger has the event.
                if record.kind == .doseEvent, !made.erasesLedger { continue }
                guard same.contains(pairing), carriesOver(record.kind),
                    let value = StoredValue(carryingOver: record, to: device.counterpartNumber)
                else {
                    made.erased += 1
                    continue
                }
                values.append(value)
            }
        }
        made.carried = values.count
        if let file {
            let erasure =
                (isOther ? [StoredValue.deleteAll] : [])
                + (made.erasesLedger ? LedgerTables.deleteAll : [])
            try file.keep(
                device, erasing: made.replaced,
                writes: writes + erasure + values.map(StoredValue.insert))
        }
        let (carried, result) = (values, made)
        memory.withLock { memory in
            if file == nil {
                memory.remove(result.replaced)
                memory.paired.append(device)
            }
            if isOther { memory.kept = [] }
            if result.erasesLedger { _ = memory.ledger.removeAll() }
            for value in carried { memory.keep(value) }
        }
        return made
    }

    /// Whether a pairing with this device erases the doses: a watch was another phone's. A journal
    /// that cannot be read says nothing; the pairing is refused then.
    package func erasesDoses(pairingWith other: PairingIdentity) -> Bool {
        role == .watch && (try? paired())?.areOfOthers(than: other) == true
    }

    /// Erases pairings with their keys, journals and kept values.
    ///
    /// - Parameters:
    ///   - pairings: the pairings that end.
    ///   - writes: the application's changes in the same transaction.
    /// - Throws: `JournalError`; the disk failed.
    package func forget(
        _ pairings: [PairingID], writes: [SQLWrite] = []
    ) throws(JournalError) {
        let others = Set(
            try paired().filter { !pairings.contains($0.pairing) }
                .flatMap { [$0.counterpartNumber, $0.pairing.rawValue] })
        let gone = memory.withLock { memory in
            memory.kept.filter { !others.contains($0.counterpart) }
        }
        if let file {
            try file.forget(pairings, writes: writes + gone.map(StoredValue.delete))
        }
        memory.withLock { memory in
            memory.kept.removeAll { gone.contains($0) }
            memory.remove(pairings)
        }
    }

    /// The durable records queued under a pairing that are still to be delivered.
    ///
    /// - Throws: where the journal cannot be read.
    package func undelivered(to pairing: PairingID) throws -> [OutboundRecord] {
        let settings = PeerConfiguration(role: role, pairing: pairing, kinds: .product)
        if let file { return try file.journal(for: pairing).restore(settings).undelivered }
        return memory.withLock { $0.journals[pairing]?.restore(settings).undelivered } ?? []
    }

    /// The known statuses of records that were sent under a pairing whose session is not open.
    ///
    /// - Throws: where the journal cannot be read.
    package func statuses(
        of ids: [RecordID], under pairing: PairingID
    ) throws -> [RecordStatus] {
        let settings = PeerConfiguration(role: role, pairing: pairing, kinds: .product)
        let image: JournalImage? =
            if let file { try file.journal(for: pairing).look(settings) } else {
                memory.withLock { $0.journals[pairing]?.restore(settings) }
            }
        guard let image else { return ids.map { _ in .unknown } }
        // A peer that is dropped again has changed nothing.
        let peer = Peer(
            settings, restoring: image, epoch: EpochID(rawValue: .max),
            security: NullSecurity(PeerLabel(role: role, pairing: pairing), seed: 0).erased,
            clock: SystemClock.wall, at: SystemClock.now)
        return ids.map { peer.status(of: $0) }
    }

    // MARK: Kept values

    /// The values stored for this purpose, oldest first.
    ///
    /// - Parameters:
    ///   - purpose: what they are stored for.
    ///   - counterpart: the device that they are about; nil for every device.
    package func values(
        _ purpose: StoredValue.Purpose, of counterpart: UInt128? = nil
    ) -> [StoredValue] {
        memory.withLock { memory in
            memory.kept.filter { value in
                value.purpose == purpose && (counterpart ?? value.counterpart) == value.counterpart
            }
        }
    }

    /// Keeps a value; gives the write that makes that durable, nil in memory.
    package func keep(_ value: StoredValue) -> SQLWrite? {
        memory.withLock { $0.keep(value) }
        return file == nil ? nil : StoredValue.insert(value)
    }

    /// The application, or the next pairing, has the value. In a file its row goes with
    /// `removal(of:)`.
    package func forget(_ value: StoredValue) {
        memory.withLock { memory in memory.kept.removeAll { $0 == value } }
    }

    /// The writes that remove a value's row; none in memory.
    package func removal(of value: StoredValue) -> [SQLWrite] {
        file == nil ? [] : [StoredValue.delete(value)]
    }

    /// Queues the records that a former pairing with the same device did not deliver. If one finds
    /// no room, it waits for the next call, and no later one of its channel passes it.
    ///
    /// - Parameters:
    ///   - counterpart: the device that the former pairing was with.
    ///   - link: the session that takes the records.
    ///   - accepted: called under the driver's lock before any event about the record.
    /// - Returns: why the first of them waits; nil if none does.
    @discardableResult
    package func sendCarriedOver(
        to counterpart: UInt128, over link: any LedgerLink,
        accepted: (StoredValue, RecordID, Instant) -> Void
    ) -> SendRefusal? {
        var waiting: [Channel: SendRefusal] = [:]
        var first: SendRefusal?
        for value in values(.carriedOver, of: counterpart) where waiting[value.channel] == nil {
            let writes = removal(of: value)
            do throws(SendRefusal) {
                try link.transfer(value.draft, writes: writes) { id, now in
                    accepted(value, id, now)
                }
            } catch {
                guard error.isFinal else {
                    waiting[value.channel] = error
                    first = first ?? error
                    continue
                }
                link.write(writes)
            }
            forget(value)
        }
        return first
    }
}

extension PairedDevice {
    /// The other device's name in kept values.
    package var counterpartNumber: UInt128 { counterpart.device.rawValue }
}

extension SendRefusal {
    /// Whether the record will never be taken.
    fileprivate var isFinal: Bool {
        switch self {
        case .queueFull, .tooManyKeys, .setTooLarge, .journalFailed, .notReachable: false
        default: true
        }
    }
}
