/// What a packet in flight carried, by reference: enough to send the *current* state of it again.
/// Frames are repaired, packets never.
public enum FrameReference: Hashable, Sendable {
    /// A record of ours, by its lane and address.
    case record(Lane, RecordAddress)
    /// `cut` counts how often the record's parts were begun anew.
    case part(Lane, RecordAddress, cut: Int, offset: Int, length: Int)
    /// Receipts of one of the counterpart's epochs.
    case receipt(Lane, epochIndex: Int, numbers: ClosedRange<UInt64>)
    /// How a record of the counterpart ended.
    case outcome(Lane, RecordAddress)
    /// The floor of one of our lanes.
    case floor(Lane)
    /// The credit the counterpart has in a lane.
    case credit(Lane)
    /// The withdrawal of a record of ours.
    case withdraw(Lane, RecordAddress)
    /// The request to send the counterpart's delta as a whole value.
    case needBase(Lane, RecordAddress)
    /// A record of the counterpart turned away while its credit in offers stood at `offers`.
    case tryLater(Lane, RecordAddress, offers: UInt64)
    /// The question what the counterpart holds in a lane.
    case heldQuery(Lane)
    /// What this side holds in a lane.
    case held(Lane)
    /// The question which value the counterpart holds of a key, from this byte on.
    case valueQuery(Lane, RecordKey, offset: Int)
    /// The value this side holds of a key, from this byte on.
    case value(Lane, RecordKey, offset: Int)
    /// The verdict on the counterpart's early data.
    case early
    /// A ping; a lost one is followed by a new one.
    case ping
    /// The answer to a ping.
    case pong(UInt64)
    /// Parity, which is not sent again: it is known by then what was lost.
    case parity

    /// Whether the packet that carried it is worth parity: not what is told again anyhow, or is
    /// one of many.
    var isWorthParity: Bool {
        switch self {
        case .record(let lane, _), .part(let lane, _, cut: _, offset: _, length: _),
            .receipt(let lane, epochIndex: _, numbers: _), .outcome(let lane, _),
            .withdraw(let lane, _), .needBase(let lane, _):
            lane != .bulk
        case .early: true
        default: false
        }
    }

    /// Whether somebody waits for it.
    var isUrgent: Bool {
        switch self {
        case .record(let lane, _): lane.isUrgent
        case .receipt(let lane, epochIndex: _, numbers: _), .outcome(let lane, _): lane != .bulk
        default: false
        }
    }
}
