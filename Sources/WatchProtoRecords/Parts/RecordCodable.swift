public import WatchProtoCore

/// A value with one canonical encoding: equal values have equal bytes, and bytes that are not the
/// encoding of a value are refused. The bytes are specified in <doc:record-encoding>.
public protocol RecordCodable: Hashable, Sendable {
    /// The most bytes an encoding may take.
    static var byteBudget: Int { get }

    /// The bytes ``encode(into:)`` writes, whether within the budget or not.
    var encodedSize: Int { get }

    /// Appends the encoding to `output`, or changes nothing and throws why not: a value over the
    /// budget, or no room, both in bytes; the caller is at fault.
    func encode(into output: inout OutputSpan<UInt8>) throws(EncodingRefusal)

    /// Makes the value that `bytes`, all of them, are the encoding of. Throws for any other bytes;
    /// who wrote them is at fault.
    init(decoding bytes: Span<UInt8>) throws(WireError)
}

extension RecordCodable {
    /// The encoding in a fresh array. Throws `tooLarge`, in bytes, for a value over the budget; who
    /// made the value is at fault.
    public func encoded() throws(EncodingRefusal) -> [UInt8] {
        let size = encodedSize
        guard size <= Self.byteBudget else {
            throw .tooLarge(bytes: size, limit: Self.byteBudget)
        }
        return try [UInt8](capacity: size) { output throws(EncodingRefusal) in
            try encode(into: &output)
        }
    }

    /// Makes the value that `bytes`, all of them, are the encoding of. Throws for any other bytes;
    /// who wrote them is at fault.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        try self.init(decoding: bytes.span)
    }

    /// Refuses what is over the budget or does not fit into what `output` has left.
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
