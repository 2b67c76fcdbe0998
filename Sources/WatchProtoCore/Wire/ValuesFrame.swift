/// New values of one kind whose codings are one, so that each costs fewer bytes (F-30).
package struct ValuesFrame: FramePayload {
    /// A value behind the first one.
    struct Further: WireCoded, Hashable, Sendable {
        /// The distance from the version before, less 1.
        var step: UInt64 = 0
        var key = RecordKey()

        mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
            try c.varint(&step, "version step", 0...RecordNumber.largest)
            try key.code(&c)
        }
    }

    package var channel = Channel.context
    /// The epoch of all, and the version of the first one.
    package var first = RecordAddress()
    /// The kind of the coding.
    var kind = ContentKind.opaque
    /// The handle of the first one; those behind it follow by 1.
    var firstHandle: UInt64 = 0
    var firstKey = RecordKey()
    var further: [Further] = []
    /// The coding of all payloads, in the order of the keys.
    package var body: [UInt8] = []

    /// The most values of a frame.
    static let largestCount = 100

    var type: FrameType { .values }

    /// The keys, in the order of the versions.
    package var keys: [RecordKey] { [firstKey] + further.map { $0.key } }

    /// The versions, ascending.
    package var versions: [UInt64] {
        var version = first.number
        return [version]
            + further.map {
                version += $0.step + 1
                return version
            }
    }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var flags: UInt8 = 0
        try c.head(&channel, .latestValue, &flags, of: 0, "values form")
        try first.code(&c)
        try kind.code(&c)
        try c.varint(&firstHandle, "first handle", 0...UInt64(ValueFrame.handles - 1))
        try firstKey.code(&c)
        let start = c.offset
        try c.list(&further, "further values", 1...Self.largestCount - 1, size: 17)
        var last = first.number
        for value in further {
            let (sum, isOver) = last.addingReportingOverflow(value.step + 1)
            try c.check(
                !isOver && sum <= RecordNumber.largest, .outOfRange, at: start, "version",
                value.step)
            last = sum
        }
        try c.check(
            firstHandle + UInt64(further.count) < UInt64(ValueFrame.handles), .outOfRange,
            at: start, "last handle", firstHandle + UInt64(further.count))
        try c.block(&body, "coding", 0...channel.traits.recordByteLimit)
    }
}
