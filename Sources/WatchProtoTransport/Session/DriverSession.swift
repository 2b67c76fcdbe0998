package import WatchProtoCore

/// One side of one pairing as an application uses it; the names follow WatchConnectivity where the
/// idea is the same.
///
/// Every call may come from any thread, except from inside a ``SessionDelegate``. A call that sends
/// does the work inline, the write to the carrier included, and never waits for the network or the
/// disk. Close a session with ``close()``; dropping the last reference closes it abruptly.
package final class DriverSession<Security: PeerSecurity>: Sendable {
    let driver: PeerDriver<Security>
    let center: SessionCenter

    /// Makes a session that does not communicate yet.
    ///
    /// - Parameters:
    ///   - options: the address, and the driver's and the peer's settings.
    ///   - security: makes the handshakes.
    ///   - journal: where records survive the link, and the process if it is durable.
    ///   - delegate: gets records and events inline. Without one, records wait as *pending* in
    ///     ``events``.
    /// - Throws: ``JournalFailure`` when the journal cannot be opened.
    package init(
        _ options: DriverSessionOptions, security: Security,
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

    /// Makes a session over carriers of the caller's own making.
    ///
    /// - Parameters:
    ///   - configuration: the driver's and the peer's settings.
    ///   - source: where carriers come from.
    ///   - security: makes the handshakes.
    ///   - journal: where records survive the link, and the process if it is durable.
    ///   - delegate: gets records and events inline.
    ///   - eventLimit: events kept for a slow reader of ``events``.
    /// - Throws: ``JournalFailure`` when the journal cannot be opened.
    package init(
        _ configuration: DriverConfiguration, source: any CarrierSource, security: Security,
        journal: any JournalBackend = MemoryJournal(), delegate: (any SessionDelegate)? = nil,
        eventLimit: Int = 4096
    ) throws(JournalFailure) {
        let center = SessionCenter(delegate: delegate, eventLimit: eventLimit)
        self.center = center
        driver = try PeerDriver(
            configuration, source: source, security: security, journal: journal, delegate: center)
    }

    /// Starts the driver's thread without wanting a link: the outcomes of the journal are reported,
    /// and unanswered records are delivered again.
    ///
    /// - Throws: ``LinkError``; the session was closed, or the system has no thread left.
    package func start() throws(LinkError) { try driver.start() }

    /// Starts wanting a link: listens, or connects and keeps trying.
    ///
    /// - Throws: ``LinkError`` when the address cannot be had (held by another process, no such
    ///   directory). A counterpart that is not there yet is no error.
    package func activate() throws(LinkError) { try driver.activate() }

    /// Closes the link, tells the counterpart why, and wants none until ``activate()``.
    ///
    /// - Returns: false where none was wanted.
    @discardableResult
    package func deactivate(_ code: CloseCode = .normal) -> Bool { driver.deactivate(code) }

    /// Says goodbye, closes everything, ends the driver's thread and removes socket files. Messages
    /// that still wait for an answer fail; records that have not left stay in the journal.
    package func close() {
        driver.close()
        center.finish()
    }

    /// Ends as a process that is killed does: no goodbye, descriptors closed, files left. For
    /// tests.
    package func abandon() {
        driver.abandon()
        center.finish()
    }

    /// The time zone changed, or a test's clock was set.
    package func wallClockChanged() { driver.wallClockChanged() }

    /// Where the session stands.
    package var activationState: ActivationState { driver.activationState }

    /// Whether the counterpart can answer now.
    package var isReachable: Bool { driver.isReachable }

    /// Records accepted and not yet settled, in the order they were accepted, channel by channel.
    package var outstandingTransfers: [RecordID] { driver.outstandingTransfers }

    /// Budgeted complication transfers left today.
    package var remainingComplicationTransfers: Int { driver.remainingComplicationTransfers }

    /// What is known of a record this side sent. Never a guess.
    package func status(of id: RecordID) -> RecordStatus { driver.status(of: id) }

    /// What the driver did so far, by cause.
    package var counters: DriverCounters { driver.counters }

    /// What the peer did and dropped so far.
    package var peerCounters: PeerCounters { driver.peerCounters }

    /// Keeps a log of the packets from now on, `limit` lines of each kind at most; nil for none.
    package func logPackets(limit: Int?) { driver.logPackets(limit: limit) }

    /// The result of `body` on the log of packets; nil without one.
    package func withPacketLog<Value: Sendable>(_ body: (PacketLog) -> Value) -> Value? {
        driver.withPacketLog(body)
    }

    /// The smoothed round-trip time of this session's link; nil before the first sample.
    package var roundTripTime: Duration? { driver.roundTripTime }

    /// How good the link is or was last, by what was measured; nil before anything was.
    package var linkQuality: LinkQuality? { driver.linkQuality }

    /// The name of this opening of the journal.
    package var currentEpoch: EpochID { driver.currentEpoch }

    /// Whether packets are sealed at all.
    package var isSealed: Bool { Security.isSealed }

    /// Whether records survive the process.
    package var isDurable: Bool { driver.isDurable }

    /// What happens, in order, for one reader at a time. Ends when the session is closed. The
    /// sequence holds ``DriverSessionOptions/eventLimit`` events and counts what it had to drop.
    package var events: AsyncStream<DriverSessionEvent> { center.makeStream() }

    /// Events the reader of ``events`` was too slow for, in all.
    package var missedEvents: UInt64 { center.missedEvents }
}
