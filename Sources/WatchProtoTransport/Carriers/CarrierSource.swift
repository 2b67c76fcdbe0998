package import WatchProtoCore

/// Where the carriers of one link come from, one after the other: a listening socket, an address to
/// connect to, a command to start.
///
/// Like a carrier it is called from one thread at a time and never blocks.
package protocol CarrierSource: AnyObject, Sendable {
    /// Claims what must be claimed before any link (binds and listens). Called by
    /// ``PeerDriver/activate()``, so that the caller hears at once of an address in use: the first
    /// time, and after each `rest()` that gave something up. Throws for an address that is in use
    /// or cannot be: whoever chose it is at fault, or the system.
    func prepare() throws(LinkError)

    /// No link is wanted for now: gives up what invites the counterpart to come, so that it is not
    /// led on, and notices when ``prepare()`` claims it again.
    ///
    /// - Returns: whether ``prepare()`` must be called before the next link. Sources that do not
    ///   say have nothing to give up.
    func rest() -> Bool

    /// Lets nobody connect any more. Connections that were made before can still be opened.
    func withdraw()

    /// A descriptor that becomes readable when ``open(_:)`` is worth calling: somebody connects, or
    /// the counterpart's socket has appeared. Nil when there is no such sign; the peer's back-off
    /// decides then. Asked for before each sleep.
    var signDescriptor: Int32? { get }

    /// Whether carriers come to this side (it listens): then the sign counts with a link open, too.
    var waitsForCounterpart: Bool { get }

    /// Opens, or accepts, the next carrier.
    func open(_ occasion: OpeningOccasion) -> CarrierOpening

    /// Gives back what was claimed. With `leavingFiles` as a process that dies would: socket files
    /// stay behind.
    func close(leavingFiles: Bool)
}

extension CarrierSource {
    /// Gives nothing up.
    package func rest() -> Bool { false }

    /// Does nothing: nobody connects to this source.
    package func withdraw() {}
}

/// Why a source is asked to open a carrier.
package enum OpeningOccasion: Hashable, Sendable {
    /// The peer wants one and waits for the answer.
    case asked
    /// The source gave its sign, or a link has just ended.
    case sign
}

/// The result of an attempt to open a carrier.
package enum CarrierOpening: Sendable {
    /// It is open.
    case opened(any Carrier)
    /// Nobody is there yet; ``CarrierSource/signDescriptor`` will tell.
    case nobodyYet
    /// The system refused; worth another attempt later.
    case failed(CarrierFailure)
    /// There will be no further carrier: given descriptors have ended.
    case exhausted
}
