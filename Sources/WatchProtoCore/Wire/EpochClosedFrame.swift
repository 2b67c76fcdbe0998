/// Statement of a receiver: these epochs of the sender are closed. The sender lists them no more.
///
/// ```text
/// 0x34 · count · epochs: 8 bytes each
/// ```
public struct EpochClosedFrame: Hashable, Sendable {
    /// The epochs, 1 to 32 of them.
    public var epochs: [EpochID]

    /// Makes the frame.
    public init(_ epochs: [EpochID]) { self.epochs = epochs }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> EpochClosedFrame {
        EpochClosedFrame(try EpochID.readList(&reader))
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.epochClosed.rawValue)
        EpochID.writeList(epochs, to: &writer)
    }
}
