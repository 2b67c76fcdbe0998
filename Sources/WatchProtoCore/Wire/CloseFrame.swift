/// The end of a session, and why its sender ends it. No packet of the session follows it.
///
/// ```text
/// 0x03 · code
/// ```
public struct CloseFrame: Hashable, Sendable {
    /// The reason. A code without a name here is no violation.
    public var code: CloseCode

    /// Makes a frame that ends the session for the reason `code`.
    public init(code: CloseCode) { self.code = code }

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> CloseFrame {
        CloseFrame(code: CloseCode(rawValue: try reader.byte("close code")))
    }

    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.close.rawValue)
        writer.byte(code.rawValue)
    }
}
