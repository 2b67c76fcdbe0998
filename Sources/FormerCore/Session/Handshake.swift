/// A handshake under way on one link: the flights written so far, for repetition on carriers that
/// can lose, and the counterpart's greeting once it is known.
struct HandshakeAttempt<Handshake: Handshaking>: Sendable {
    var ids: SessionIDs
    var handshake: Handshake
    /// The last flight written, to be repeated until something answers it.
    var lastFlight: [UInt8] = []
    var greeting: Greeting?
    /// The counterpart has shown that it knows this side's session id.
    var isConfirmed = false
    /// The counterpart's first flight, of which the last flight is the answer.
    var answeredFlight: [UInt8] = []
    /// The sealers of a session that was answered, until a packet of it authenticates.
    var sealers: (sending: Handshake.Sealer, receiving: Handshake.Sealer)?
    /// How often the last flight was repeated.
    var repetitions = 0
    /// The floors that this side's greeting gave, by epoch and lane.
    var toldFloors: [[UInt64]] = []
    /// What this side's greeting said that it holds.
    var toldDigests: [UInt64] = []

    init(mine: UInt32, handshake: Handshake) {
        ids = SessionIDs(mine: mine)
        self.handshake = handshake
    }

    /// Whether it answers a flight whose number shows that it is old.
    var isStale: Bool {
        if case .stale = handshake.verdict { true } else { false }
    }

    /// Whether both sides can be sealed for and the greeting is known.
    var isReady: Bool { handshake.isComplete && greeting != nil }
}
