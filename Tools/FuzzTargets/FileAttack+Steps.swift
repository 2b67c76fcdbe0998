import Locks
import WatchProto
import WatchProtoCore
import WatchProtoTransport

/// The steps of an input, and those of the device's application and disk.
extension FileAttack {
    private static let sizes: [UInt64] = [
        0, 1, 9_000, 40_000, 100_000, 300_000, 600_000, 1 << 40,
    ]
    private static let hashes = sizes.map { size in
        FileContent.hash(size > 1 << 20 ? [] : FileContent.bytes(0, Int(size)))
    }
    private static let counts = [0, 1, 100, 8_191, 8_192, 20_000, 61_440, 65_000]
    private static let requests = [0, 1, 100, 8_192, 65_536, 300_000, 1 << 19, (1 << 19) + 1]
    private static let times: [Duration] = [
        .milliseconds(1), .milliseconds(100), .milliseconds(500), .seconds(1), .seconds(3),
        .seconds(10), .seconds(11), .seconds(60),
    ]

    private func next() -> UInt8 { input.popFirst() ?? 0 }

    /// Performs the step that a byte names.
    func perform(_ step: UInt8) throws {
        let variant = Int(step >> 4 & 7)
        switch step & 15 {
        case 0:
            let count = Int(next())
            say(Array(input.prefix(count)))
            input = input.dropFirst(count)
        case 1: offer(Self.sizes[variant], Self.hashes[variant], next())
        case 2: answer(variant)
        case 3: sendBlock(Self.counts[variant], next(), next())
        case 4: request(Self.requests[variant], next(), next())
        case 5: signal(variant, of: Self.files[Int(next() & 3)])
        case 6: changeReachability(variant)
        case 7: advance(by: Self.times[variant])
        case 8: takeFiles(variant & 1 == 0 ? .max : 1)
        case 9: renewSession()
        case 10:
            if variant & 1 != 0 { damage(next()) }
            try restart()
        case 11: changeOwn(variant)
        case 12: settleBlocks(variant == 7 ? .max : variant + 1)
        case 13:
            link.contents.withLock { contents in
                (contents.hasRoom, contents.isOpen) = (variant & 1 != 0, variant & 2 != 0)
            }
        case 14: try endOwn(isSettled: variant & 1 != 0)
        default: sendAltered(next(), next())
        }
    }

    // MARK: The surroundings

    private func changeReachability(_ variant: Int) {
        switch variant & 3 {
        case 0:
            link.contents.withLock { $0.isReachable = false }
            exchange.reachable(false)
            // The blocks are gone with the link, and so are the requests.
            settleBlocks(.max)
            asked = []
        case 1: exchange.connected()
        default:
            link.contents.withLock { $0.isReachable = true }
            exchange.connected()
            exchange.reachable(true)
        }
    }

    /// The blocks that left first are settled.
    func settleBlocks(_ count: Int) {
        for block in unsettled.prefix(count) { _ = exchange.settled(block.id) }
        unsettled.removeFirst(min(count, unsettled.count))
    }

    /// The application takes whole files, which belong to it then.
    func takeFiles(_ count: Int) {
        for (id, path) in whole.sorted(by: { $0.value < $1.value }).prefix(count) {
            guard exchange.accept(id) else { continue }
            whole[id] = nil
            if let number = offered.firstIndex(where: { $0.record.id == id }) {
                offered[number].isAnswered = true
            }
            Directories.remove(path)
            if let end = path.lastIndex(of: "/") { Directories.remove(String(path[..<end])) }
        }
    }

    /// Alters one byte of the first content that is not whole.
    private func damage(_ byte: UInt8) {
        let parts = Directories.names(in: place).filter { $0.hasSuffix(".part") }
        guard let part = parts.min() else { return }
        do throws(SystemErrorNumber) {
            let file = try OpenFile(writing: "\(place)/\(part)")
            let size = try file.stamp().size
            guard size > 0 else { return }
            let offset = UInt64(byte) * 1_000 % size
            let bytes = try file.read(at: offset, count: 1).map { $0 ^ 1 }
            try file.write(bytes.span, at: offset)
        } catch {
            complain("a content cannot be altered: \(error)")
        }
    }

    private func changeOwn(_ variant: Int) {
        let key = Self.own[0]
        guard let file = owned[key] else { return }
        let states: [FileState] = [.paused, .sending, .cancelled]
        let state = states[variant % 3]
        guard center.change(file.id, to: state) else { return }
        owned[key]?.isPaused = state == .paused
        if state == .cancelled { owned[key]?.isOver = true }
    }

    private func endOwn(isSettled: Bool) throws {
        let key = Self.own[0]
        guard !isSettled else { return settleOwn(key) }
        guard let file = owned[key] else { return }
        // Its size tells that it is another content.
        let open = try OpenFile(writing: file.path)
        try open.write(FileContent.bytes(1, 1).span, at: try open.stamp().size)
        owned[key]?.isOver = true
    }
}
