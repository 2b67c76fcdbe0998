/// Statement of a receiver: these epochs of the sender are closed. The sender lists them no more.
///
/// ```text
/// 0x34 · count · epochs: 8 bytes each
/// ```
package struct EpochClosedFrame: Hashable, Sendable {
    /// The epochs, 1 to 32 of them.
    package var epochs: [EpochID]

    /// Makes the frame.
    package init(_ epochs: [EpochID]) { self.epochs = epochs }

    /// Reads the frame behind its type byte.
    package static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> EpochClosedFrame {
        EpochClosedFrame(try EpochID.readList(&reader))
    }

    /// Appends the frame with its type byte.
    package func write(to writer: inout WireWriter) {
        writer.byte(FrameType.epochClosed.rawValue)
        EpochID.writeList(epochs, to: &writer)
    }
}
