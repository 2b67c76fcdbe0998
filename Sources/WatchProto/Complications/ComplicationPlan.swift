import WatchProtoCore

/// The part of a watch's plan that outlives the process: the account of pushes, the places that
/// its face shows, and the updates that wait.
struct ComplicationPlan: Hashable, Sendable {
    var account: ComplicationAccount
    var activePlaces: [UInt32]?
    var waiting: [UInt32: [UInt8]] = [:]
    /// The newest updates that the watch shows by itself, since the newest one that left.
    var shownThere: [UInt32: [UInt8]] = [:]

    /// The account; the number of places of the face and one more, 0 for all, and the places; the
    /// number of updates that wait, and the updates of both kinds in the order of their places,
    /// each with its length.
    var bytes: [UInt8] {
        var writer = WireWriter()
        account.write(to: &writer)
        writer.fixed(UInt64(activePlaces.map { $0.count + 1 } ?? 0), count: 4)
        for place in activePlaces ?? [] { writer.fixed(UInt64(place), count: 4) }
        writer.fixed(UInt64(waiting.count), count: 4)
        for updates in [waiting, shownThere] {
            for place in updates.keys.sorted() {
                writer.fixed(UInt64(place), count: 4)
                writer.block(updates[place] ?? [])
            }
        }
        return writer.bytes
    }

    init(_ account: ComplicationAccount) { self.account = account }

    /// Reads a plan.
    ///
    /// - Throws: the broken rule; the file is at fault.
    init(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        account = try ComplicationAccount(&reader)
        let places = try reader.fixed(4, "the number of places of a face")
        if places > 0 {
            var active: [UInt32] = []
            for _ in 1..<places { active.append(UInt32(try reader.fixed(4, "a place of a face"))) }
            activePlaces = active
        }
        let count = try reader.fixed(4, "the number of updates that wait")
        var read: UInt64 = 0
        while reader.offset < bytes.count || read < count {
            let place = UInt32(try reader.fixed(4, "the place of an update"))
            let update = try reader.block("an update", atMost: bytes.count)
            if read < count { waiting[place] = update } else { shownThere[place] = update }
            read += 1
        }
    }
}
