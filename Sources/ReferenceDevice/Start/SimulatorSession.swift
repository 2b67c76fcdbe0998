package import WatchProtoCore
internal import WatchProtoJournal
internal import WatchProtoRecords
internal import WatchProtoSecurity
package import WatchProtoTransport

/// A session as the simulators use it, whatever seals its packets.
package protocol SimulatorSession: AnyObject, Sendable {
    /// As of `DriverSession`, all of them.
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

    /// - Throws: `LinkError` when the address cannot be had.
    func activate() throws(LinkError)
    @discardableResult
    func deactivate(_ code: CloseCode) -> Bool
    @discardableResult
    func cutLinkAndRest() -> Bool
    func close()
    @discardableResult
    func cancel(_ id: RecordID) -> Bool
    func status(of id: RecordID) -> RecordStatus
    func logPackets(limit: Int?)
    func withPacketLog<Value: Sendable>(_ body: (PacketLog) -> Value) -> Value?
    @discardableResult
    func write(_ writes: [any StoreWrite]) -> Bool

    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID

    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult
}

extension DriverSession: SimulatorSession {}

/// The session of a device that is not paired, or is pairing: none. Writes of the application to
/// its own tables become durable all the same.
final class NoSession: SimulatorSession {
    private let journal: PairingJournal?
    private let configuration: PeerConfiguration
    private let mailbox = JournalMailbox(wake: nil)

    /// - Throws: where the file cannot be read.
    init(_ file: JournalFile?, _ role: DeviceRole) throws {
        configuration = PeerConfiguration(role: role, pairing: Simulator.unpaired, kinds: .product)
        // Of a pairing that never has an entry: nothing of it comes to stand in the file.
        journal = try file?.journal(for: Simulator.unpaired)
        _ = try journal?.restore(configuration)
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
    func deactivate(_ code: CloseCode) -> Bool { false }
    func cutLinkAndRest() -> Bool { false }
    func close() {}
    func cancel(_ id: RecordID) -> Bool { false }
    func status(of id: RecordID) -> RecordStatus { .unknown }
    func logPackets(limit: Int?) {}
    func withPacketLog<Value: Sendable>(_ body: (PacketLog) -> Value) -> Value? { nil }

    func write(_ writes: [any StoreWrite]) -> Bool {
        guard let journal, !writes.isEmpty else { return false }
        func persist() -> Bool {
            let receipt = JournalReceipt(rawValue: 0)
            return journal.persist([], writes: writes, receipt: receipt, mailbox: mailbox)
                != .failed
        }
        // Nobody else opens the journal again after a failed commit.
        return persist() || ((try? journal.restore(configuration)) != nil && persist())
    }

    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID { throw .notReachable }

    func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult { throw .notReachable }
}
