/// An epoch as its owner lists it in a hello or in an ``EpochsFrame``.
///
/// ```text
/// [epoch: 8 bytes] · form · [end of the reservation] · (watermark · last − watermark) …
/// ```
/// The form has a bit for each durable ordered channel that was used, 1 << its code, and 0x20 for
/// an epoch that is announced. The present epoch has no id: it stands beside the hello.
public struct ListedEpoch: Hashable, Sendable {
    /// The progress of a durable ordered channel in the epoch.
    public struct Numbers: Hashable, Sendable {
        /// The channel.
        public var channel: Channel
        /// The highest number used, from 1.
        public var last: UInt64
        /// Every record up to this number is settled; at most ``last``.
        public var watermark: UInt64

        /// Says how far `channel` came.
        public init(channel: Channel, last: UInt64, watermark: UInt64) {
            self.channel = channel
            self.last = last
            self.watermark = watermark
        }
    }

    /// The epoch.
    public var id: EpochID
    /// The end of its reservation of versions, where the counterpart is not known to have written
    /// the epoch down: it is announced.
    public var announcedEnd: UInt64?
    /// The channels that were used, in the order of their codes.
    public var numbers: [Numbers]

    /// Lists an epoch.
    public init(id: EpochID, announcedEnd: UInt64?, numbers: [Numbers]) {
        self.id = id
        self.announcedEnd = announcedEnd
        self.numbers = numbers
    }

    private static let announced: UInt8 = 0x20

    /// Reads an epoch with its id, or the present one, which is `present`.
    static func read(
        _ reader: inout WireReader, present: EpochID? = nil
    ) throws(WireError) -> ListedEpoch {
        let id: EpochID
        if let present { id = present } else { id = try EpochID.read(&reader) }
        let start = reader.offset
        let form = try reader.byte("form of an epoch")
        let largest = RecordNumber.largest
        var listed = ListedEpoch(id: id, announcedEnd: nil, numbers: [])
        if form & announced != 0 {
            listed.announcedEnd = try reader.varint("end of the reservation", atMost: largest)
        }
        var known = announced
        for channel in Channel.allCases where channel.isListed {
            let bit: UInt8 = 1 << channel.rawValue
            known |= bit
            guard form & bit != 0 else { continue }
            let watermark = try reader.varint("watermark", atMost: largest)
            let at = reader.offset
            let rest = try reader.varint("unsettled numbers", atMost: largest - watermark)
            guard watermark + rest > 0 else {
                throw WireError(.notCanonical, at: at, expected: "a used channel", found: 0)
            }
            listed.numbers.append(
                Numbers(channel: channel, last: watermark + rest, watermark: watermark))
        }
        guard form & ~known == 0 else {
            throw WireError(
                .unknownCode, at: start, expected: "form of an epoch", found: UInt64(form))
        }
        return listed
    }

    /// Appends the epoch, with its id unless it is the present one.
    func write(to writer: inout WireWriter, isPresent: Bool = false) {
        if !isPresent { writer.uint64(id.rawValue) }
        var form: UInt8 = announcedEnd == nil ? 0 : Self.announced
        for used in numbers { form |= 1 << used.channel.rawValue }
        writer.byte(form)
        if let announcedEnd { writer.varint(announcedEnd) }
        for used in numbers {
            writer.varint(used.watermark)
            writer.varint(used.last - min(used.watermark, used.last))
        }
    }

    /// Bytes that the epoch takes with its id.
    var size: Int {
        var bytes = 9
        if let announcedEnd { bytes += WireWriter.varintSize(announcedEnd) }
        for used in numbers {
            bytes += WireWriter.varintSize(used.watermark)
            bytes += WireWriter.varintSize(used.last - min(used.watermark, used.last))
        }
        return bytes
    }
}

extension Channel {
    /// Whether an epoch lists how far the channel came: it is ordered and durable.
    public var isListed: Bool { traits.order == .ordered && traits.isDurable }
}
