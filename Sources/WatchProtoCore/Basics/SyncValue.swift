/// One value of a set to synchronize.
public struct SyncValue: Hashable, Sendable {
    /// The key that has this value. One set holds a key at most once.
    public var key: RecordKey
    /// The kind of the payload.
    public var kind: ContentKind
    /// The value's canonical bytes, so that equal values have equal bytes.
    public var payload: [UInt8]

    /// Makes the value of `key` from its canonical bytes.
    public init(key: RecordKey, kind: ContentKind, payload: [UInt8]) {
        self.key = key
        self.kind = kind
        self.payload = payload
    }
}
