/// A value of a latest-value channel, whole or as a delta (F-22, F-23).
package struct ValueFrame: FramePayload {
    /// A value that both sides hold, by the low bits of its version and fingerprint.
    package struct Base: WireCoded, Hashable, Sendable {
        /// The low byte of the version.
        var versionLow: UInt8 = 0
        /// The low two bytes of the payload's fingerprint.
        var fingerprintLow: UInt16 = 0

        mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
            try c.byte(&versionLow, "base version")
            try c.uint16(&fingerprintLow, "base fingerprint")
        }
    }

    package var channel = Channel.context
    /// The value's epoch, by its place in its sender's hello, and its version.
    package var address = RecordAddress()
    var kind = ContentKind.opaque
    /// The key that has this value. It may be left out once a handle stands for it.
    package var key: RecordKey?
    /// Stands for the key for the rest of the session.
    package var handle: UInt64?
    /// Whether the receiver keeps this value as the next base.
    var marksBase = false
    /// Whether ``body`` is a delta against `base`.
    package var isDelta = false
    /// The sender's present base; every delta names it, and every value that marks the next one.
    var base: Base?
    /// The time at which the value loses its worth.
    var expiresAt: WallTime?
    /// The payload or the delta.
    package var body: [UInt8] = []

    /// Handles that a session may define, in one direction.
    static let handles = 8192

    private enum Form {
        static let key: UInt8 = 0x08
        static let handle: UInt8 = 0x10
        static let marks: UInt8 = 0x20
        static let delta: UInt8 = 0x40
        static let more: UInt8 = 0x80
        static let moreBase: UInt8 = 1
        static let moreExpiry: UInt8 = 2
    }

    var type: FrameType { .value }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try codeHead(&c)
        try c.block(&body, "payload", 0...channel.traits.recordByteLimit)
    }

    /// Everything between the type byte and the length of the body.
    private mutating func codeHead<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C
    ) throws(C.Failure) {
        var more: UInt8 = base != nil && !isDelta ? Form.moreBase : 0
        if expiresAt != nil { more |= Form.moreExpiry }
        var form: UInt8 = more > 0 ? Form.more : 0
        if key != nil { form |= Form.key }
        if handle != nil { form |= Form.handle }
        if marksBase { form |= Form.marks }
        if isDelta { form |= Form.delta }
        let start = c.offset
        try c.head(&channel, .latestValue, &form, of: 0xF8, "value form")
        try c.check(
            form & (Form.key | Form.handle) != 0, .unknownCode, at: start, "value form",
            UInt64(form))
        marksBase = form & Form.marks != 0
        isDelta = form & Form.delta != 0
        if form & Form.more != 0 {
            let at = c.offset
            try c.byte(&more, "more of the value form")
            try c.check(
                1...3 ~= more && !(isDelta && more & Form.moreBase != 0), .notCanonical, at: at,
                "more of the value form", UInt64(more))
        }
        try address.code(&c)
        try kind.code(&c)
        try c.optional(&key, if: form & Form.key != 0)
        if form & Form.handle != 0 {
            var number = handle ?? 0
            try c.varint(&number, "handle", 0...UInt64(Self.handles - 1))
            handle = number
        }
        try c.optional(&expiresAt, if: more & Form.moreExpiry != 0)
        try c.optional(&base, if: isDelta || more & Form.moreBase != 0)
    }

    func writeHead(to writer: inout WireWriter) {
        var frame = self
        frame.codeHead(&writer)
    }
}

extension ValueFrame.Base {
    /// Names the value of `version` with this payload.
    init(version: UInt64, payload: [UInt8]) {
        versionLow = UInt8(truncatingIfNeeded: version)
        fingerprintLow = UInt16(truncatingIfNeeded: ContentHash.of(payload))
    }
}

/// Asks for a value whole: a delta names a base that its receiver does not hold, a handle is not
/// defined, or fragments of a value gave way to others.
package struct NeedBaseFrame: FramePayload {
    enum Subject: Hashable, Sendable {
        /// The newest value of this key.
        case key(ValueName)
        /// The newest value of the key that this handle stands for, with the key.
        case handle(Channel, UInt64)
        /// The value of this version, from its first fragment.
        case version(Channel, UInt64)
    }

    var subject = Subject.version(.context, 1)

    /// Bytes a frame takes at most.
    static let largestBytes = 18

    var type: FrameType { .needBase }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var (channel, form, key, number) = (Channel.context, UInt8(0), RecordKey(), UInt64(0))
        switch subject {
        case .key(let name): (channel, key) = (name.channel, name.key)
        case .handle(let named, let handle): (channel, form, number) = (named, 0x10, handle)
        case .version(let named, let version): (channel, form, number) = (named, 0x20, version)
        }
        let start = c.offset
        try c.head(&channel, .latestValue, &form, of: 0x30, "base request")
        try c.check(form < 0x30, .unknownCode, at: start, "base request", UInt64(form))
        switch form {
        case 0x10:
            try c.varint(&number, "handle", 0...UInt64(ValueFrame.handles - 1))
            subject = .handle(channel, number)
        case 0x20:
            try c.number(&number)
            subject = .version(channel, number)
        default:
            try key.code(&c)
            subject = .key(ValueName(channel: channel, key: key))
        }
    }
}

/// States that values with these versions are committed, or applied, at their receiver (F-24).
package struct ValueAcknowledgementFrame: FramePayload {
    /// Whether the application has applied them; else they are committed and pending.
    var isApplied = false
    /// The versions, at most ``versionLimit``.
    var versions = NumberRanges()

    /// Versions in one frame, so that a reader has little to do.
    static let versionLimit: UInt64 = 1024

    var type: FrameType { .valueAcknowledgement }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var level: UInt8 = isApplied ? 1 : 0
        try c.code(&level, below: 2, "acknowledgement level")
        isApplied = level == 1
        try c.ascending(&versions, countsFirst: true, most: Self.versionLimit)
    }

    /// Takes out of `due` what fits into `room` bytes and one frame; nil where nothing does.
    static func taking(
        from due: inout NumberRanges, isApplied: Bool, room: Int, limits: Limits
    ) -> ValueAcknowledgementFrame? {
        var versions = NumberRanges()
        var used = 4
        var total: UInt64 = 0
        for range in due.ranges {
            let cost = WireWriter.varintSize(range.upperBound) + 2
            guard versions.ranges.count < limits.acknowledgementRanges, used + cost <= room,
                total < versionLimit
            else { break }
            let length = min(range.upperBound - range.lowerBound, versionLimit - total - 1)
            versions.insert(range.lowerBound...(range.lowerBound + length))
            used += cost
            total += length + 1
        }
        guard let last = versions.last else { return nil }
        due.removeAll(below: last + 1)
        return ValueAcknowledgementFrame(isApplied: isApplied, versions: versions)
    }
}

/// States how a value ended at its receiver without being applied.
package struct ValueOutcomeFrame: FramePayload {
    var version: UInt64 = 0
    /// The application's code, or ``Outcome/noRoomCode``; nil where a newer value is held.
    var rejection: UInt16?

    /// Bytes a frame takes at most.
    static let largestBytes = 13

    var type: FrameType { .valueOutcome }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var form: UInt8 = rejection == nil ? 0 : 1
        try c.code(&form, below: 2, "outcome of a value")
        try c.number(&version)
        guard form == 1 else { return }
        var code = rejection ?? 0
        try c.uint16(&code, "rejection code")
        rejection = code
    }
}

extension Outcome {
    /// The code of a rejection by the protocol itself: the receiver holds as much of the channel as
    /// it can. No application uses it.
    package static let noRoomCode: UInt16 = .max
}
