/// A row of ``RecordKinds``: what the core must know of one kind of records.
package struct RecordKind: Sendable {
    /// Makes the delta from one canonical payload to the next; nil where none is smaller than
    /// `next`.
    package typealias MakeDelta =
        @Sendable (_ base: Span<UInt8>, _ next: Span<UInt8>) -> [UInt8]?
    /// Makes the payload that a delta turns `base` into; nil where it is no delta to `base`, whose
    /// maker is at fault.
    package typealias ApplyDelta =
        @Sendable (_ delta: Span<UInt8>, _ base: Span<UInt8>) -> [UInt8]?

    /// The code on the wire.
    package var kind: ContentKind
    /// The largest payload, in bytes; the channel's limit holds as well.
    package var byteLimit: Int
    /// Whether a record of this kind says that its key has no value any more.
    package var isRemoval: Bool
    /// Makes deltas; nil where the kind has none.
    package var makeDelta: MakeDelta?
    /// Applies deltas; nil where the kind has none.
    package var applyDelta: ApplyDelta?
    /// Codes values; nil where the kind has no coding.
    package var coding: RecordCoding?

    /// Makes a row of the table.
    ///
    /// - Parameters:
    ///   - kind: the code on the wire.
    ///   - byteLimit: the largest payload, in bytes.
    ///   - isRemoval: whether a record of the kind removes the value of its key.
    ///   - makeDelta: makes deltas, where the kind has them.
    ///   - applyDelta: applies them.
    ///   - coding: codes values against the table of ``RecordKinds``.
    package init(
        _ kind: ContentKind, byteLimit: Int = .max, isRemoval: Bool = false,
        makeDelta: MakeDelta? = nil, applyDelta: ApplyDelta? = nil, coding: RecordCoding? = nil
    ) {
        self.kind = kind
        self.byteLimit = byteLimit
        self.isRemoval = isRemoval
        self.makeDelta = makeDelta
        self.applyDelta = applyDelta
        self.coding = coding
    }
}

/// The table of record kinds that an application hands to its peer. A kind without a row is opaque:
/// its records travel whole, and remove nothing.
package struct RecordKinds: Sendable {
    private var rows: [RecordKind]
    /// The version of the table that values are coded against; nil for none.
    package var codingTable: UInt32?

    /// Makes the table of these rows; of two with one code the later counts.
    package init(_ rows: [RecordKind] = [], codingTable: UInt32? = nil) {
        self.codingTable = codingTable
        self.rows = []
        for row in rows { self[row.kind] = row }
    }

    /// The row of a kind; nil where the table has none. Tables are short: it is searched for.
    package subscript(kind: ContentKind) -> RecordKind? {
        get {
            for row in rows where row.kind == kind { return row }
            return nil
        }
        set {
            rows.removeAll { $0.kind == kind }
            if let newValue { rows.append(newValue) }
        }
    }

    /// The kind whose coded values have this code on the wire; nil where none has.
    func coded(as kind: ContentKind) -> RecordKind? {
        for row in rows where row.coding?.kind == kind { return row }
        return nil
    }

    /// Whether a record of `kind` says that its key has no value any more.
    package func isRemoval(_ kind: ContentKind) -> Bool { self[kind]?.isRemoval ?? false }

    /// The kinds that remove their key.
    package var removals: [ContentKind] {
        var kinds: [ContentKind] = []
        for row in rows where row.isRemoval { kinds.append(row.kind) }
        return kinds
    }

    /// The kind with the lowest code that removes its key; nil where the table has none.
    package var firstRemoval: ContentKind? {
        removals.min { $0.rawValue < $1.rawValue }
    }

    /// Whether records of `kind` may leave as deltas.
    package func hasDeltas(_ kind: ContentKind) -> Bool { self[kind]?.applyDelta != nil }

    /// The delta from one payload of `kind` to the next; nil where none is smaller than `next`, or
    /// the kind has no deltas.
    package func makeDelta(
        _ kind: ContentKind, from base: Span<UInt8>, to next: Span<UInt8>
    ) -> [UInt8]? {
        guard let delta = self[kind]?.makeDelta?(base, next), delta.count < next.count else {
            return nil
        }
        return delta
    }

    /// The payload that `delta` turns `base`, a payload of `kind`, into; nil where it is no delta
    /// to `base`, gives more than the kind's limit, or the kind has no deltas.
    package func applyDelta(
        _ kind: ContentKind, _ delta: Span<UInt8>, to base: Span<UInt8>
    ) -> [UInt8]? {
        guard let row = self[kind], let next = row.applyDelta?(delta, base),
            next.count <= row.byteLimit
        else { return nil }
        return next
    }
}
