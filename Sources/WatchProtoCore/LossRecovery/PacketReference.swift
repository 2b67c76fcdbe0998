/// A reference to content of a packet in flight: enough to send its *current* state again.
/// Frames are retransmitted, packets never.
///
/// The peer has one type for all frames; loss recovery only stores its values, returns them as
/// acknowledged or lost, and asks these two questions.
protocol PacketReference: Hashable, Sendable {
    /// Whether a packet that carried it belongs to an FEC block. Content that is stated
    /// again anyway, or that is one of many, does not.
    var isWorthRepair: Bool { get }
    /// Whether somebody waits for it now.
    var isUrgent: Bool { get }
    /// The reference of a repair packet, which is never retransmitted. It answers both questions
    /// with no.
    static var repair: Self { get }
}
