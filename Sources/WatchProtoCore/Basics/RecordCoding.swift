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

    /// The coding of several whole payloads as one. It decodes as many payloads as there are keys.
    package struct Batch: Sendable {
        package var encode:
            @Sendable (
                _ payloads: [[UInt8]], _ keys: [RecordKey], _ reference: CodingReference
            ) -> [UInt8]?
        package var decode:
            @Sendable (
                _ coded: [UInt8], _ keys: [RecordKey], _ reference: CodingReference
            ) -> [[UInt8]]?

        /// Makes the coding of several payloads.
        package init(
            encode: @escaping @Sendable ([[UInt8]], [RecordKey], CodingReference) -> [UInt8]?,
            decode: @escaping @Sendable ([UInt8], [RecordKey], CodingReference) -> [[UInt8]]?
        ) {
            self.encode = encode
            self.decode = decode
        }
    }

    /// The kind of coded values on the wire.
    package var kind: ContentKind
    package var encode: Encode
    package var decode: Decode
    /// Codes several payloads as one; nil where the kind has no such coding.
    package var batch: Batch?

    /// Makes the coding.
    package init(
        _ kind: ContentKind, encode: @escaping Encode, decode: @escaping Decode,
        batch: Batch? = nil
    ) {
        self.kind = kind
        self.encode = encode
        self.decode = decode
        self.batch = batch
    }
}
