internal import WatchProtoCore

/// The carrier, the journal and the delegate into which the peer drains, with marks of the work
/// that the driver does afterwards.
struct DriverEnvironment: PeerEnvironment {
    var carrier: (any Carrier)?
    /// Carriers that are over. The driver's thread closes them outside the lock.
    var retired: [any Carrier] = []
    var delegate: (any SessionDelegate)?
    let journal: any JournalBackend
    var notifier: CommitNotifier
    let clock: any DriverClock

    var now: Instant
    /// Whether the carrier took fewer bytes than offered. Nothing more is offered until it is
    /// writable.
    var isWriteBlocked = false
    var isSuspended = false
    /// The failure of a write. The driver first reads the remaining packets of the counterpart,
    /// such as its reason to close. Then it reports the failure to the peer.
    var writeFailure: CarrierFailure?
    /// Whether the carrier is a stream, whose packets of one turn leave in one write.
    private(set) var gathers = false
    /// Packets of a stream that have not been written yet.
    private(set) var gathered: [UInt8] = []
    /// The bytes that are gathered at most. A turn that sends more makes more than one write.
    static var gatherLimitBytes: Int { 1 << 16 }
    /// Whether the carrier has just opened and nothing was read from it yet.
    var hasFreshCarrier = false
    /// Whether the peer asked for a link and has no answer yet.
    var wantsLink = false
    /// Whether a carrier was set aside and the source has not been asked for the next one yet.
    var linkHasEnded = false
    /// Whether the peer asked to close the carrier.
    var mustClose = false
    /// Whether the journal refused a batch and was not opened again yet.
    var hasJournalFailed = false
    /// Whether the journal has queued batches and has not been started yet.
    private(set) var mustStartJournal = false
    /// Outcomes of batches that were durable, or had failed, at once.
    var answers: [CommitNotifier.Answer] = []
    /// The number of batches without an outcome yet.
    private(set) var awaitedAnswers = 0
    var deferred = DeferredInputs()
    var counters = DriverCounters()
    private var refusals = DoublingReport()
    private var ignoredDatagrams = DoublingReport()

    init(
        delegate: (any SessionDelegate)? = nil, journal: any JournalBackend,
        notifier: CommitNotifier, clock: any DriverClock = HostClock.shared
    ) {
        self.delegate = delegate
        self.journal = journal
        self.notifier = notifier
        self.clock = clock
        now = clock.now
    }

    // MARK: Packets

    mutating func transmit(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int {
        guard carrier != nil, !isWriteBlocked, !isSuspended, writeFailure == nil else { return 0 }
        guard gathers else { return write(bytes, to: address) }
        if gathered.count + bytes.count > Self.gatherLimitBytes { flush() }
        guard !isWriteBlocked, writeFailure == nil else { return 0 }
        unsafe bytes.withUnsafeBufferPointer { unsafe gathered.append(contentsOf: $0) }
        return bytes.count
    }

    /// Writes the gathered packets of a stream to the carrier at once. Bytes that it does not take
    /// stay, and nothing more is accepted before them.
    mutating func flush() {
        guard !gathered.isEmpty, !isWriteBlocked, !isSuspended, writeFailure == nil else { return }
        var packets: [UInt8] = []
        swap(&packets, &gathered)
        let count = write(packets.span, to: nil)
        packets.removeFirst(count)
        swap(&packets, &gathered)
    }

    private mutating func write(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int {
        // The packet first: the journal's thread may be woken where this one runs.
        defer { startJournal() }
        switch carrier?.write(bytes, to: address) {
        case .took(let count):
            if count > 0 {
                counters.writes += 1
                counters.bytesWritten += UInt64(count)
            }
            if count < bytes.count {
                counters.partialWrites += 1
                isWriteBlocked = true
            }
            return count
        case .failed(let failure):
            writeFailure = failure
            return 0
        case nil: return 0
        }
    }

    // MARK: The journal

    mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
        counters.journalBatches += 1
        var writes: [any StoreWrite] = []
        swap(&writes, &deferred.writes)
        let answer = journal.queue(entries, writes: writes, receipt: receipt, notifier: notifier)
        switch answer {
        case .committed: answers.append(.init(receipt: receipt, isCommitted: true))
        case .failed: answers.append(.init(receipt: receipt, isCommitted: false))
        case .later:
            awaitedAnswers += 1
            mustStartJournal = true
        }
    }

    /// Takes the answers that the journal has posted.
    mutating func collectAnswers() {
        let posted = notifier.take()
        awaitedAnswers -= posted.count
        answers += posted
    }

    /// Starts the journal on the batches that it was given.
    mutating func startJournal() {
        guard mustStartJournal else { return }
        mustStartJournal = false
        journal.start()
    }

    /// Makes writes durable that belong to no entry. The peer waits for nothing under receipt 0.
    mutating func persistWrites() {
        guard !hasJournalFailed else {
            deferred.writes = []
            return
        }
        persist([], receipt: JournalReceipt(rawValue: 0))
    }

    /// Records that the journal is open again. Answers of its former opening have no meaning.
    mutating func journalReopened(_ notifier: CommitNotifier) {
        self.notifier = notifier
        answers = []
        awaitedAnswers = 0
        deferred.writes = []
        hasJournalFailed = false
        mustStartJournal = false
    }

    // MARK: The application

    mutating func deliver(_ record: InboundRecord) -> Disposition {
        guard let delegate else { return .pending }
        return delegate.deliver(record, at: now, later: &deferred)
    }

    mutating func report(_ event: PeerEvent) {
        switch event {
        case .linkWanted: wantsLink = true
        // The driver has closed the former carrier.
        case .linkClosed(.replaced): break
        case .linkClosed(let reason):
            mustClose = true
            // The peer wants no link any more, and would only turn connections away.
            if reason.needsNewPairing { deferred.deactivate() }
        case .journalFailed: hasJournalFailed = true
        default: break
        }
        delegate?.event(event, at: now, later: &deferred)
    }

    /// Reports an event below the peer to the delegate.
    mutating func report(_ event: TransportEvent) {
        delegate?.transport(event, at: now, later: &deferred)
    }

    /// Counts connections that were turned away.
    mutating func refused(_ count: Int = 1) {
        counters.refusedConnections += UInt64(count)
        if let count = refusals.add(count, at: now) { report(.connectionRefused(count: count)) }
    }

    /// Counts a datagram that was dropped.
    mutating func ignored(_ cause: IgnoredDatagram) {
        switch cause {
        case .unknownSender: counters.unknownSenders += 1
        case .tooLarge: counters.oversizedDatagrams += 1
        }
        if let count = ignoredDatagrams.add(at: now) {
            report(.datagramIgnored(cause, count: count))
        }
    }

    // MARK: The carrier

    /// Takes over a carrier that has just opened.
    mutating func install(_ carrier: any Carrier) {
        self.carrier = carrier
        gathers = carrier.traits.framing == .stream
        gathered.removeAll(keepingCapacity: true)
        isWriteBlocked = false
        mustClose = false
        wantsLink = false
        hasFreshCarrier = true
        counters.linksOpened += 1
        report(.linkOpened(carrier.traits))
    }

    /// Sets the open carrier aside. The driver's thread closes it.
    mutating func retireCarrier() {
        if let carrier {
            retired.append(carrier)
            linkHasEnded = true
        }
        carrier = nil
        gathered.removeAll(keepingCapacity: true)
        isWriteBlocked = false
        writeFailure = nil
        mustClose = false
    }
}
