/// One value of a set to synchronize.
public struct SyncValue: Hashable, Sendable {
    public var key: RecordKey
    public var kind: ContentKind
    public var payload: [UInt8]

    public init(key: RecordKey, kind: ContentKind, payload: [UInt8]) {
        self.key = key
        self.kind = kind
        self.payload = payload
    }
}
