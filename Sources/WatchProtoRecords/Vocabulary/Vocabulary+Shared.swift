import CVocabulary

extension Vocabulary {
    /// The table of this version of the library.
    package static let shared = Vocabulary(bytes(Int(watchproto_vocabulary_bytes())))

    /// The version of ``shared``, without reading all of it.
    package static let tableVersion: UInt32 = bytes(4).reduce(0) { $0 << 8 | UInt32($1) }

    private static func bytes(_ count: Int) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: watchproto_vocabulary(), count: count))
    }
}
