import WatchProtoCore

/// Every batch passes through the journal's coding on its way to the disk, as on a device.
extension World {
    static var pairing: PairingID { PairingID(rawValue: 0x5EED) }

    /// A batch as it is read again.
    func reread(_ entries: [JournalEntry], of node: Node) -> [JournalEntry] {
        guard !entries.isEmpty else { return entries }
        var body = JournalCoding.emptyBody
        JournalCoding.append(entries, to: &body)
        do throws(WireError) {
            var read = try JournalCoding.entries(of: body.span)
            if mutant == .halfCoding {
                read.removeAll { if case .cancellationAsked = $0 { true } else { false } }
            }
            if read != entries {
                misread("\(entries.count) entries come back as \(read.count), or altered", of: node)
            }
            return read
        } catch {
            misread("\(entries.count) entries cannot be read: \(error)", of: node)
            return entries
        }
    }

    func misread(_ what: String, of node: Node) {
        show(.misread(what), side: node.side)
    }
}
