package import WatchProtoCore

/// Opens the carriers of one link, one after the other: a listening socket, an address to connect
/// to, or a command to start.
///
/// A source is called from one thread at a time and never blocks.
package protocol CarrierSource: AnyObject, Sendable {
    /// Claims the address before any link (binds and listens). ``PeerDriver/activate()`` calls it
    /// the first time, and after each `rest()` that released something. The caller of `activate`
    /// therefore gets the error at once.
    ///
    /// - Throws: ``LinkError`` if the address is in use or impossible. The owner of the
    ///   configuration is at fault, or the system.
    func prepare() throws(LinkError)

    /// Releases everything that lets the counterpart connect, because no link is wanted for now.
    /// The counterpart notices when ``prepare()`` claims the address again.
    ///
    /// - Returns: whether ``prepare()`` must be called before the next link. The default releases
    ///   nothing.
    func rest() -> Bool

    /// Stops new connections. Connections that were made before can still be opened.
    func withdraw()

    /// The readiness descriptor: readable when ``open(_:)`` is worth a call, because a connection
    /// is pending or the counterpart's socket has appeared. If it is nil, the peer's backoff
    /// decides. The driver reads it before each sleep.
    var readinessDescriptor: Int32? { get }

    /// Whether this side listens. If so, the driver watches the readiness descriptor with a link
    /// open, too.
    var waitsForCounterpart: Bool { get }

    /// Opens, or accepts, the next carrier.
    func open(_ occasion: OpeningOccasion) -> CarrierOpening

    /// Releases what was claimed. With `leavingFiles`, socket files stay behind, as after a killed
    /// process.
    func close(leavingFiles: Bool)
}

extension CarrierSource {
    /// Releases nothing.
    package func rest() -> Bool { false }

    /// Does nothing: nobody connects to this source.
    package func withdraw() {}
}

/// Why a source is asked to open a carrier.
package enum OpeningOccasion: Hashable, Sendable {
    /// The peer wants a carrier and waits for the answer.
    case asked
    /// The readiness descriptor was readable, or a link has just ended.
    case sign
}

/// The result of an attempt to open a carrier.
package enum CarrierOpening: Sendable {
    /// The carrier is open.
    case opened(any Carrier)
    /// No counterpart is there yet. ``CarrierSource/readinessDescriptor`` becomes readable when one
    /// is.
    case nobodyYet
    /// The system refused. Another attempt may succeed.
    case failed(CarrierFailure)
    /// There will be no further carrier: the given descriptors have ended.
    case exhausted
}
