internal import WatchJournal
public import WatchProto
internal import WatchSecurity
public import WatchTransport

/// A session as the simulators use it, whatever seals its packets.
public protocol SimulatorSession: AnyObject, Sendable {
    /// As of `CompanionSession`, all of them.
    var isSealed: Bool { get }
    var isDurable: Bool { get }
    var currentEpoch: EpochID { get }
    var outstandingTransfers: [RecordID] { get }
    var counters: DriverCounters { get }
    var peerCounters: PeerCounters { get }
    var activationState: ActivationState { get }
    var isReachable: Bool { get }
    var remainingComplicationTransfers: Int { get }
    var roundTripTime: Duration? { get }
    var linkQuality: LinkQuality? { get }

    /// Throws when the address cannot be had.
    func activate() throws(LinkError)
    func deactivate(_ code: CloseCode)
    func cutLinkAndRest()
    func close()
    func cancel(_ id: RecordID)
    func logPackets(limit: Int?)
    func withPacketLog<Value: Sendable>(_ body: (PacketLog) -> Value) -> Value?
    func status(of id: RecordID) -> RecordStatus
    @discardableResult
    func write(_ writes: [any StoreWrite]) -> Bool

    /// Throws what the peer refuses.
    @discardableResult
    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID

    /// Throws what the peer refuses.
    @discardableResult
    func updateComplication(
        _ key: RecordKey, _ state: [UInt8], writes: [any StoreWrite],
        decided: (ComplicationUpdate, Instant) -> Void
    ) throws(SendRefusal) -> ComplicationUpdate

    /// Throws what the peer refuses.
    @discardableResult
    func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult
}

extension CompanionSession: SimulatorSession {}

extension SimulatorSession {
    /// As the one with writes, without any. Throws what the peer refuses.
    @discardableResult
    public func updateComplication(
        _ key: RecordKey, _ state: [UInt8], decided: (ComplicationUpdate, Instant) -> Void
    ) throws(SendRefusal) -> ComplicationUpdate {
        try updateComplication(key, state, writes: [], decided: decided)
    }

    /// As the one with writes, without any. Throws what the peer refuses.
    @discardableResult
    public func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult {
        try synchronize(
            channel, values, kinds: kinds, removalKind: removalKind, writes: [], accepted: accepted)
    }
}

/// The session of a device that is not paired, or is pairing: none. What the application keeps in
/// its own tables becomes durable all the same.
final class NoSession: SimulatorSession {
    private let journal: PairingJournal?
    private let mailbox = JournalMailbox(wake: nil)

    /// Throws when the file was closed.
    init(_ file: JournalFile?) throws(JournalError) {
        // Of a pairing that never has an entry: nothing of it comes to stand in the file.
        journal = try file?.journal(for: Simulator.unpaired)
    }

    var isSealed: Bool { true }
    var isDurable: Bool { journal != nil }
    var currentEpoch: EpochID { EpochID(rawValue: 0) }
    var outstandingTransfers: [RecordID] { [] }
    var counters: DriverCounters { DriverCounters() }
    var peerCounters: PeerCounters { PeerCounters() }
    var activationState: ActivationState { .notActivated }
    var isReachable: Bool { false }
    var remainingComplicationTransfers: Int { 0 }
    var roundTripTime: Duration? { nil }
    var linkQuality: LinkQuality? { nil }

    func activate() throws(LinkError) {}
    func deactivate(_ code: CloseCode) {}
    func cutLinkAndRest() {}
    func close() {}
    func cancel(_ id: RecordID) {}
    func logPackets(limit: Int?) {}
    func withPacketLog<Value: Sendable>(_ body: (PacketLog) -> Value) -> Value? { nil }
    func status(of id: RecordID) -> RecordStatus { .unknown }

    func write(_ writes: [any StoreWrite]) -> Bool {
        guard let journal, !writes.isEmpty else { return false }
        let answer = journal.persist(
            [], writes: writes, receipt: JournalReceipt(rawValue: 0), mailbox: mailbox)
        return answer != .failed
    }

    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID { throw .notReachable }

    func updateComplication(
        _ key: RecordKey, _ state: [UInt8], writes: [any StoreWrite],
        decided: (ComplicationUpdate, Instant) -> Void
    ) throws(SendRefusal) -> ComplicationUpdate { throw .notReachable }

    func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult { throw .notReachable }
}
