import WatchProtoCore

/// The part of a watch's plan that outlives the process: the account of pushes, the places that
/// its face shows, and the updates that wait.
struct ComplicationPlan: Hashable, Sendable {
    var account: ComplicationAccount
    var activePlaces: [UInt32]?
    var waiting: [UInt32: [UInt8]] = [:]
    /// The newest updates that the watch shows by itself, since the newest one that left.
    var shownThere: [UInt32: [UInt8]] = [:]

    /// The account, a message of the face, and the updates of both kinds in the order of their
    /// places; each part with its length, after the number of those that wait.
    var bytes: [UInt8] {
        var writer = WireWriter()
        account.write(to: &writer)
        var face = FaceMessage(isForeground: false)
        face.activePlaces = activePlaces
        writer.block(face.bytes)
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
        let face = try reader.block("the face of a plan", atMost: bytes.count)
        activePlaces = try FaceMessage(face).activePlaces
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
