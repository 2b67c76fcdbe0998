package import WatchProto

/// A face as a watch keeps it in its file, so that its next start shows it before the store is
/// loaded.
package struct KeptFace: Hashable, Sendable {
    /// The entries of the face.
    package var timeline: FaceTimeline
    /// The doses that they include.
    package var ledger: LedgerDigest
    /// The offset of local time when they were made, in minutes.
    package var zoneOffsetMinutes: Int16

    /// Makes it.
    package init(_ timeline: FaceTimeline, _ ledger: LedgerDigest, zoneOffsetMinutes: Int16) {
        self.timeline = timeline
        self.ledger = ledger
        self.zoneOffsetMinutes = zoneOffsetMinutes
    }

    /// The minute from which the face is right.
    package var begin: WallMinute { timeline.entries[0].minute }

    /// The face at `clock`. If anything has changed since it was made, it says *as of*.
    ///
    /// - Parameters:
    ///   - clock: the wall clock.
    ///   - own: the digest of the ledger.
    ///   - isOfList: whether no medication has changed.
    package func shown(
        at clock: WallClock, own: LedgerDigest, isOfList: Bool
    ) -> ShownFace {
        var shown = timeline.shown(at: WallMinute(clock.time))
        let isCurrent =
            isOfList && own == ledger && clock.zoneOffsetMinutes == zoneOffsetMinutes
        if !isCurrent { shown.asOf = shown.asOf.map { min($0, begin) } ?? begin }
        return shown
    }

    /// The form in the file: version 1, offset, digest, timeline.
    package var bytes: [UInt8] {
        var writer = WireWriter([1])
        writer.uint16(UInt16(bitPattern: zoneOffsetMinutes))
        ledger.write(to: &writer)
        timeline.write(to: &writer)
        return writer.bytes
    }

    /// Reads that form; nil for bytes of another version.
    ///
    /// - Throws: `WireError` for other bytes.
    package init?(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        guard try reader.byte("the version of a kept face") == 1 else { return nil }
        zoneOffsetMinutes = Int16(bitPattern: try reader.uint16("an offset of local time"))
        ledger = try LedgerDigest(&reader)
        timeline = try FaceTimeline(&reader)
        try reader.finish("a kept face")
    }
}
