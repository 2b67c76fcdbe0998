/// States the digest of the versions that a receiver of values holds, and which of the epochs asked
/// about it has written down.
package struct HeldDigestFrame: FramePayload {
    struct Epoch: WireCoded, Hashable, Sendable {
        var id = EpochID()
        /// Whether it is written down.
        var isKnown = false

        mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
            try id.code(&c)
            let at = c.offset
            var known: UInt8 = isKnown ? 1 : 0
            try c.byte(&known, "known or not")
            try c.check(known < 2, .outOfRange, at: at, "0 or 1", UInt64(known))
            isKnown = known == 1
        }
    }

    /// The ``VersionDigest`` of all that is held.
    var digest: UInt64 = 0
    var epochs: [Epoch] = []

    var type: FrameType { .heldDigest }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.uint64(&digest, "digest")
        try c.list(&epochs, "epochs told about", 0...HeldQueryFrame.epochLimit, size: 9)
    }
}

/// States which versions a receiver of values holds in a range of names, key by key: a piece of a
/// listing (F-26).
package struct HeldFrame: FramePayload {
    /// The state that is held of one key.
    struct Entry: WireCoded, Hashable, Sendable {
        var name = ValueName(channel: .context, key: RecordKey())
        /// The highest version that the application was given.
        var version: UInt64 = 0
        /// The answer of the application to that version.
        var disposition = Disposition.applied
        /// Whether the value that is held is a removal.
        var isRemoval = false
        /// The ``VersionDigest/fingerprint(_:_:)`` of the value that is held; nil where none is.
        var fingerprint: UInt64?

        /// Bytes an entry takes at most, and at least.
        static let largestBytes = 37
        static let smallestBytes = 18

        mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
            var code: UInt16 = 0
            var form: UInt8 = (isRemoval ? 0x20 : 0) | (fingerprint == nil ? 0 : 0x40)
            switch disposition {
            case .applied: break
            case .pending: form |= 1 << 3
            case .rejected(let reason):
                form |= 2 << 3
                code = reason
            }
            let start = c.offset
            try c.head(&name.channel, .latestValue, &form, of: 0x78, "form of a held key")
            let state = form >> 3 & 3
            try c.check(
                state < 3 && form & 0x60 != 0x20, .unknownCode, at: start, "form of a held key",
                UInt64(form))
            try name.key.code(&c)
            try c.number(&version)
            if state == 2 { try c.uint16(&code, "rejection code") }
            disposition = state == 0 ? .applied : state == 1 ? .pending : .rejected(code: code)
            isRemoval = form & 0x20 != 0
            guard form & 0x40 != 0 else { return }
            var held = fingerprint ?? 0
            try c.uint64(&held, "fingerprint")
            fingerprint = held
        }
    }

    /// The listing that was asked for.
    var listing: UInt64 = 0
    /// A key absent from the range was removed at or below this version; 0 where nothing was
    /// removed.
    var watermark: UInt64 = 0
    var range = HeldRange()
    /// Entries of the whole range.
    var total = 0
    /// The place of the first entry of this piece.
    var start = 0
    var entries: [Entry] = []

    /// Bytes a frame takes beside its entries, at most.
    static let overheadBytes = 40

    /// Keys that a receiver of values remembers, at most.
    static func keyLimit(_ limits: Limits) -> Int { limits.keys * limits.setsHeld }

    var type: FrameType { .held }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.varint(&listing, "listing")
        try c.varint(&watermark, "removal watermark", 0...RecordNumber.largest)
        try range.code(&c)
        try c.varint(&total, "keys held", 0...Self.keyLimit(.standard))
        try c.varint(&start, "first key", 0...total)
        try c.list(&entries, "keys", 0...max(0, total - start), size: Entry.smallestBytes)
    }
}

/// Asks for the value that the counterpart holds of a key of this side, from some byte on.
package struct ValueQueryFrame: FramePayload {
    var name = ValueName(channel: .context, key: RecordKey())
    /// The first byte of the value that is wanted.
    var offset = 0

    /// Bytes a frame takes at most.
    static let largestBytes = 22

    var type: FrameType { .valueQuery }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.channel(&name.channel, .latestValue)
        try name.key.code(&c)
        try c.varint(&offset, "offset", 0...name.channel.traits.recordByteLimit)
    }
}

/// States the value that its sender holds of a key of the receiver, or a piece of it.
package struct HeldValueFrame: FramePayload {
    struct Piece: Hashable, Sendable {
        var kind = ContentKind.opaque
        /// Bytes of the whole value.
        var totalBytes = 0
        /// The place of the first byte of this piece.
        var offset = 0
        var bytes: [UInt8] = []
    }

    var name = ValueName(channel: .context, key: RecordKey())
    /// The version of the value; 0 where there is none.
    var version: UInt64 = 0
    /// A piece of the value; nil where none is held.
    var piece: Piece?

    /// Bytes a frame takes beside its piece, at most.
    static let overheadBytes = 42

    var type: FrameType { .heldValue }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var form: UInt8 = piece == nil ? 0 : 0x10
        try c.head(&name.channel, .latestValue, &form, of: 0x10, "form of a held value")
        try name.key.code(&c)
        try c.varint(&version, "version", 0...RecordNumber.largest)
        guard form != 0 else { return }
        var part = piece ?? Piece()
        try part.kind.code(&c)
        let limit = name.channel.traits.recordByteLimit
        try c.varint(&part.totalBytes, "bytes of the value", 0...limit)
        try c.varint(&part.offset, "offset", 0...part.totalBytes)
        let left = max(0, part.totalBytes - part.offset)
        try c.block(&part.bytes, "piece of the value", 0...left)
        piece = part
    }
}

/// Says that the sender of the values has lost no version: the epochs that it announced may be
/// written down. A hint.
package struct NothingLostFrame: FramePayload {
    var type: FrameType { .nothingLost }
    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {}
}

/// States that the sender of the values had lost a version and has mended its versions: its
/// present epoch becomes that of the receiver's top.
package struct MendedFrame: FramePayload {
    var type: FrameType { .mended }
    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {}
}

/// States that every key that the sender of the values does not name was removed at or below a
/// version.
package struct RemovalWatermarkFrame: FramePayload {
    var version: UInt64 = 0

    var type: FrameType { .removalWatermark }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.number(&version)
    }
}
