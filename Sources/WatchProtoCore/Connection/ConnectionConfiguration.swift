/// The settings of a connection.
package struct ConnectionConfiguration: Hashable, Sendable {
    /// The bounds of the peer.
    package var limits = Limits()
    /// The longest time for a handshake on a carrier that cannot lose, and for the rest of a packet
    /// on a stream.
    package var stallTime: Duration = .seconds(10)
    /// The longest time for a handshake on a carrier that can lose. After it the carrier is opened
    /// anew.
    package var lossyHandshakeTime: Duration = .seconds(30)
    /// The longest wait of a candidate session for its first packet.
    package var longestConfirmation: Duration { lossyHandshakeTime / 2 }
    /// The time that a side that was called waits for message 1 before it makes its own.
    package var calledPatience: Duration = .milliseconds(50)
    /// The first wait before a carrier is opened again; a session that lasted so long was of use.
    package var reopenBackoff: Duration = .seconds(1)
    /// The longest wait before a carrier is opened again.
    package var longestReopenBackoff: Duration = .seconds(60)
    /// Whether packets are as long as any other of their kind, whatever they say: numbers have four
    /// bytes from the first one on, and messages 1 and 2 are padded (S-21, S-24). The wait for the
    /// next carrier does not tell of records either (S-26).
    package var hasConstantLengths = false
    /// A planted bug that a checker must find; for tests only.
    package var mutant: ConnectionMutant?

    /// The configuration of a peer with the given bounds.
    package init(limits: Limits = Limits()) { self.limits = limits }

    /// The number of answers to an identical message 1 before a packet of its session has come: to
    /// all repetitions of one that lives for 30 s.
    package static let responseRepetitions = 128
    /// First time-outs after which a message 1 is given up, with the fifth repetition that is due
    /// on a link. The next one has a counter of its own.
    package static let initiationTimeouts = 31
    /// First time-outs after which a message 1 is not fresh, with the third repetition that is due
    /// on a link. The one that crossed it may be answered then.
    package static let freshTimeouts = 7
    /// First time-outs that a candidate session waits for its first packet.
    package static let confirmationTimeouts = 16
    /// Refusals in one link after which it is closed.
    package static let refusalLimit = 4
    /// Early packets that are stored until their message 1 comes.
    package static let earlyPacketsStored = 4
    /// Resets and advisories that a side sends in a second.
    package static let unauthenticatedAnswersPerSecond: Int64 = 10
    /// The longest packet that is taken on a stream before one has authenticated, in bytes.
    static let firstPacketBytes = 512
    /// The longest early packet that is stored, in bytes.
    static let largestEarlyPacketStored = 1500
}

/// Planted bugs of a connection, one at a time; for tests of the checkers only.
package enum ConnectionMutant: Hashable, Sendable, CaseIterable {
    /// No message 1 is stale (the models' BUG_NO_COUNTER).
    case noCounter
    /// Counters are compared with the journal's alone, as this process found it (the models'
    /// BUG_NO_MEMORY_COUNTER).
    case noMemoryCounter
    /// A stale message 1 is dropped without an answer (the models' BUG_NO_REFUSAL).
    case noRefusal
    /// A packet number may come twice.
    case noReplayWindow
    /// A reset needs no token.
    case anyReset
    /// An address that nothing has shown gets as much as any other.
    case noAddressLimit
}
