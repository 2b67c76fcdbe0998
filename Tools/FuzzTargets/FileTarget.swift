import WatchProto

extension FuzzTarget {
    /// The offer of a file, and a message about its blocks: a value that was read is written as the
    /// same bytes, and keeps to the limits of the article *Files*.
    static let files = FuzzTarget("files") { bytes in
        if let offer = try? FileOffer(bytes) {
            if offer.bytes != bytes { return "the offer has other bytes" }
            if !FileOffer.isName(offer.name) { return "the offer has a forbidden name" }
            if offer.size > FileOffer.largestSize { return "the offer is too large" }
            if offer.metadata.count > FileOffer.largestMetadata {
                return "the offer has too much metadata"
            }
        }
        guard let (file, message) = try? FileMessage.read(bytes) else { return nil }
        switch message {
        case .wanted(let offset, let count, let blockBytes, let durable):
            if count > FileMessage.largestCount || max(offset, durable) > FileOffer.largestSize {
                return "too much is wanted"
            }
            return FileMessage.blockSizes.contains(blockBytes) ? nil : "a block has a wrong size"
        case .block, .stopped, .resumed:
            return message.bytes(of: file) == bytes ? nil : "the message has other bytes"
        }
    }
}
