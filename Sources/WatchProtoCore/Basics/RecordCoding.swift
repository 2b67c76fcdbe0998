/// The clock of the side that codes values, told in its hello: times are coded from there.
package struct CodingReference: Hashable, Sendable {
    /// Minutes since 2020-01-01T00:00Z.
    package var minute: Int32
    /// Minutes from UTC to the local time.
    package var offset: Int16

    /// Makes the reference.
    package init(minute: Int32 = 0, offset: Int16 = 0) {
        self.minute = minute
        self.offset = offset
    }
}

/// A coding of the values of a kind against a table that both sides have, in fewer bytes. The
/// canonical payload is the one that is stored, compared and a base of deltas.
package struct RecordCoding: Sendable {
    /// Codes a payload, or what changed from `base`; nil if it has no coding.
    package typealias Encode =
        @Sendable (
            _ payload: [UInt8], _ key: RecordKey, _ base: [UInt8]?, _ reference: CodingReference
        ) -> [UInt8]?
    /// The payload of a coding; nil if the bytes are none, whose maker is at fault.
    package typealias Decode =
        @Sendable (
            _ coded: [UInt8], _ key: RecordKey, _ base: [UInt8]?, _ reference: CodingReference
        ) -> [UInt8]?

    /// The kind of coded values on the wire.
    package var kind: ContentKind
    package var encode: Encode
    package var decode: Decode

    /// Makes the coding.
    package init(
        _ kind: ContentKind, encode: @escaping Encode, decode: @escaping Decode
    ) {
        self.kind = kind
        self.encode = encode
        self.decode = decode
    }
}
