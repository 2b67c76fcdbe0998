import WatchProtoCore

/// The part of a watch's plan that outlives the process: the account of pushes, the places that
/// its face shows, and the updates that wait.
struct ComplicationPlan: Hashable, Sendable {
    var account: ComplicationAccount
    var activePlaces: [UInt32]?
    var waiting: [UInt32: [UInt8]] = [:]

    /// The account, a message of the face, and the updates in the order of their places; each part
    /// with its length.
    var bytes: [UInt8] {
        var writer = WireWriter()
        account.write(to: &writer)
        var face = FaceMessage(isForeground: false)
        face.activePlaces = activePlaces
        writer.block(face.bytes)
        for place in waiting.keys.sorted() {
            writer.fixed(UInt64(place), count: 4)
            writer.block(waiting[place] ?? [])
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
        while reader.offset < bytes.count {
            let place = UInt32(try reader.fixed(4, "the place of an update"))
            waiting[place] = try reader.block("an update that waits", atMost: bytes.count)
        }
    }
}
