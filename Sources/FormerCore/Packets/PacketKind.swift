/// What a packet is, in the low two bits of its first byte (on streams, of its length prefix).
public enum PacketKind: UInt8, Sendable, CaseIterable {
    /// Frames, sealed with the keys of the session.
    case transport = 0
    /// One flight of a handshake.
    case handshake = 1
    /// Frames, sealed with the early key of a reconnection.
    case early = 2
    /// Advice in clear, from one who cannot or will not speak with us; it changes no state.
    case notice = 3
}
