package import WatchProto
package import WatchProtoTransport

/// A session as the simulators use it, whatever seals its packets.
package protocol SimulatorSession: ComplicationLink, DeviceExchanges.Link {
    /// As of `DriverSession`, all of them.
    var isSealed: Bool { get }
    var isDurable: Bool { get }
    var currentEpoch: EpochID { get }
    var counterpartEpoch: EpochID? { get }
    var outstandingTransfers: [RecordID] { get }
    var counters: DriverCounters { get }
    var peerCounters: PeerCounters { get }
    var activationState: ActivationState { get }
    var roundTripTime: Duration? { get }
    var linkQuality: LinkQuality? { get }
    var reachabilityEvidence: ReachabilityEvidence? { get }

    /// - Throws: `LinkError` when the address cannot be had.
    func activate() throws(LinkError)
    @discardableResult
    func deactivate(_ code: CloseCode) -> Bool
    @discardableResult
    func cutLinkAndRest() -> Bool
    func close()
    func wallClockChanged()
    @discardableResult
    func cancel(_ id: RecordID) -> Bool
    func status(of id: RecordID) -> RecordStatus
    func logPackets(limit: Int?)
    func withPacketLog<Value: Sendable>(_ body: (PacketLog) -> Value) -> Value?

    func transfer(
        _ drafts: [RecordDraft], isPartial: Bool, writes: (Int) -> [any StoreWrite],
        accepted: (Int, RecordID, Instant) -> Void
    ) -> TransferBatch
    func messages(
        _ drafts: [RecordDraft], isPartial: Bool, timeout: Duration, outlivesLink: Bool,
        accepted: (Int, RecordID, Instant) -> Void,
        ended: @escaping @Sendable (RecordID, Result<[UInt8], DeliveryFailure>) async -> Void
    ) -> TransferBatch

    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    func replyOverLinks(
        _ draft: RecordDraft, accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID

    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult
}

extension DriverSession: SimulatorSession {}

/// The session of a device that is not paired, or is pairing: none.
final class NoSession: SimulatorSession {
    var isSealed: Bool { true }
    var isDurable: Bool { false }
    func withEventsUnderWay(_ body: ([RecordID: UInt128]) -> Void) {}
    func withRecordsUnderWay(_ kind: ContentKind, _ body: ([OutboundRecord]) -> Void) {}
    func transfer(
        _ drafts: [RecordDraft], accepted: (Int, RecordID) -> Void
    ) -> SendRefusal? { .notReachable }
    var currentEpoch: EpochID { EpochID(rawValue: 0) }
    var counterpartEpoch: EpochID? { nil }
    var outstandingTransfers: [RecordID] { [] }
    var counters: DriverCounters { DriverCounters() }
    var peerCounters: PeerCounters { PeerCounters() }
    var activationState: ActivationState { .notActivated }
    var isReachable: Bool { false }
    var roundTripTime: Duration? { nil }
    var linkQuality: LinkQuality? { nil }
    var reachabilityEvidence: ReachabilityEvidence? { nil }

    func activate() throws(LinkError) {}
    func deactivate(_ code: CloseCode) -> Bool { false }
    func cutLinkAndRest() -> Bool { false }
    func close() {}
    func wallClockChanged() {}
    func cancel(_ id: RecordID) -> Bool { false }
    func status(of id: RecordID) -> RecordStatus { .unknown }
    func logPackets(limit: Int?) {}
    func withPacketLog<Value: Sendable>(_ body: (PacketLog) -> Value) -> Value? { nil }

    func newestValue(_ channel: Channel, of key: RecordKey) -> OutboundRecord? { nil }
    func write(_ writes: [any StoreWrite]) -> Bool { false }
    func applied(_ id: RecordID, writes: [any StoreWrite]) -> Bool { false }
    func rejected(_ id: RecordID, code: UInt16, writes: [any StoreWrite]) -> Bool { false }

    func ask(_ question: [UInt8], answered: @escaping @Sendable ([UInt8]?) -> Void) {
        answered(nil)
    }

    func setForeground(_ isForeground: Bool) {}
    var hasUncommitted: Bool { false }

    func reply(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) -> RecordID { throw .notReachable }

    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID { throw .notReachable }

    func transfer(
        _ drafts: [RecordDraft], isPartial: Bool, writes: (Int) -> [any StoreWrite],
        accepted: (Int, RecordID, Instant) -> Void
    ) -> TransferBatch { TransferBatch(refusal: .notReachable) }

    func messages(
        _ drafts: [RecordDraft], isPartial: Bool, timeout: Duration, outlivesLink: Bool,
        accepted: (Int, RecordID, Instant) -> Void,
        ended: @escaping @Sendable (RecordID, Result<[UInt8], DeliveryFailure>) async -> Void
    ) -> TransferBatch { TransferBatch(refusal: .notReachable) }

    func replyOverLinks(
        _ draft: RecordDraft, accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID { throw .notReachable }

    func didNotArrive(_ id: RecordID) {}

    func synchronize(
        _ channel: Channel, _ values: [SyncValue], kinds: [ContentKind], removalKind: ContentKind,
        writes: [any StoreWrite], accepted: (SyncResult, Instant) -> Void
    ) throws(SendRefusal) -> SyncResult { throw .notReachable }
}
