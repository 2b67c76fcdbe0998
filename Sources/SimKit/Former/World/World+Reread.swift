import WatchProto

/// What a journal holds passes through its coding, as on a device: each batch on its way to the
/// disk, and the whole image whenever a process starts on it.
extension World {
    static var pairing: PairingID { PairingID(rawValue: 0x5EED) }

    /// A batch as it is read again.
    func reread(_ entries: [JournalEntry], of node: Node<Security>) -> [JournalEntry] {
        guard !entries.isEmpty else { return entries }
        let coding = JournalCoding(pairing: Self.pairing)
        var body = JournalCoding.emptyBody
        coding.append(entries, to: &body)
        do throws(WireError) {
            var read = try coding.entries(of: body.span)
            if canary == .halfCoding {
                read.removeAll { if case .withdrawalAsked = $0 { true } else { false } }
            } else if read.count > 1, plants(.misread) {
                read.removeLast()
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

    /// The journal of a side as a process that starts reads it.
    func rereadImage(of node: Node<Security>) -> JournalImage {
        let image = node.disk.image
        let coding = JournalCoding(pairing: Self.pairing)
        do throws(WireError) {
            var read = try coding.image(of: coding.encoded(image).span)
            read.bounds = image.bounds
            if read != image { misread("the journal comes back altered", of: node) }
            return read
        } catch {
            misread("the journal cannot be read: \(error)", of: node)
            return image
        }
    }

    private func misread(_ what: String, of node: Node<Security>) {
        show(.misread(what), side: node.side)
    }
}
