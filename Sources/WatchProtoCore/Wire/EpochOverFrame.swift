/// Statement of a sender: it will say nothing more of these own epochs, whose records are all
/// settled. The receiver closes them.
///
/// ```text
/// 0x33 · count · epochs: 8 bytes each
/// ```
public struct EpochOverFrame: Hashable, Sendable {
    /// The epochs, 1 to 32 of them.
    public var epochs: [EpochID]

    /// Makes the frame.
    public init(_ epochs: [EpochID]) { self.epochs = epochs }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> EpochOverFrame {
        EpochOverFrame(try EpochID.readList(&reader))
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.epochOver.rawValue)
        EpochID.writeList(epochs, to: &writer)
    }
}
