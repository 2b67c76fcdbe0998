package import WatchProto

extension ComplicationState {
    /// The tag of the extension field with the ledger's digest.
    static let ledgerTag: UInt8 = 1

    /// The doses that the content includes; nil for a content that is not made of doses alone. A
    /// watch shows such a content as it is.
    package var ledger: LedgerDigest? {
        get {
            guard let field = extensions[Self.ledgerTag] else { return nil }
            var reader = WireReader(field.span)
            guard let digest = try? LedgerDigest(&reader), (try? reader.finish("a digest")) != nil
            else { return nil }
            return digest
        }
        set {
            var writer = WireWriter()
            newValue?.write(to: &writer)
            extensions[Self.ledgerTag] = newValue == nil ? nil : writer.bytes
        }
    }

    /// The counts of an entry; without a dose to name.
    package init(_ entry: FaceEntry, active: UInt16) {
        self.init()
        setCounts(entry, active: active)
    }

    /// Replaces the counts by those of an entry.
    package mutating func setCounts(_ entry: FaceEntry, active: UInt16) {
        total = UInt8(clamping: entry.total)
        // Of more than 255 doses, all are taken only if they are.
        let isDone = entry.taken >= entry.total
        taken = isDone ? UInt8(clamping: entry.taken) : min(UInt8(clamping: entry.taken), total - 1)
        overdue = UInt8(clamping: entry.overdue)
        self.active = UInt8(clamping: active)
    }
}

/// How old a state is when a face shows it.
package enum FaceAge {
    /// Nanoseconds from `moment` to `now`, at most three years; 0 if `moment` is later.
    package static func nanoseconds(since moment: WallTime, at now: WallTime) -> Int64 {
        let (age, overflow) = now.milliseconds.subtractingReportingOverflow(moment.milliseconds)
        if overflow { return now < moment ? 0 : longest * 1_000_000 }
        return max(0, min(age, longest)) * 1_000_000
    }

    private static let longest: Int64 = 3 * 366 * 86_400_000
}

/// A reason to look at the face again.
package enum FaceCause: Sendable {
    /// Doses were recorded on this device.
    case recorded([DoseEvent])
    /// Doses of another device arrived.
    case arrived([DoseEvent])
    /// The list of medications changed.
    case list
    /// The phone sent a state.
    case pushed
    /// The ledgers were compared, the wall clock was set, or the doses were forgotten.
    case other
}
