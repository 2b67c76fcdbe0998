import Locks
import WatchProto
import WatchProtoCore

/// The end of a run.
extension FileAttack {
    /// Lets an honest file pass in each direction. To all other requests the counterpart says that
    /// it does not have the file, as a sender does that lost it (T-10).
    func finish() throws {
        link.contents.withLock { contents in
            (contents.isReachable, contents.hasRoom, contents.isOpen) = (true, true, true)
        }
        switch options & 3 {
        case 0:
            exchange.connected()
            exchange.reachable(true)
        case 1: renewSession()
        default: try restart()
        }
        endFloods()
        let size = 40_000
        var writer = WireWriter()
        writer.varint(UInt64(size))
        writer.append(FileContent.hash(FileContent.bytes(0, size)))
        writer.block(Array("honest".utf8))
        offer(writer.bytes, key: Self.honest)
        let number = offered.count - 1
        for _ in 0..<200 {
            check()
            takeFiles(.max)
            if complaint != nil || offered[number].isAnswered { break }
            answerHonestly()
        }
        if !offered[number].isAnswered { complain("an honest file does not arrive") }
        try giveHonestly(size)
        if namesBeside.contains(where: { $0 != "in" && !$0.hasPrefix("own") }) {
            complain("something stands beside the files: \(namesBeside)")
        }
    }

    /// Ends the floods, so that the device has room for another offer.
    private func endFloods() {
        check()
        for known in offered where !known.isAnswered {
            guard let key = known.record.idempotencyKey, key >= Self.flooding else { continue }
            say(FileMessage.stopped(.changed).bytes(of: key))
        }
        check()
        takeFiles(.max)
    }

    private func answerHonestly() {
        // The receiver asks again then (T-4, T-12).
        guard !asked.isEmpty else { return advance(by: .seconds(10)) }
        let requests = asked
        asked = []
        for (file, bytes, blockBytes) in requests {
            guard file == Self.honest else {
                say(FileMessage.stopped(.changed).bytes(of: file))
                continue
            }
            for block in Self.blocks(bytes, of: file, blockBytes) { say(block) }
        }
    }

    /// The counterpart fetches a file as an honest receiver does.
    private func giveHonestly(_ size: Int) throws {
        let key = Self.own[1]
        try offerOwn(key, size: size)
        check()
        settleBlocks(.max)
        let wanted = FileMessage.wanted(offset: 0, count: size, blockBytes: 8_192, durable: 0)
        say(wanted.bytes(of: key))
        check()
        if owned[key]?.given != UInt64(size) { complain("an honest receiver gets no file") }
    }
}
