import WatchProto
import WatchProtoCore

/// The acts of the counterpart.
extension FileAttack {
    /// Varied offers end here, so that a run is short. Floods of offers go on.
    private static let mostVaried = 16
    private static let blockSizes = [0, 8_192, 20_000, 61_440]

    func offer(_ size: UInt64, _ hash: [UInt8], _ choice: UInt8) {
        let fault = choice >> 2 & 7
        if fault < 3, fault > 0 { return flood(isOfBytes: fault == 2, choice >> 5) }
        guard offered.count(where: { !$0.isAnswered }) < Self.mostVaried else { return }
        var (hash, name) = (hash, "a\(offered.count + 1)")
        if fault == 4 { hash[0] ^= 1 }
        if fault == 7 { name = ["../a", ".a", "", "a\0"][Int(choice >> 5 & 3)] }
        var writer = WireWriter()
        writer.varint(size)
        writer.append(hash)
        writer.byte(UInt8(name.utf8.count))
        writer.append(Array(name.utf8))
        if fault == 7, choice & 0x80 != 0 { writer.bytes = Array(writer.bytes.prefix(20)) }
        offer(
            writer.bytes, key: fault == 5 ? nil : Self.files[Int(choice & 3)],
            fault == 6 ? .background : .bulk)
    }

    /// Makes many offers: small ones, or the largest ones behind one that is too large. Each has a
    /// key of its own.
    private func flood(isOfBytes: Bool, _ choice: UInt8) {
        let largest = FileOffer.largestMetadata
        if isOfBytes { offerFlooding([UInt8](repeating: choice, count: 1 << 21)) }
        let metadata = [UInt8](repeating: choice, count: isOfBytes ? largest : 0)
        for _ in 0..<(isOfBytes ? 10 : 40) where offered.count < Self.mostFlooding {
            offerFlooding(metadata)
        }
    }

    /// More offers than a device keeps, and an end of them.
    private static let mostFlooding = 120

    private func offerFlooding(_ metadata: [UInt8]) {
        var writer = WireWriter()
        writer.varint(FileContent.floodBytes)
        writer.append(FileContent.floodHash)
        writer.block(Array("a\(offered.count + 1)".utf8))
        writer.append(metadata)
        offer(writer.bytes, key: Self.flooding + UInt128(offered.count))
    }

    /// Offers a file in the place of the next record.
    func offer(_ payload: [UInt8], key: UInt128?, _ channel: Channel = .bulk) {
        let id = RecordID(
            epoch: EpochID(rawValue: 5), channel: channel,
            number: RecordNumber(UInt64(offered.count + 1)))
        let record = InboundRecord(
            id: id, kind: .file, key: nil, payload: payload, idempotencyKey: key)
        offered.append(Offered(record: record, offer: try? FileOffer(payload)))
        guard case .rejected(let code) = receive(record) else { return }
        events.rejected[code, default: 0] += 1
        offered[offered.count - 1].isAnswered = true
    }

    /// Says a message, and looks whether one that has to be without effect is.
    func say(_ payload: [UInt8]) {
        let (load, isIdle) = (exchange.load, work.isIdle)
        let hasEffect = mayHaveEffect(payload)
        exchange.received(payload)
        if hasEffect { return }
        events.ineffective += 1
        if exchange.load != load || work.isIdle != isIdle {
            complain("a message that has to be ignored has an effect: \(payload.prefix(40))")
        }
    }

    private func say(_ message: FileMessage, of file: UInt128) { say(message.bytes(of: file)) }

    /// Whether the rules T-3, T-7 and T-11 give a message an effect, in some states.
    private func mayHaveEffect(_ payload: [UInt8]) -> Bool {
        guard let (file, message) = try? FileMessage.read(payload) else { return false }
        switch message {
        case .wanted: return true
        case .block(let offset, let bytes):
            let end = offset + UInt64(bytes.count)
            return !bytes.isEmpty && end <= requestedEnds[file] ?? 0
        case .stopped, .resumed:
            return offered.contains { !$0.isAnswered && $0.record.idempotencyKey == file }
        }
    }

    /// Gives the bytes that were requested, as an honest sender does, but for one fault.
    func answer(_ fault: Int) {
        let requests = asked
        asked = []
        var messages: [[UInt8]] = []
        for request in requests {
            var bytes = request.bytes
            if fault == 5 { bytes = bytes.lowerBound..<(bytes.upperBound + 1) }
            if fault == 7 {
                let half = UInt64(bytes.count / 2)
                bytes = bytes.lowerBound..<(bytes.lowerBound + half)
            }
            messages += Self.blocks(bytes, of: request.file, request.blockBytes)
        }
        if fault == 4 { messages.reverse() }
        if fault == 6, var last = messages.popLast() {
            last[last.count - 1] ^= 1
            messages.append(last)
        }
        for message in messages {
            say(message)
            if fault == 3 { say(message) }
        }
    }

    /// The blocks with these bytes of a file.
    static func blocks(
        _ bytes: Range<UInt64>, of file: UInt128, _ blockBytes: Int
    ) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        var offset = bytes.lowerBound
        while offset < bytes.upperBound {
            let count = Int(min(UInt64(blockBytes), bytes.upperBound - offset))
            let content = FileContent.bytes(offset, count)
            blocks.append(FileMessage.block(offset: offset, content[...]).bytes(of: file))
            offset += UInt64(count)
        }
        return blocks
    }

    /// The byte 255 says the last place of the largest file.
    private func offset(_ place: UInt8) -> UInt64 {
        place == 255 ? FileOffer.largestSize : UInt64(place) * 1_000
    }

    func sendBlock(_ count: Int, _ choice: UInt8, _ place: UInt8) {
        let file = Self.files[Int(choice & 3)]
        let first = choice & 8 == 0 ? asked.first { $0.file == file }?.bytes.lowerBound ?? 0 : 0
        let offset = min(first + offset(place), FileOffer.largestSize)
        let content =
            choice & 4 == 0
            ? FileContent.bytes(offset, count) : [UInt8](repeating: choice, count: count)
        say(.block(offset: offset, content[...]), of: file)
    }

    func sendAltered(_ place: UInt8, _ difference: UInt8) {
        guard let request = asked.first else { return }
        let count = min(request.bytes.count, request.blockBytes)
        let offset = request.bytes.lowerBound
        var message = FileMessage.block(offset: offset, FileContent.bytes(offset, count)[...])
            .bytes(of: request.file)
        message[Int(place) % message.count] ^= difference
        say(message)
    }

    func request(_ count: Int, _ choice: UInt8, _ place: UInt8) {
        let file = choice & 1 == 0 ? Self.own[0] : Self.files[Int(choice >> 1 & 3)]
        let blockBytes = Self.blockSizes[Int(choice >> 3 & 3)]
        say(
            .wanted(offset: offset(place), count: count, blockBytes: blockBytes, durable: 0),
            of: file)
    }

    func signal(_ variant: Int, of file: UInt128) {
        let reasons: [FileMessage.Reason] = [.paused, .cancelled, .changed, .unreadable]
        say(variant < reasons.count ? .stopped(reasons[variant]) : .resumed, of: file)
    }
}
