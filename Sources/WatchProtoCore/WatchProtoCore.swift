/// The versions of the wire format: all that two sides must share before they understand each
/// other.
public enum WireVersion {
    /// The version this core speaks, as the first handshake message names it.
    public static let current: UInt8 = 1
}
