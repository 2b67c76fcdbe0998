/// The properties of a record kind that the core must know: a limit, whether it removes its key,
/// and how deltas are made.
package struct RecordKind: Sendable {
    /// Makes the delta from one canonical payload to the next; nil where none is smaller than
    /// `next`.
    package typealias MakeDelta =
        @Sendable (_ base: Span<UInt8>, _ next: Span<UInt8>) -> [UInt8]?
    /// Makes the payload that a delta turns `base` into; nil where the delta cannot be applied.
    package typealias ApplyDelta =
        @Sendable (_ delta: Span<UInt8>, _ base: Span<UInt8>) -> [UInt8]?

    /// The code on the wire.
    package var kind: ContentKind
    /// The largest payload, in bytes; the channel's limit holds as well.
    package var byteLimit: Int
    /// Whether a record of this kind says that its key has no value any more.
    package var isRemoval: Bool
    /// Forms deltas; nil where the kind has none.
    package var makeDelta: MakeDelta?
    /// Applies deltas; nil where the kind has none.
    package var applyDelta: ApplyDelta?

    /// Makes a row of the table.
    package init(
        _ kind: ContentKind, byteLimit: Int, isRemoval: Bool = false,
        makeDelta: MakeDelta? = nil, applyDelta: ApplyDelta? = nil
    ) {
        self.kind = kind
        self.byteLimit = byteLimit
        self.isRemoval = isRemoval
        self.makeDelta = makeDelta
        self.applyDelta = applyDelta
    }
}

/// The table of kinds that an environment hands to its peer. A kind without a row is opaque: it has
/// no delta and removes nothing.
package struct RecordKinds: Sendable {
    /// Rows by the code of their kind.
    private var rows: [RecordKind?]

    /// Makes the table of these rows; of two with one code the later counts.
    package init(_ kinds: [RecordKind] = []) {
        rows = Array(repeating: nil, count: 256)
        for kind in kinds { rows[Int(kind.kind.rawValue)] = kind }
    }

    /// The row of a kind; nil where the table has none.
    package subscript(kind: ContentKind) -> RecordKind? { rows[Int(kind.rawValue)] }

    /// The kind with the lowest code that removes its key; nil where the table has none.
    package var firstRemoval: ContentKind? {
        for case let row? in rows where row.isRemoval { return row.kind }
        return nil
    }

    /// Whether a record of `kind` says that its key has no value any more.
    package func isRemoval(_ kind: ContentKind) -> Bool { self[kind]?.isRemoval ?? false }
}
