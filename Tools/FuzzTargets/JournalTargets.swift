import WatchProtoCore
import WatchProtoRecords

extension FuzzTarget {
    /// Journal entries are read to the end or refused, have one encoding, and fold into an image
    /// on which a peer starts, whatever they say: a file may have been altered.
    static let journalEntries = FuzzTarget("journal-entries") { bytes in
        let entries: [JournalEntry]
        do throws(WireError) {
            entries = try JournalCoding.entries(of: bytes.span)
        } catch {
            return offsetComplaint(error, bytes.count)
        }
        var body = JournalCoding.emptyBody
        JournalCoding.append(entries, to: &body)
        guard body == bytes else { return "read, but written as other bytes" }
        var image = JournalImage(kinds: .product)
        image.apply(entries)
        let side = FuzzSide(.watch, security: NullSecurity.watch, image: image)
        side.peer.activate(at: .zero)
        side.drain(at: .zero)
        side.peer.linkUp(.stream, at: .zero)
        side.drain(at: .zero)
        return side.environment.hasUnreadableEntries ? "entries that cannot be read again" : nil
    }
}

extension NullSecurity {
    fileprivate static var watch: NullSecurity {
        NullSecurity(PeerLabel(role: .watch, pairing: FuzzTarget.pairingID), seed: 1)
    }
}
