import WatchProtoCore

/// The possible contents of a file after a loss of power.
struct DiskFile: Sendable {
    /// How sure it is that a call's effect is on the disk.
    private enum Standing { case open, doubtful, sure }

    private var durable: [UInt8]
    /// The calls since then, oldest first. A sure call is here only behind a doubtful one.
    private var calls: [(call: DiskCall, standing: Standing)] = []

    init(durable: [UInt8]) { self.durable = durable }

    var hasUnsynced: Bool { !calls.isEmpty }

    mutating func add(_ call: DiskCall) { calls.append((call, .open)) }

    mutating func sync(isFailed: Bool) {
        for index in calls.indices where calls[index].standing == .open {
            calls[index].standing = isFailed ? .doubtful : .sure
        }
        let sure = calls.prefix { $0.standing == .sure }
        for (call, _) in sure { Self.change(&durable, call) }
        calls.removeFirst(sure.count)
    }

    func bytes(after fate: DiskImage.Fate, _ generator: inout SeededGenerator) -> [UInt8] {
        var content = durable
        for (call, standing) in calls {
            switch fate {
            case _ where standing == .sure: Self.change(&content, call)
            case .keepAll: Self.change(&content, call)
            case .dropUnsynced: break
            case .tear: Self.tear(&content, call, &generator)
            }
        }
        return content
    }

    private static func change(_ content: inout [UInt8], _ call: DiskCall) {
        switch call.kind {
        case .write: write(&content, call.bytes[...], at: call.offset)
        case .truncate:
            if call.offset < content.count { content.removeLast(content.count - call.offset) }
        default: break
        }
    }

    private static func write(_ content: inout [UInt8], _ bytes: ArraySlice<UInt8>, at start: Int) {
        let end = start + bytes.count
        // In this form both are quick where nothing is optimised, too.
        if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
        unsafe content.withUnsafeMutableBytes { content in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: content[start..<end])
                    .copyMemory(from: bytes)
            }
        }
    }

    private static func tear(
        _ content: inout [UInt8], _ call: DiskCall, _ generator: inout SeededGenerator
    ) {
        guard call.kind == .write else {
            if generator.next() & 1 == 0 { change(&content, call) }
            return
        }
        // Often whole or not at all, as most writes are; else sector by sector.
        switch generator.next() & 3 {
        case 0: return
        case 1: change(&content, call)
        default:
            var start = 0
            while start < call.bytes.count {
                let place = call.offset + start
                let end = min(
                    call.bytes.count,
                    start + DiskImage.sectorBytes - place % DiskImage.sectorBytes)
                if generator.next() & 1 == 0 {
                    write(&content, call.bytes[start..<end], at: place)
                }
                start = end
            }
        }
    }
}
