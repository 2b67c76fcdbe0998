import WatchProto

/// What a disk may hold after a loss of power, given the calls made until then.
///
/// What was written before a file's last sync is there. Of what came later, any part may be: each
/// call, and of a write each sector of 512 bytes, for itself.
public struct DiskImage: Sendable {
    /// What becomes of calls that no sync has covered.
    public enum Fate: Hashable, Sendable {
        /// All are on the disk: the process was killed, the machine lives.
        case keepAll
        /// None is.
        case dropUnsynced
        /// Each for itself, sector by sector.
        case tear(seed: UInt64)
    }

    /// A file as it is on the disk, and what was asked since.
    private struct File: Sendable {
        var name: String
        /// nil: not there.
        var durable: [UInt8]?
        var unsynced: [DiskCall] = []
    }

    /// The unit that is written whole or not at all.
    public static let sectorBytes = 512

    private var files: [File] = []

    /// A disk that holds these files, durably.
    public init(holding files: [(name: String, bytes: [UInt8])] = []) {
        self.files = files.map { File(name: $0.name, durable: $0.bytes) }
    }

    /// Files that no sync has covered wholly.
    public var hasUnsynced: Bool { files.contains { !$0.unsynced.isEmpty } }

    /// Takes in the next call.
    public mutating func apply(_ call: DiskCall) {
        let index = place(of: Self.name(of: call.path))
        if call.kind == .sync {
            for earlier in files[index].unsynced { Self.change(&files[index].durable, earlier) }
            files[index].unsynced = []
        } else if call.kind.changesTheDisk {
            files[index].unsynced.append(call)
        }
    }

    /// The files that are there after the loss of power, with what they hold.
    public func files(after fate: Fate) -> [(name: String, bytes: [UInt8])] {
        var generator = SeededGenerator(seed: 0)
        if case .tear(let seed) = fate { generator = SeededGenerator(seed: seed) }
        return files.compactMap { file in
            var content = file.durable
            for call in file.unsynced {
                switch fate {
                case .keepAll: Self.change(&content, call)
                case .dropUnsynced: break
                case .tear: Self.tear(&content, call, &generator)
                }
            }
            return content.map { (file.name, $0) }
        }
    }

    private mutating func place(of name: String) -> Int {
        if let index = files.firstIndex(where: { $0.name == name }) { return index }
        files.append(File(name: name, durable: nil))
        return files.count - 1
    }

    /// All files stand in one directory.
    private static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    private static func change(_ content: inout [UInt8]?, _ call: DiskCall) {
        switch call.kind {
        case .create: content = content ?? []
        case .write: write(&content, call.bytes[...], at: call.offset)
        case .truncate:
            let size = content?.count ?? 0
            if call.offset < size { content!.removeLast(size - call.offset) }
        case .delete: content = nil
        case .sync, .read: break
        }
    }

    private static func write(_ content: inout [UInt8]?, _ bytes: ArraySlice<UInt8>, at start: Int)
    {
        var target = content ?? []
        content = nil
        let end = start + bytes.count
        if target.count < end {
            target.append(contentsOf: repeatElement(0, count: end - target.count))
        }
        target.replaceSubrange(start..<end, with: bytes)
        content = target
    }

    private static func tear(
        _ content: inout [UInt8]?, _ call: DiskCall, _ generator: inout SeededGenerator
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
                    call.bytes.count, start + sectorBytes - place % sectorBytes)
                if generator.next() & 1 == 0 {
                    write(&content, call.bytes[start..<end], at: place)
                }
                start = end
            }
        }
    }
}
