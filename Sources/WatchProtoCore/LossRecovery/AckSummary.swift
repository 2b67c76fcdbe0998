/// The evidence on the path in one acknowledgement: packets acknowledged and lost, and the newest.
struct AckSummary: Sendable {
    /// The newest packet of an acknowledgement.
    struct Newest: Sendable {
        var sentAt: Instant
        var bytes: Int
        /// Pacing delayed the packet, or delays others behind it.
        var wasPaced: Bool
    }

    /// Packets newly acknowledged, without those recovered from repair packets.
    var count = 0
    /// Bytes of those packets.
    var bytes = 0
    /// Packets lost, those recovered from repair packets included.
    var lost = 0
    /// The largest acknowledged packet, where it is newly acknowledged.
    var newest: Newest?
}
