package import WatchProto

/// Where a record came from and what it holds, as far as a trace tells.
package struct SendOrigin: Sendable {
    /// Nil where only the receiver can tell, as for `key`, `revision` and `content`.
    package var kind: ContentKind?
    /// The record's key; nil where it has none or only the receiver can tell.
    package var key: RecordKey?
    /// A medication's revision.
    package var revision: UInt32?
    /// The fingerprint of the payload.
    package var content: UInt64?
    /// When the load's plan wanted it sent; nil when no load did.
    package var intended: Instant?
    /// Whether it belongs to the time before measuring.
    package var isWarmUp: Bool
    /// When the ledger of this device held it; nil for what is no dose of a load.
    package var recorded: Instant?

    /// Makes an origin; `content` becomes the fingerprint of `payload`, if there is one.
    package init(
        _ kind: ContentKind?, key: RecordKey? = nil, revision: UInt32? = nil, payload: [UInt8]?,
        intended: Instant? = nil, isWarmUp: Bool = false, recorded: Instant? = nil
    ) {
        self.kind = kind
        self.key = key
        self.revision = revision
        content = payload.map { ContentHash.of($0) }
        self.intended = intended
        self.isWarmUp = isWarmUp
        self.recorded = recorded
    }
}
