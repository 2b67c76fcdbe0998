/// The sender is done with this link, and why. Nothing follows it.
public struct CloseFrame: Hashable, Sendable {
    /// The raw value of a ``CloseCode``, or a code that only a newer version knows.
    public var code: UInt8

    static func read(_ reader: inout WireReader) throws(WireError) -> CloseFrame {
        CloseFrame(code: try reader.byte("close code"))
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.close.rawValue)
        writer.byte(code)
    }
}
