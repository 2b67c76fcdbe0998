package import WatchProtoCore

/// One side of one pairing, for an application. Names follow WatchConnectivity if the idea is the
/// same.
///
/// Calls may come from any thread, except from inside a ``SessionDelegate``. A call that sends does
/// its work inline, including the write to the carrier. It never waits for the network or the disk.
/// Close a session with ``close()``. If the last reference is dropped, the session closes abruptly.
package final class DriverSession: Sendable {
    let driver: PeerDriver
    let center: SessionCenter

    /// Makes a session that does not communicate yet.
    ///
    /// - Parameters:
    ///   - options: the address, and the driver's and the peer's settings.
    ///   - security: makes the handshakes.
    ///   - journal: keeps records across links, and across restarts if it is durable.
    ///   - delegate: receives records and events inline. Without one, records wait as *pending* in
    ///     ``events``.
    /// - Throws: ``JournalFailure`` if the journal cannot be opened.
    package init(
        _ options: DriverSessionOptions, security: some PeerSecurity,
        journal: any JournalBackend = MemoryJournal(),
        delegate: (any SessionDelegate)? = nil
    ) throws(JournalFailure) {
        let center = SessionCenter(delegate: delegate, eventLimit: options.eventLimit)
        self.center = center
        driver = try PeerDriver(
            options.driver,
            source: options.address.makeSource(side: options.side),
            security: security, journal: journal, delegate: center)
    }

    /// Makes a session over the caller's own carriers.
    ///
    /// - Parameters:
    ///   - configuration: the driver's and the peer's settings.
    ///   - source: opens the carriers.
    ///   - security: makes the handshakes.
    ///   - journal: keeps records across links, and across restarts if it is durable.
    ///   - delegate: receives records and events inline.
    ///   - eventLimit: events kept for a slow reader of ``events``.
    /// - Throws: ``JournalFailure`` if the journal cannot be opened.
    package init(
        _ configuration: DriverConfiguration, source: any CarrierSource,
        security: some PeerSecurity,
        journal: any JournalBackend = MemoryJournal(), delegate: (any SessionDelegate)? = nil,
        eventLimit: Int = 4096
    ) throws(JournalFailure) {
        let center = SessionCenter(delegate: delegate, eventLimit: eventLimit)
        self.center = center
        driver = try PeerDriver(
            configuration, source: source, security: security, journal: journal, delegate: center)
    }

    /// Starts the driver's thread without wanting a link. Outcomes of the journal are reported, and
    /// unanswered records are delivered again.
    ///
    /// - Throws: ``LinkError``; the session was closed, or the system has no thread left.
    package func start() throws(LinkError) { try driver.start() }

    /// Starts wanting a link: listens, or connects and keeps trying. An absent counterpart is no
    /// error.
    ///
    /// - Throws: ``LinkError`` if the address cannot be claimed (held by another process, no such
    ///   directory).
    package func activate() throws(LinkError) { try driver.activate() }

    /// Closes the link with a reason for the counterpart, and wants none until ``activate()``.
    ///
    /// - Returns: false if none was wanted.
    @discardableResult
    package func deactivate(_ code: CloseCode = .normal) -> Bool { driver.deactivate(code) }

    /// Says goodbye, closes everything, ends the driver's thread and removes socket files. Messages
    /// that wait for an answer fail. Records that have not left stay in the journal.
    package func close() {
        driver.close()
        center.finish()
    }

    /// Ends as a killed process does: no goodbye, descriptors closed, files left. For tests.
    package func abandon() {
        driver.abandon()
        center.finish()
    }

    /// The application is in the foreground, or in the background: see `Peer`.
    package func setForeground(_ isForeground: Bool) { driver.setForeground(isForeground) }

    /// Reports that the time zone changed, or a test's clock was set.
    package func wallClockChanged() { driver.wallClockChanged() }

    /// The session's state at one moment.
    package var snapshot: SessionSnapshot { driver.snapshot }

    /// The activation state of the session.
    package var activationState: ActivationState { driver.activationState }

    /// Whether the counterpart can answer now.
    package var isReachable: Bool { driver.isReachable }
    /// The opening of the counterpart in the last session; nil before the first of this process.
    package var counterpartEpoch: EpochID? { driver.counterpartEpoch }

    /// The evidence of that, with the newest proofs; nil before the first change.
    package var reachabilityEvidence: ReachabilityEvidence? {
        driver.loop.ask { $0.peer.reachabilityEvidence }
    }

    /// Records accepted and not yet settled, in the order they were accepted, channel by channel.
    package var outstandingTransfers: [RecordID] { driver.outstandingTransfers }

    /// Gives `body` the records of a kind that are under way in the ordered channels. Nothing
    /// settles meanwhile.
    package func withRecordsUnderWay(_ kind: ContentKind, _ body: ([OutboundRecord]) -> Void) {
        driver.loop.ask { body($0.peer.recordsUnderWay(kind)) }
    }

    /// The newest value of a key of this side, settled or not; nil where it has none.
    package func newestValue(_ channel: Channel, of key: RecordKey) -> OutboundRecord? {
        driver.newestValue(channel, of: key)
    }

    /// The value of a key that the application has applied, of the counterpart's; nil without one.
    package func heldValue(_ channel: Channel, of key: RecordKey) -> InboundRecord? {
        driver.heldValue(channel, of: key)
    }

    /// Whether a durable record of this side is not committed at the counterpart.
    package var hasUncommitted: Bool { driver.hasUncommitted }

    /// Whether the application was given a record and has not decided on it.
    package var hasPending: Bool { driver.hasPending }

    /// The known status of a record of this side. It is never a guess.
    package func status(of id: RecordID) -> RecordStatus { driver.status(of: id) }

    /// Counts the driver's work by cause.
    package var counters: DriverCounters { driver.counters }

    /// Counts the peer's work and drops.
    package var peerCounters: PeerCounters { driver.peerCounters }

    /// Starts a log of the packets, with at most `limit` lines of each kind; nil ends it.
    package func logPackets(limit: Int?) { driver.logPackets(limit: limit) }

    /// The result of `body` on the log of packets; nil without one.
    package func withPacketLog<Value: Sendable>(_ body: (PacketLog) -> Value) -> Value? {
        driver.withPacketLog(body)
    }

    /// The smoothed round-trip time of this session's link; nil before the first sample.
    package var roundTripTime: Duration? { driver.roundTripTime }

    /// The last measured quality of the link; nil before the first measurement.
    package var linkQuality: LinkQuality? { driver.linkQuality }

    /// The epoch: the name of this opening of the journal.
    package var currentEpoch: EpochID { driver.currentEpoch }

    /// Whether packets are sealed.
    package var isSealed: Bool { driver.isSealed }

    /// The wire version of the session's security.
    package var wireVersion: UInt8 { driver.wireVersion }

    /// Whether records survive the process.
    package var isDurable: Bool { driver.isDurable }

    /// The events of the session, in order, for one reader at a time. The sequence ends when the
    /// session is closed. It holds ``DriverSessionOptions/eventLimit`` events, and counts the
    /// events that it dropped.
    package var events: AsyncStream<DriverSessionEvent> { center.makeStream() }

    /// The number of events that were dropped because the reader of ``events`` was too slow.
    package var missedEvents: UInt64 { center.missedEvents }
}
