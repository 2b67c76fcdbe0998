import Locks
import WatchProto
import WatchProtoCore
import WatchProtoTransport

/// The promises of the article *Files*.
extension FileAttack {
    private static let mostSteps = 64
    /// The bytes of one file that a device may have in memory, and the most blocks on their way:
    /// those at which requests are passed over, and the blocks of one answer.
    private static let mostBytes = 1 << 20
    private static let mostBlocks = 128 + 64

    /// Performs the input.
    ///
    /// - Returns: the promise that is broken; nil if none is.
    func run() -> String? {
        do {
            for _ in 0..<Self.mostSteps {
                guard let step = input.popFirst() else { break }
                try perform(step)
                check(lags: step & 0x80 != 0)
                if let complaint { return complaint }
            }
            try finish()
        } catch {
            complain("the disk fails: \(error)")
        }
        return complaint
    }

    /// Lets the device work, and compares its state with its promises.
    func check(lags: Bool = false) {
        if !lags, !work.run() { complain("the work does not end") }
        readMessages()
        readAnswers()
        for record in takeWhole() { readWhole(record) }
        let waiting = offered.count { !$0.isAnswered }
        if let found = Self.complaint(on: exchange.load, offers: waiting) { complain(found) }
        checkNames()
    }

    /// The promise about memory that is broken while so many offers have no answer.
    static func complaint(on load: FileExchange.Load, offers: Int) -> String? {
        if load.offers > offers || load.arrivals > load.offers {
            return "offers that nobody made, or that have an answer: \(load)"
        }
        if load.offers > offerBounds.count || load.offerBytes > offerBounds.bytes {
            return "too many offers are kept: \(load)"
        }
        if load.requestedBytes > UInt64(FileMessage.largestCount) {
            return "too many bytes are requested: \(load)"
        }
        if load.blockBytes > FileMessage.largestCount || load.blocks > Self.mostBlocks {
            return "too many blocks wait for the disk: \(load)"
        }
        if load.blocksUnderWay > Self.mostBlocks || load.bytesUnderWay > Self.mostBytes {
            return "too many blocks are on their way: \(load)"
        }
        return load.unsentSignals > own.count ? "too many signals wait: \(load)" : nil
    }

    // MARK: Messages of the device

    private func readMessages() {
        let sent = link.contents.withLock { contents in
            defer { contents.sent = [] }
            return contents.sent
        }
        for (id, payload, isTaken) in sent {
            guard let (file, message) = try? FileMessage.read(payload) else {
                complain("a message of the device is none")
                continue
            }
            switch message {
            case .wanted(let offset, let count, let blockBytes, let durable):
                readRequest(of: file, offset, count, durable)
                let bytes = offset..<(offset + UInt64(count))
                if isTaken { asked.append((file, bytes, blockBytes)) }
            case .block(let offset, let bytes):
                if isTaken { readBlock(id, file, offset, Array(bytes)) }
            case .stopped, .resumed: if isTaken { events.stopped += 1 }
            }
        }
    }

    private func readRequest(of file: UInt128, _ offset: UInt64, _ count: Int, _ durable: UInt64) {
        let end = offset + UInt64(count)
        let isOffered = offered.contains {
            $0.record.idempotencyKey == file && end <= $0.offer?.size ?? 0
        }
        if count == 0 || !isOffered { complain("bytes are requested that no file has") }
        if durable > offset { complain("more bytes are durable than have come") }
        if requestedEnds[file] == nil, offset > 0 { events.resumed += 1 }
        requestedEnds[file] = max(end, requestedEnds[file] ?? 0)
    }

    private func readBlock(
        _ id: RecordID, _ file: UInt128, _ offset: UInt64, _ content: [UInt8]
    ) {
        let bytes = offset..<(offset + UInt64(content.count))
        guard let known = owned[file], !known.isOver, !known.isPaused else {
            return complain("a block is given of a file that is not sent")
        }
        if content.isEmpty || bytes.upperBound > known.size
            || content != FileContent.bytes(offset, content.count)
        {
            complain("a block has other bytes than its file")
        }
        if unsettled.contains(where: { $0.file == file && $0.bytes.contains(offset) }) {
            complain("a block begins in one that is on its way")
        }
        unsettled.append((id, file, bytes))
        owned[file]?.given += UInt64(content.count)
        events.given += 1
    }

    private func readAnswers() {
        let rejected = link.contents.withLock { contents in
            defer { contents.rejected = [] }
            return contents.rejected
        }
        for (id, code) in rejected {
            events.rejected[code, default: 0] += 1
            guard let number = offered.firstIndex(where: { $0.record.id == id && !$0.isAnswered })
            else {
                complain("an offer is rejected that has no answer to come")
                continue
            }
            offered[number].isAnswered = true
        }
    }

    // MARK: Files

    private func readWhole(_ record: InboundRecord) {
        guard let file = try? ReceivedFile(decoding: record.payload, key: nil),
            offered.contains(where: { $0.record.id == record.id && !$0.isAnswered })
        else { return complain("the application gets a file that it answered") }
        events.completed += 1
        whole[record.id] = file.path
        // It is compared again.
        compared.remove(record.id)
        if !file.path.hasPrefix("\(place)/") { complain("a file stands elsewhere") }
    }

    /// Compares the names on the disk with the offers.
    private func checkNames() {
        for name in Directories.names(in: place) {
            let isPart = name.hasSuffix(".part")
            let stem = isPart ? String(name.dropLast(5)) : name
            guard let known = offered.first(where: { "5-\($0.record.id.number.rawValue)" == stem }),
                let offer = known.offer
            else {
                complain("something stands among the files: \(name)")
                continue
            }
            if isPart {
                if known.isAnswered { complain("the content of an answered offer stays: \(name)") }
            } else if !compared.contains(known.record.id) {
                compare(known, offer, "\(place)/\(name)")
            }
        }
    }

    /// Compares the files in the directory of an offer with it.
    private func compare(_ known: Offered, _ offer: FileOffer, _ directory: String) {
        for name in Directories.names(in: directory) {
            guard name == offer.name, !known.isAnswered,
                Self.hasContent("\(directory)/\(name)", of: offer)
            else {
                complain("a file has its name without the content of its offer: \(name)")
                return
            }
            compared.insert(known.record.id)
        }
    }

    private static func hasContent(_ path: String, of offer: FileOffer) -> Bool {
        do throws(SystemErrorNumber) {
            let file = try OpenFile(reading: path)
            guard try file.stamp().size == offer.size, offer.size <= 1 << 20 else { return false }
            return FileContent.hash(try file.read(at: 0, count: Int(offer.size))) == offer.hash
        } catch {
            return false
        }
    }
}
