/// An epoch as its owner lists it in a hello or in an ``EpochsFrame`` (W-17).
package struct ListedEpoch: WireCoded, Hashable, Sendable {
    /// The progress of a durable ordered channel in the epoch.
    package struct Numbers: Hashable, Sendable {
        /// The channel.
        package var channel: Channel
        /// The highest number used, from 1.
        package var last: UInt64
        /// Every record up to this number is settled; at most ``last``.
        package var watermark: UInt64
    }

    /// The epoch.
    package var id = EpochID()
    /// Its end: of the present epoch the end of its reservation of versions, of an earlier one the
    /// last version that its owner's journal holds. Nil where the counterpart is known to have
    /// written the epoch down; otherwise the epoch is announced.
    package var announcedEnd: UInt64?
    /// The channels that were used, in the order of their codes.
    package var numbers: [Numbers] = []

    private static let announced: UInt8 = 0x80

    /// Whether the epoch says its end and no more.
    var isAnnouncedAlone: Bool { announcedEnd != nil && numbers.isEmpty }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try id.code(&c)
        try codePresent(&c, isAnnouncedAlone: false)
    }

    /// The epoch without its id: the present one stands beside the hello, whose head tells where it
    /// has no form.
    mutating func codePresent<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C, isAnnouncedAlone: Bool
    ) throws(C.Failure) {
        let start = c.offset
        var form: UInt8 = announcedEnd == nil ? 0 : Self.announced
        for used in numbers { form |= 1 << used.channel.rawValue }
        if isAnnouncedAlone {
            form = Self.announced
        } else {
            try c.byte(&form, "form of an epoch")
        }
        if form & Self.announced != 0 {
            var end = announcedEnd ?? 0
            try c.varint(&end, "end of the reservation", 0...RecordNumber.largest)
            announcedEnd = end
        }
        var known = Self.announced
        for place in 0..<Channel.ordered.count {
            let channel = Channel.ordered[place]
            guard channel.isListed else { continue }
            let bit: UInt8 = 1 << channel.rawValue
            known |= bit
            if form & bit != 0 { try code(channel, &c) }
        }
        try c.check(
            form & ~known == 0, .unknownCode, at: start, "form of an epoch", UInt64(form))
    }

    private mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(
        _ channel: Channel, _ c: inout C
    ) throws(C.Failure) {
        var used = Numbers(channel: channel, last: 0, watermark: 0)
        for listed in numbers where listed.channel == channel { used = listed }
        try c.varint(&used.watermark, "watermark", 0...RecordNumber.largest)
        let at = c.offset
        var rest = used.last - min(used.watermark, used.last)
        try c.varint(&rest, "unsettled numbers", 0...(RecordNumber.largest - used.watermark))
        try c.check(used.watermark + rest > 0, .notCanonical, at: at, "a used channel", 0)
        used.last = used.watermark + rest
        if C.reads { numbers.append(used) }
    }

    /// Bytes that the epoch takes with its id.
    var size: Int {
        var (epoch, writer) = (self, WireWriter())
        epoch.code(&writer)
        return writer.count
    }
}

extension Channel {
    /// Whether an epoch lists how far the channel came: it is ordered and durable.
    package var isListed: Bool { traits.order == .ordered && traits.isDurable }
}

/// Epochs of the sender that found no room in its hello, or that are announced anew during the
/// session. With the hello they make up the list into which a ``RecordAddress`` points (F-11).
package struct EpochsFrame: FramePayload {
    /// The index of the first of ``epochs``, from 1.
    var first = 1
    /// Consecutive epochs of the list, at least one.
    var epochs: [ListedEpoch] = []

    /// Bytes the frame takes beside its epochs, at most.
    static let overheadBytes = 5

    var type: FrameType { .epochs }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        let largest = RecordAddress.largestIndex
        try c.varint(&first, "index of an epoch", 1...largest)
        try c.list(&epochs, "epochs", 1...(largest - first + 1), size: 9)
    }
}

/// Statement about epochs (F-21): of a sender, that it will say nothing more of these own epochs,
/// whose records are all settled; of a receiver, that these epochs of the sender are closed, or
/// written down.
package struct EpochListFrame: FramePayload {
    /// `epochOver`, `epochClosed` or `epochsKnown`.
    var type = FrameType.epochOver
    /// 1 to ``limit`` epochs.
    var epochs: [EpochID] = []

    static let limit = 32

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.list(&epochs, "1 to 32 epochs", 1...Self.limit, size: 8)
    }

    /// The number of epochs for which a frame of `bytes` has room.
    static func count(in bytes: Int) -> Int { max(0, min(limit, (bytes - 2) / 8)) }
}

/// Statement of a receiver: what it holds of an epoch that the sender has not listed, in every
/// durable ordered channel (F-20). The sender can answer for the epoch as a whole.
package struct EpochHeldFrame: FramePayload {
    /// The records that are held in one channel.
    struct Part: WireCoded, Hashable, Sendable {
        var channel = Channel.background
        /// Every record up to this number was taken, or skipped; 0 where there is none.
        var through: UInt64 = 0
        /// Every record up to this number was settled; at most ``through``.
        var watermark: UInt64 = 0

        mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
            try c.channel(&channel, .ordered)
            try c.varint(&through, "through", 0...RecordNumber.largest)
            try c.varint(&watermark, "watermark", 0...through)
        }
    }

    /// The sender's epoch.
    var epoch = EpochID()
    /// One part a channel in which the epoch is open, in the order of the channels' codes.
    var parts: [Part] = []

    var type: FrameType { .epochHeld }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try epoch.code(&c)
        var count = parts.count
        try c.count(&count, "channels", 0...Channel.ordered.count, size: 3)
        if C.reads { parts = Array(repeating: Part(), count: count) }
        for place in parts.indices {
            let start = c.offset
            try parts[place].code(&c)
            let channel = parts[place].channel
            try c.check(
                channel.isListed
                    && (place == 0 || parts[place - 1].channel.rawValue < channel.rawValue),
                .notCanonical, at: start, "durable ordered channels in order",
                UInt64(channel.rawValue))
        }
    }
}
