/// Asks what the counterpart holds of this side's values: the digest of all versions, or the
/// versions in ranges of names, and which of some of this side's epochs it has written down (F-25).
package struct HeldQueryFrame: FramePayload {
    /// A question about a range of names.
    struct Asked: WireCoded, Hashable, Sendable {
        var range = HeldRange()
        /// Its entries are wanted in any case, not digests of its parts.
        var wantsEntries = false

        /// Bytes a question takes at most.
        static let largestBytes = 4

        mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
            let start = c.offset
            var number = range.number << 1 | (wantsEntries ? 1 : 0)
            try c.varint(&number, "range asked for")
            (range, wantsEntries) = (HeldRange(number: number >> 1), number & 1 != 0)
            try c.check(range.isValid, .outOfRange, at: start, "range asked for", number)
        }
    }

    /// Whether a ``HeldDigestFrame`` is wanted.
    var wantsDigest = false
    /// The listing of the session that the ranges are of.
    var listing: UInt64 = 0
    /// Ranges of which a ``HeldRangesFrame`` or ``HeldFrame``s are wanted.
    var ranges: [Asked] = []
    /// Epochs of this side; the answer says of each whether it is known.
    var epochs: [EpochID] = []

    /// Ranges in one frame.
    static let rangeLimit = 64
    /// Epochs in one frame.
    static let epochLimit = 16
    /// Bytes a frame takes beside its ranges and epochs, at most.
    static let overheadBytes = 14

    var type: FrameType { .heldQuery }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        let start = c.offset
        var wants: UInt8 = (wantsDigest ? 1 : 0) | (ranges.isEmpty ? 0 : 2)
        try c.code(&wants, below: 4, "what is asked for")
        wantsDigest = wants & 1 != 0
        if wants & 2 != 0 {
            try c.varint(&listing, "listing")
            try c.list(&ranges, "ranges asked for", 1...Self.rangeLimit, size: 1)
        }
        try c.list(&epochs, "epochs asked about", 0...Self.epochLimit, size: 8)
        try c.check(
            wants > 0 || !epochs.isEmpty, .unknownCode, at: start, "what is asked for", 0)
    }
}

/// States digests of the versions that a receiver of values holds, of each part of a range of names
/// (F-31).
package struct HeldRangesFrame: FramePayload {
    /// The listing that was asked for.
    var listing: UInt64 = 0
    var range = HeldRange()
    /// The ``VersionDigest`` of the whole listing; told with the range of all names only.
    var digest: UInt64 = 0
    /// The ``VersionDigest/short(_:in:)`` of each part.
    var parts = Array(repeating: UInt16(0), count: HeldRange.parts)

    /// Bytes a frame takes at most.
    static let largestBytes = 55

    var type: FrameType { .heldRanges }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.varint(&listing, "listing")
        let start = c.offset
        try range.code(&c)
        try c.check(
            !range.isSmallest, .outOfRange, at: start, "range that has parts", range.number)
        if range.isAll { try c.uint64(&digest, "digest") }
        for place in parts.indices { try c.uint16(&parts[place], "short digest") }
    }
}
