import WatchProto

extension FuzzTarget {
    /// Journal entries are read to the end or refused, have one encoding, and fold into an image
    /// that is read back as it was written.
    static let journalEntries = FuzzTarget("journal-entries") { bytes in
        let coding = JournalCoding(pairing: PairingID(rawValue: 1))
        do throws(WireError) {
            let entries = try coding.entries(of: bytes.span)
            var body = JournalCoding.emptyBody
            coding.append(entries, to: &body)
            // What an older format says is written otherwise, and says the same.
            let isOld = bytes.first != JournalCoding.formatVersion
            guard isOld ? (try coding.entries(of: body.span)) == entries : body == bytes else {
                return "read, but written as other bytes"
            }
            var image = JournalImage()
            for entry in entries { image.apply(entry) }
            do throws(WireError) {
                let again = try coding.image(of: coding.encoded(image).span)
                return again == image ? nil : "the image is read back as another"
            } catch {
                return "the image of these entries is refused: \(error)"
            }
        } catch {
            return offsetComplaint(error, bytes.count)
        }
    }

    /// A journal's image is read to the end or refused, and has one encoding.
    static let journalImage = FuzzTarget("journal-image") { bytes in
        let coding = JournalCoding(pairing: PairingID(rawValue: 1))
        do throws(WireError) {
            let image = try coding.image(of: bytes.span)
            let isOld = bytes.first != JournalCoding.formatVersion
            let written = coding.encoded(image)
            let isSame = isOld ? (try coding.image(of: written.span)) == image : written == bytes
            return isSame ? nil : "read, but written as other bytes"
        } catch {
            return offsetComplaint(error, bytes.count)
        }
    }
}
