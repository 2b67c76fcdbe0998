/// Statement of a receiver: what it holds of an epoch that the sender has not listed, in every
/// durable ordered channel.
///
/// ```text
/// 0x36 · epoch: 8 bytes · count · (channel · through · watermark) …
/// ```
/// One frame names every channel, so the sender can answer for the epoch as a whole.
public struct EpochHeldFrame: Hashable, Sendable {
    /// The records that are held in one channel.
    public struct Part: Hashable, Sendable {
        /// The durable ordered channel.
        public var channel: Channel
        /// Every record up to this number was taken, or skipped; 0 where there is none.
        public var through: UInt64
        /// Every record up to this number was settled; at most ``through``.
        public var watermark: UInt64

        /// Makes the part of one channel.
        public init(channel: Channel, through: UInt64, watermark: UInt64) {
            self.channel = channel
            self.through = through
            self.watermark = watermark
        }
    }

    /// The sender's epoch.
    public var epoch: EpochID
    /// One part a channel in which the epoch is open, in the order of the channels' codes.
    public var parts: [Part]

    /// Makes the frame.
    public init(epoch: EpochID, parts: [Part]) {
        self.epoch = epoch
        self.parts = parts
    }

    /// Reads the frame behind its type byte. The packet's author is at fault for every error.
    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> EpochHeldFrame {
        let start = reader.offset
        let id = try reader.uint64("epoch")
        guard id != 0 else {
            throw WireError(.outOfRange, at: start, expected: "epoch", found: 0)
        }
        let count = try reader.count("channels", atMost: Channel.ordered.count, size: 3)
        var parts: [Part] = []
        for _ in 0..<count {
            let at = reader.offset
            let channel = try Channel.readOrdered(&reader)
            guard channel.traits.isDurable,
                parts.last.map({ $0.channel.rawValue < channel.rawValue }) ?? true
            else {
                throw WireError(
                    .notCanonical, at: at, expected: "durable ordered channels in order",
                    found: UInt64(channel.rawValue))
            }
            let through = try reader.varint("through", atMost: RecordNumber.largest)
            let watermark = try reader.varint("watermark", atMost: through)
            parts.append(Part(channel: channel, through: through, watermark: watermark))
        }
        return EpochHeldFrame(epoch: EpochID(rawValue: id), parts: parts)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.epochHeld.rawValue)
        writer.uint64(epoch.rawValue)
        writer.varint(UInt64(parts.count))
        for part in parts {
            writer.byte(part.channel.rawValue)
            writer.varint(part.through)
            writer.varint(part.watermark)
        }
    }
}
