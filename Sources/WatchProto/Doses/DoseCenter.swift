import WatchProtoCore
public import WatchProtoRecords

extension CompanionSession {
    /// The doses of the wearer.
    public var doses: DoseCenter {
        DoseCenter(
            ledger: ledger, reads: reads, device: { [store] in store.deviceNumber },
            pairings: { [store] in try store.knownPairings() })
    }
}

/// The doses of the wearer, in the ledger of this device. Every device of the wearer has the same
/// ledger, on whichever of them a dose is recorded: events travel both ways, each counts once, and
/// the ledgers are compared whenever two devices meet.
///
/// ```swift
/// try await session.doses.record(event)
/// let state = try await session.doses.state(of: slot)
/// try await session.doses.record(state.undo(at: now))
/// for await event in session.doses.changes() { show(event) }
/// ```
public struct DoseCenter: Sendable {
    let ledger: DeviceLedger
    let reads: WorkPool
    let device: @Sendable () -> UInt32?
    let pairings: @Sendable () throws -> [PairingID]

    /// The present time by this device's clocks, for an event that is recorded now. It names the
    /// device, so that two doses as needed from different devices can be told to be perhaps one. It
    /// has the offset of the phone's clock, which a watch measures in each session.
    public var now: DoseTime { ledger.now(device: device()) }

    /// Adds an event to the ledger. It is durable when this returns, also without a pairing or a
    /// link, and travels to the other devices by itself.
    ///
    /// An event that the ledger has already changes nothing, so a caller repeats an event whose
    /// outcome is unknown.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - onlyIfOpen: whether the event changes nothing if its slot is closed on this device. A
    ///     tap on a face or a reminder says so: two taps count once, also if the face was stale.
    /// - Throws: ``DoseRefusal``; nothing has changed then, unless it says that this is unknown.
    public func record(
        _ event: DoseEvent, onlyIfOpen: Bool = false
    ) async throws(DoseRefusal) {
        try await ledger.record([event], onlyIfOpen: onlyIfOpen)
    }

    /// Adds events to the ledger, all of them or none.
    ///
    /// - Throws: ``DoseRefusal`` of the first event that is refused; nothing has changed then,
    ///   unless it says that this is unknown.
    public func record(_ events: [DoseEvent]) async throws(DoseRefusal) {
        try await ledger.record(events)
    }

    /// The state of one slot: what was recorded, and whether the events conflict.
    ///
    /// - Throws: ``TableError`` if the journal cannot be read.
    public func state(of slot: DoseSlot) async throws(TableError) -> DoseSlotState {
        try await read { ledger in try ledger.state(of: slot) }
    }

    /// The events of one slot, in the order in which this ledger received them.
    ///
    /// - Throws: ``TableError`` if the journal cannot be read.
    public func events(of slot: DoseSlot) async throws(TableError) -> [DoseEvent] {
        try await read { ledger in try ledger.events(of: slot) }
    }

    /// The newest events of a medication, in the order in which this ledger received them, the
    /// newest first.
    ///
    /// - Parameters:
    ///   - medication: the medication; nil for the events of all.
    ///   - limit: the most events.
    /// - Throws: ``TableError`` if the journal cannot be read.
    public func newestEvents(
        of medication: MedicationID? = nil, limit: Int
    ) async throws(TableError) -> [DoseEvent] {
        try await read { ledger in
            try ledger.newest(of: medication, before: nil, limit: max(0, limit)).map {
                try DoseEvent(decoding: $0.encoding)
            }
        }
    }

    /// The warnings about a dose that was taken, before or after it is recorded: the limits of its
    /// medication, and whether another device has a dose as needed within ten minutes. They block
    /// nothing; a person decides.
    ///
    /// - Parameters:
    ///   - event: the dose. Other events have no warnings.
    ///   - medication: its medication, which has the limits.
    /// - Throws: ``TableError`` if the journal cannot be read.
    public func warnings(
        for event: DoseEvent, of medication: LightweightMedication
    ) async throws(TableError) -> DoseWarnings {
        let limits = medication.limits
        return try await read { ledger in try ledger.warnings(about: event, limits) }
    }

    /// The minute up to which this ledger has the events of all paired devices: the ledgers were
    /// equal then. Nil if one of them never was, or if no device is paired, which leaves nothing to
    /// check. A paired watch without a session counts as well.
    ///
    /// A dose that fell due later may have been taken there. An app shows it as *due, not checked
    /// since* this minute, and asks for a comparison by ``check()``. It reads the check before the
    /// state of the dose.
    ///
    /// - Throws: ``TableError`` if the journal cannot be read.
    public func lastCheck() async throws(TableError) -> WallMinute? {
        try await read { [ledger, pairings] _ in try ledger.lastCheck(with: pairings()) }
    }

    /// Compares the ledger with that of each connected device that is reachable, at most once a
    /// minute. The ledgers are compared without this call each time when the other device becomes
    /// reachable. The check of a watch is 10 s older than the comparison.
    public func check() { ledger.check() }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerStore) throws -> Value
    ) async throws(TableError) -> Value {
        let store = ledger.store
        return try await Offload.run(in: reads) { () throws(TableError) in
            do {
                return try body(store)
            } catch {
                throw TableError(description: "\(error)")
            }
        }
    }

    /// The events that are new in the ledger from now on, those of this device included. Each call
    /// adds a reader. While the journal cannot be read, the reader waits.
    public func changes() -> SessionSequence<DoseEvent> {
        let identities = ledger.changes()
        let next: @Sendable () async -> DoseEvent? = { [self] in
            while let identity = await identities.next() {
                while !identities.isFinished, !Task.isCancelled {
                    do {
                        let bytes = try await read { try $0.event(identity) }
                        // An event that is gone was another person's.
                        guard let bytes, let event = try? DoseEvent(decoding: bytes) else { break }
                        return event
                    } catch {
                        try? await Task.sleep(for: .seconds(1))
                    }
                }
            }
            return nil
        }
        return SessionSequence(.init(next: next, end: { identities.finish() }))
    }
}

/// Why dose events were not recorded.
public struct DoseRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first event that was refused.
    public let event: DoseEventID
    /// Whether the events may be durable all the same, because the journal failed. The caller
    /// records them again, under the same identities.
    public let isOutcomeUnknown: Bool
    /// The problem and the remedy.
    public let description: String

    init(_ event: DoseEventID, _ text: String, isUnknown: Bool = false) {
        self.event = event
        isOutcomeUnknown = isUnknown
        description = text
    }
}
