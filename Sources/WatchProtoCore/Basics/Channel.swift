/// The channels of a pairing. Loss or bulk in one never holds back another. They stand here in the
/// order in which their records join a packet; the codes are those of the wire.
public enum Channel: UInt8, Sendable, CaseIterable {
    /// Durable records that somebody waits for: new doses. Each is delivered in order, and leaves
    /// before the records of all other channels.
    case urgent = 5
    /// Messages and replies for right now; not kept when the link goes.
    case interactive = 0
    /// The state that the watch face displays: the latest value of each key.
    case complication = 1
    /// Durable records, each delivered in order.
    case background = 2
    /// Durable state, of which only the latest value of each key matters.
    case context = 3
    /// Large durable records, sent when nothing else waits.
    case bulk = 4
    /// Blocks of files, and the requests for them; not kept when the link goes, and sent when
    /// nothing else waits.
    case block = 6

    /// The number of channels.
    package static let count = 7

    /// The channel's row of the table.
    package var traits: ChannelTraits { Self.table[Int(rawValue)] }

    /// The axes on which channels differ. A new mode is a new row, not a branch.
    private static let table: [7 of ChannelTraits] = [
        ChannelTraits(
            order: .ordered, isDurable: false, needsReachability: true, hasReplies: true,
            isUrgent: true,
            travelsEarly: false, overlapsCommit: true, isBulk: false, isPaced: false,
            isGathered: false, isRedundant: true, recordWindow: 256, byteWindow: 1 << 20,
            recordByteLimit: 1 << 16, setByteLimit: 0),
        ChannelTraits(
            order: .latestValue, isDurable: true, needsReachability: false, hasReplies: false,
            isUrgent: true,
            travelsEarly: true, overlapsCommit: true, isBulk: false, isPaced: true,
            isGathered: false, isRedundant: true, recordWindow: 0, byteWindow: 0,
            recordByteLimit: 1 << 12, setByteLimit: 1 << 18),
        ChannelTraits(
            order: .ordered, isDurable: true, needsReachability: false, hasReplies: false,
            isUrgent: false,
            travelsEarly: true, overlapsCommit: true, isBulk: false, isPaced: false,
            isGathered: true, isRedundant: true, recordWindow: 1024, byteWindow: 1 << 20,
            recordByteLimit: 1 << 16, setByteLimit: 0),
        ChannelTraits(
            order: .latestValue, isDurable: true, needsReachability: false, hasReplies: false,
            isUrgent: false,
            travelsEarly: true, overlapsCommit: true, isBulk: false, isPaced: false,
            isGathered: true, isRedundant: true, recordWindow: 0, byteWindow: 0,
            recordByteLimit: 1 << 18, setByteLimit: 1 << 23),
        ChannelTraits(
            order: .ordered, isDurable: true, needsReachability: false, hasReplies: false,
            isUrgent: false,
            travelsEarly: true, overlapsCommit: true, isBulk: true, isPaced: false,
            isGathered: false, isRedundant: false, recordWindow: 16, byteWindow: 1 << 20,
            recordByteLimit: 1 << 22, setByteLimit: 0),
        ChannelTraits(
            order: .ordered, isDurable: true, needsReachability: false, hasReplies: false,
            isUrgent: true,
            travelsEarly: true, overlapsCommit: true, isBulk: false, isPaced: false,
            isGathered: false, isRedundant: true, recordWindow: 256, byteWindow: 1 << 20,
            recordByteLimit: 1 << 16, setByteLimit: 0),
        ChannelTraits(
            order: .ordered, isDurable: false, needsReachability: true, hasReplies: false,
            isUrgent: false,
            travelsEarly: false, overlapsCommit: true, isBulk: true, isPaced: false,
            isGathered: false, isRedundant: false, recordWindow: 256, byteWindow: 1 << 19,
            recordByteLimit: 1 << 16, setByteLimit: 0),
    ]

    /// The ordered channels, in the order of their codes.
    package static let ordered: [5 of Channel] = [
        .interactive, .background, .bulk, .urgent, .block,
    ]
    /// The latest-value channels, in the order of their codes.
    package static let latestValue: [2 of Channel] = [.complication, .context]

    /// Bytes that each key of a latest-value channel counts against the channel's `setByteLimit`,
    /// beside its value.
    package static let keyBytes = 512
}

/// One row of the table of channels.
package struct ChannelTraits: Hashable, Sendable {
    /// The delivery guarantee that the receiver gives the application.
    package enum Order: Sendable {
        /// Every record, in the order in which the sender accepted them.
        case ordered
        /// The latest value of each key; older ones may be skipped.
        case latestValue
    }

    /// Whether every record is delivered in order, or the latest value of each key.
    package let order: Order
    /// Whether records are written to the journal and survive the link and the process.
    package let isDurable: Bool
    /// Whether a record is refused while the counterpart is not reachable.
    package let needsReachability: Bool
    /// Whether a record may await a reply, or be one.
    package let hasReplies: Bool
    /// Whether somebody waits for the record now; it leaves before the records of other channels.
    package let isUrgent: Bool
    /// Whether records may travel as early data.
    package let travelsEarly: Bool
    /// Whether a record may leave before its local commit ends. A draft can ask to wait.
    package let overlapsCommit: Bool
    /// Whether records leave only when nothing else waits, and never hold back another channel.
    package let isBulk: Bool
    /// Whether values leave by a token bucket, so that a burst of changes is merged.
    package let isPaced: Bool
    /// Whether changes that follow each other quickly share packets (`ChangeGathering`).
    package let isGathered: Bool
    /// Whether a small record is sent with redundancy on a carrier that can lose.
    package let isRedundant: Bool
    /// Records that the receiver accepts at the beginning of a session; 0 in latest-value channels.
    package let recordWindow: Int
    /// Payload bytes that the receiver accepts at the beginning of a session; 0 in latest-value
    /// channels.
    package let byteWindow: Int
    /// The largest payload of one record, in bytes.
    package let recordByteLimit: Int
    /// Bytes that the values of a latest-value channel may take, each key counted with
    /// ``Channel/keyBytes``; 0 in ordered channels.
    package let setByteLimit: Int
}
