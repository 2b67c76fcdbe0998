/// Epochs of the sender that found no room in its hello, or that are announced anew during the
/// session. With the hello they make up the list into which a ``RecordAddress`` points.
///
/// ```text
/// 0x09 · index of the first · count · epochs
/// ```
public struct EpochsFrame: Hashable, Sendable {
    /// The index of the first of ``epochs``, from 1.
    public var first: Int
    /// Consecutive epochs of the list, at least one.
    public var epochs: [ListedEpoch]

    /// Makes the frame.
    public init(first: Int, epochs: [ListedEpoch]) {
        self.first = first
        self.epochs = epochs
    }

    /// Bytes the frame takes beside its epochs, at most.
    static let overheadBytes = 5

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> EpochsFrame {
        let start = reader.offset
        let first = Int(
            try reader.varint("index of an epoch", atMost: UInt64(RecordAddress.largestIndex)))
        let room = RecordAddress.largestIndex - first + 1
        let count = try reader.count("epochs", atMost: room, size: 9)
        guard first > 0, count > 0 else {
            throw WireError(
                .outOfRange, at: start, expected: "epochs from index 1 on", found: UInt64(first))
        }
        var epochs: [ListedEpoch] = []
        for _ in 0..<count { epochs.append(try ListedEpoch.read(&reader)) }
        return EpochsFrame(first: first, epochs: epochs)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.epochs.rawValue)
        writer.varint(UInt64(first))
        writer.varint(UInt64(epochs.count))
        for epoch in epochs { epoch.write(to: &writer) }
    }
}
