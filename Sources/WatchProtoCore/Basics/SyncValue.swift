/// One value of a set to synchronize.
package struct SyncValue: Hashable, Sendable {
    /// The key that has this value. One set holds a key at most once.
    package var key: RecordKey
    /// The kind of the payload.
    package var kind: ContentKind
    /// The value's canonical bytes, so that equal values have equal bytes.
    package var payload: [UInt8]

    /// Makes the value of `key` from its canonical bytes.
    package init(key: RecordKey, kind: ContentKind, payload: [UInt8]) {
        self.key = key
        self.kind = kind
        self.payload = payload
    }
}
