public import WatchProtoCore

/// A value with one canonical encoding: equal values have equal bytes, and all other bytes are
/// refused. The bytes are specified in <doc:record-encoding>.
public protocol RecordCodable: Hashable, Sendable {
    /// The most bytes of an encoding.
    static var byteBudget: Int { get }

    /// The number of bytes that ``encode(into:)`` writes, within the budget or not.
    var encodedSize: Int { get }

    /// Appends the encoding to `output`.
    ///
    /// - Throws: ``EncodingRefusal`` in bytes, if the value is over the budget or there is no room.
    ///   The caller is at fault, and nothing was written.
    func encode(into output: inout OutputSpan<UInt8>) throws(EncodingRefusal)

    /// Decodes the value from all of `bytes`.
    ///
    /// - Throws: the broken rule and its offset, for any other bytes; their maker is at fault.
    init(decoding bytes: Span<UInt8>) throws(WireError)
}

extension RecordCodable {
    /// The encoding in a new array.
    ///
    /// - Throws: `tooLarge`, in bytes, for a value over the budget; the maker of the value is at
    ///   fault.
    public func encoded() throws(EncodingRefusal) -> [UInt8] {
        let size = encodedSize
        guard size <= Self.byteBudget else {
            throw .tooLarge(bytes: size, limit: Self.byteBudget)
        }
        return try [UInt8](capacity: size) { output throws(EncodingRefusal) in
            try encode(into: &output)
        }
    }

    /// Decodes the value from all of `bytes`.
    ///
    /// - Throws: the broken rule and its offset, for any other bytes; their maker is at fault.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        try self.init(decoding: bytes.span)
    }

    /// Refuses a value that is over the budget or does not fit into the rest of `output`.
    @inlinable
    func checkRoom(_ size: Int, _ output: borrowing OutputSpan<UInt8>) throws(EncodingRefusal) {
        guard size <= Self.byteBudget else {
            throw .tooLarge(bytes: size, limit: Self.byteBudget)
        }
        guard size <= output.freeCapacity else {
            throw .noRoom(bytes: size, free: output.freeCapacity)
        }
    }
}
