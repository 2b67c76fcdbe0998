/// An event that a connection reports to the peer. Events are reported in order.
package enum ConnectionEvent: Hashable, Sendable {
    /// The environment opens the carrier now (or accepts one); `carrierUp` or `carrierDown` answer.
    case carrierWanted
    /// The environment closes the carrier; bytes transmitted before still leave. The session is
    /// over if there was one.
    case carrierClosed(ConnectionEnd)
    /// The session is over; the carrier stays, and a handshake follows.
    case sessionEnded(ConnectionEnd)
    /// An authentic message 1 that is not stale was opened: see ``Connection/request``.
    case requested
    /// Message 2 came: this side, which initiated, has a session.
    case established(SessionInfo)
    /// The first packet of the session that this side responded with has come.
    case confirmed
    /// A packet of the session was opened.
    case packet(ReceivedPacket)
    /// An early packet behind the newest opened message 1 was opened.
    case earlyPacket(ReceivedPacket)
    /// The counterpart refused message 1 as stale: the next one goes on above `highest`.
    case refused(highest: UInt64)
    /// Somebody says in clear why no session is opened. It is not authenticated.
    case advisory(AdvisoryPacket)
    /// The system refused a datagram: the peer sends a ping.
    case probeWanted
    /// The session has come to the age at which a new one follows: the peer closes it.
    case renewalDue
}

/// A packet that was opened.
package struct ReceivedPacket: Hashable, Sendable {
    /// The packet number: of the session, or of the early packets behind one message 1.
    package var number: UInt64
    /// Header and frames.
    package var bytes: [UInt8]
    /// The index in ``bytes`` at which the frames begin.
    package var start: Int
}

/// The facts about a session that its handshake yields.
package struct SessionInfo: Hashable, Sendable {
    /// Whether this side made message 1.
    package var isInitiator: Bool
    /// 64 bits of the handshake hash: the session's ticket, unless it keeps the common one.
    package var ticket: Ticket
    /// The session keeps the common ticket.
    package var keepsTicket: Bool
    /// The present opening of the counterpart.
    package var counterpartEpoch: EpochID
    /// The counter of the counterpart in the handshake.
    package var counterpartCounter: UInt64
    /// The counterpart's hello with its ticket presentation.
    package var hello: [UInt8]
    /// The connection ID in the message 1 of the session.
    package var initiatorID: ConnectionID
}

/// Why a session or a carrier ended, sorted by who is at fault.
package enum ConnectionEnd: Hashable, Sendable {
    /// This side's application or environment asked for it.
    case localRequest
    /// No carrier is wanted, or one is open.
    case notWanted
    /// The counterpart opened a new carrier, or initiated a new session.
    case replaced
    /// The keys have come to their age.
    case renewal
    /// The counterpart closed the session, with this code.
    case counterpart(CloseCode)
    /// A valid reset came: the counterpart does not know the session.
    case reset
    /// The system refuses datagrams, and no answer came to a ping.
    case unreachable
    /// The counterpart broke the rules.
    case violation(WireError)
    /// A packet or frame came where the protocol does not allow it.
    case unexpected(code: UInt8)
    /// A packet on a stream, or a handshake message, does not authenticate.
    case notAuthentic
    /// It belongs to another pairing, or speaks for the same device.
    case wrongPeer(expected: PeerLabel, found: PeerLabel)
    /// The counterpart speaks an older version.
    case peerTooOld(version: UInt8)
    /// The counterpart speaks a newer version.
    case peerTooNew(version: UInt8)
    /// The counterpart wants to pair, and on this side nobody does.
    case counterpartPairs
    /// The counterpart refused messages 1 again and again.
    case refused
    /// The handshake was not complete in time.
    case handshakeTimedOut
    /// Nothing was heard for the stall time although an answer was owed.
    case stalled
    /// The counterpart is a copy of the device that was paired: pair anew.
    case cloned
    /// The carrier failed or ended.
    case carrier(CarrierFailure)
    /// The stream ended inside a packet of which this many bytes had come.
    case cutShort(bytes: Int, CarrierFailure)
    /// The carrier's largest datagram is too small for a handshake message.
    case datagramTooSmall(bytes: Int, needed: Int)
    /// This host has no memory for keys.
    case noMemory
    /// The packet numbers of the session are used up.
    case numbersUsedUp

    /// Whether only new keys help: one of two devices is a copy.
    package var needsNewPairing: Bool { self == .cloned || self == .counterpart(.pairAnew) }

    /// Whether the next session would only end in the same way: the back-off goes on.
    package var repeats: Bool {
        switch self {
        case .violation, .unexpected, .notAuthentic, .wrongPeer, .datagramTooSmall, .refused,
            .peerTooOld, .peerTooNew, .counterpartPairs:
            true
        default: needsNewPairing
        }
    }
}

/// Counts of the packets that a connection dropped and repeated since it was made.
package struct ConnectionCounters: Hashable, Sendable {
    /// Packets that were dropped, for any reason.
    package var packetsDropped: UInt64 = 0
    /// Messages 1 with a wrong MAC.
    package var forgedInitiations: UInt64 = 0
    /// Stale messages 1 that were refused.
    package var refusalsSent: UInt64 = 0
    /// Messages 1 that were opened, each with a key agreement.
    package var initiationsOpened: UInt64 = 0
    /// Messages 2 that were sent again.
    package var responsesRepeated: UInt64 = 0
    /// Messages 1 that were sent again.
    package var initiationsRepeated: UInt64 = 0
    /// Resets that were sent.
    package var resetsSent: UInt64 = 0
    /// Resets that came with a wrong token or of no session.
    package var invalidResets: UInt64 = 0
    /// Packets that did not open.
    package var packetsNotAuthentic: UInt64 = 0
    /// Packets that came twice, or too late for the replay window.
    package var packetsRepeated: UInt64 = 0
    /// Packets of a connection ID that names no session.
    package var unknownConnectionIDs: UInt64 = 0
}

/// A whole packet that leaves outside a session's own packets.
package struct OutgoingPacket: Hashable, Sendable {
    /// The bytes as they go onto the carrier.
    package var bytes: [UInt8]
    /// The destination of the datagram; nil for the carrier's own address.
    package var address: PathAddress?

    /// Makes a packet; without an address it goes to the carrier's own.
    package init(bytes: [UInt8], address: PathAddress?) {
        self.bytes = bytes
        self.address = address
    }
}
