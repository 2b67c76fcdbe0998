import WatchProtoCore

/// Fields of a newer version, kept verbatim across decoding and encoding by this version.
///
/// Each has a tag (0 to 255) and up to 255 bytes. Tags ascend, and none is repeated.
public struct ExtensionFields: Hashable, Sendable {
    /// The fields in wire form (tag, length, bytes); nil if there are none, which costs no
    /// reference count when a record is copied. A field of over 255 bytes, which no record can
    /// carry, has several parts with its tag.
    @usableFromInline var stored: [UInt8]?

    /// Makes the set with no fields.
    @inlinable
    package init() { stored = nil }

    /// The fields of `wireForm`, already checked.
    init(checked wireForm: [UInt8]) { stored = wireForm.isEmpty ? nil : wireForm }

    /// Makes the fields of `wireForm`; nil if that is not the wire form of any.
    package init?(wireForm: [UInt8]) {
        guard (try? Self.check(wireForm.span, wireForm.indices)) != nil else { return nil }
        self.init(checked: wireForm)
    }

    /// Whether there are none.
    @inlinable
    package var isEmpty: Bool { stored == nil }

    /// The bytes the fields take on the wire.
    @inlinable
    package var byteCount: Int { stored?.count ?? 0 }

    /// The fields in wire form.
    package var wireForm: [UInt8] { stored ?? [] }

    /// The tags, ascending.
    package var tags: [UInt8] {
        var tags: [UInt8] = []
        let bytes = wireForm
        var offset = 0
        while offset < bytes.count {
            if tags.last != bytes[offset] { tags.append(bytes[offset]) }
            offset += 2 + Int(bytes[offset + 1])
        }
        return tags
    }

    /// The bytes of the field `tag`; nil if it is absent. A record with a field of more than 255
    /// bytes is refused when it is encoded.
    public subscript(tag: UInt8) -> [UInt8]? {
        get {
            let bytes = wireForm
            var field: [UInt8]?
            var offset = 0
            while offset < bytes.count {
                let end = offset + 2 + Int(bytes[offset + 1])
                if bytes[offset] == tag { field = (field ?? []) + bytes[(offset + 2)..<end] }
                offset = end
            }
            return field
        }
        set {
            let bytes = wireForm
            var result: [UInt8] = []
            var parts = newValue.map { Self.parts(of: $0, tag) } ?? []
            var offset = 0
            while offset < bytes.count {
                let end = offset + 2 + Int(bytes[offset + 1])
                if bytes[offset] >= tag {
                    result += parts
                    parts = []
                }
                if bytes[offset] != tag { result += bytes[offset..<end] }
                offset = end
            }
            result += parts
            stored = result.isEmpty ? nil : result
        }
    }

    private static func parts(of field: [UInt8], _ tag: UInt8) -> [UInt8] {
        var (parts, rest) = ([UInt8](), field[...])
        repeat {
            let part = rest.prefix(255)
            parts += [tag, UInt8(part.count)] + part
            rest = rest.dropFirst(255)
        } while !rest.isEmpty
        return parts
    }

    /// Refuses `bytes[range]` unless it has tags in ascending order, each with a length and as many
    /// bytes.
    static func check(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(WireError) {
        var offset = range.lowerBound
        var least = 0
        while offset < range.upperBound {
            guard Int(bytes[offset]) >= least else {
                throw WireError(
                    .notCanonical, at: offset, expected: "extension tags in ascending order",
                    found: UInt64(bytes[offset]))
            }
            guard offset + 1 < range.upperBound else {
                throw WireError(
                    .truncated, at: offset + 1, expected: "the length of an extension field",
                    found: 0)
            }
            least = Int(bytes[offset]) + 1
            let length = Int(bytes[offset + 1])
            guard length <= range.upperBound - offset - 2 else {
                throw WireError(
                    .truncated, at: offset + 1, expected: "the bytes of an extension field",
                    found: UInt64(length))
            }
            offset += 2 + length
        }
    }
}
