/// What a packet in flight carried, by reference: enough to send the *current* state of it again.
/// Frames are retransmitted, packets never.
///
/// The peer has one type for all frames; loss recovery only stores its values, returns them as
/// acknowledged or lost, and asks these two questions.
package protocol PacketReference: Hashable, Sendable {
    /// Whether a packet that carried it belongs to an FEC block. What is stated again anyway, and
    /// what is one of many, does not.
    var isWorthRepair: Bool { get }
    /// Whether somebody waits for it now.
    var isUrgent: Bool { get }
    /// The reference of a repair packet, which is never retransmitted. It answers both questions
    /// with no.
    static var repair: Self { get }
}
