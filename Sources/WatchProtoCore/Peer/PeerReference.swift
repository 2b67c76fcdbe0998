/// A reference to content of a packet in flight: enough to tell or send its current state again.
enum PeerReference: PacketReference {
    /// A frame of an ordered channel's sender.
    case ordered(Channel, OrderedSender.Reference)
    /// A frame of an ordered channel's receiver.
    case answers(Channel, OrderedReceiver.Reference)
    /// A frame of the latest-value sender.
    case value(LatestValueSender.Reference)
    /// A frame of the latest-value receiver.
    case held(LatestValueReceiver.Reference)
    /// Own epochs that followed the hello, by index.
    case epochs(Range<Int>)
    /// Own epochs that are over.
    case epochOver([EpochID])
    /// Epochs of the counterpart that are closed.
    case epochClosed([EpochID])
    /// Epochs of the counterpart that are written down.
    case epochsKnown([EpochID])
    /// A statement of the records held of an epoch that the counterpart did not list.
    case epochHeld(EpochID)
    /// The answer on the responder's tickets that only the initiator can give.
    case ticketAnswer
    /// The answer to the counterpart's early data.
    case earlyData
    /// A ping; a lost one is followed by a new one.
    case ping
    /// The answer to a ping.
    case pong(UInt64)
    /// A repair packet.
    case repair

    package var isWorthRepair: Bool {
        switch self {
        case .ordered(let channel, _), .answers(let channel, _): channel.traits.isRedundant
        case .value, .held, .epochOver, .epochClosed, .epochsKnown, .epochHeld, .earlyData,
            .ticketAnswer, .epochs:
            true
        case .ping, .pong, .repair: false
        }
    }

    package var isUrgent: Bool {
        switch self {
        case .ordered(let channel, _): !channel.traits.isBulk
        case .answers(let channel, _): !channel.traits.isBulk
        case .value: true
        default: false
        }
    }
}

extension [PeerReference] {
    /// Whether the ticket answer is the only one.
    var isTicketAnswer: Bool { count == 1 && first == .ticketAnswer }
}
