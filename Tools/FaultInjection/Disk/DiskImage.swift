import WatchProtoCore

/// The possible contents of a disk after a loss of power, given the calls made until then.
///
/// All bytes written before a file's last sync are there, and the names that stood in the directory
/// when it was synced. Of later calls, any part may be there: each change of a name, each call, and
/// of a write each sector of 512 bytes, for itself. Bytes that a failed sync was to make durable
/// stay in doubt, also behind a later sync that succeeds: the system may have given them up.
package struct DiskImage: Sendable {
    /// The fate of calls that no sync has covered.
    package enum Fate: Hashable, Sendable {
        /// All are on the disk: the process was killed, the machine lives.
        case keepAll
        /// None is.
        case dropUnsynced
        /// Each for itself, sector by sector.
        case tear(seed: UInt64)
    }

    /// A file of the disk, by its name.
    package typealias NamedFile = (name: String, bytes: [UInt8])

    /// The unit that is written whole or not at all.
    package static let sectorBytes = 512

    private var files: [DiskFile] = []
    /// The names in the directory as the running system sees them, as they are on the disk, and the
    /// changes between the two.
    private var names = DiskNames()
    private var durableNames = DiskNames()
    private var nameChanges: [DiskNames.Change] = []

    /// A disk that holds these files, durably.
    package init(holding files: [NamedFile] = []) {
        for file in files {
            self.files.append(DiskFile(durable: file.bytes))
            names.apply(.add(file.name, self.files.count - 1))
        }
        durableNames = names
    }

    /// Whether anything is there that no sync has covered wholly.
    package var hasUnsynced: Bool { !nameChanges.isEmpty || files.contains { $0.hasUnsynced } }

    /// Takes in the next call.
    package mutating func apply(_ call: DiskCall) {
        let name = DiskCall.name(of: call.path)
        switch call.kind {
        case .read: break
        case .create: _ = place(of: name)
        case .write, .truncate: files[place(of: name)].add(call)
        case .sync:
            files[place(of: name)].sync(isFailed: call.isFailed)
            if !call.isFailed, syncsItsName(name) { syncNames() }
        case .delete:
            if names[name] != nil { change(.remove(name)) }
            if call.offset == 1 { syncNames() }
        case .rename: change(.move(name, to: DiskCall.name(of: call.target ?? call.path)))
        case .syncDirectory: syncNames()
        }
    }

    /// The files that are there after the loss of power, with what they hold.
    package func files(after fate: Fate) -> [NamedFile] {
        var generator = SeededGenerator(seed: 0)
        if case .tear(let seed) = fate { generator = SeededGenerator(seed: seed) }
        var left = durableNames
        for change in nameChanges {
            switch fate {
            case .keepAll: left.apply(change)
            case .dropUnsynced: break
            case .tear: if generator.next() & 1 == 0 { left.apply(change) }
            }
        }
        return left.entries.map { entry in
            (entry.name, files[entry.file].bytes(after: fate, &generator))
        }
    }

    // MARK: Names

    private mutating func place(of name: String) -> Int {
        if let known = names[name] { return known }
        files.append(DiskFile(durable: []))
        change(.add(name, files.count - 1))
        return files.count - 1
    }

    private mutating func change(_ change: DiskNames.Change) {
        names.apply(change)
        nameChanges.append(change)
    }

    private mutating func syncNames() {
        durableNames = names
        nameChanges = []
    }

    /// SQLite syncs the directory with the first sync of a log that it has made (`UNIXFILE_DIRSYNC`
    /// in its os_unix.c), below the calls that are noted.
    private func syncsItsName(_ name: String) -> Bool {
        guard name.hasSuffix("-wal") || name.hasSuffix("-journal") else { return false }
        return nameChanges.contains { change in
            if case .add(name, _) = change { true } else { false }
        }
    }
}

/// The names in a directory, and the files they stand for.
struct DiskNames: Sendable {
    enum Change: Sendable {
        case add(String, Int)
        case remove(String)
        case move(String, to: String)
    }

    private(set) var entries: [(name: String, file: Int)] = []

    subscript(name: String) -> Int? { entries.first { $0.name == name }?.file }

    mutating func apply(_ change: Change) {
        switch change {
        case .add(let name, let file):
            entries.removeAll { $0.name == name }
            entries.append((name, file))
        case .remove(let name): entries.removeAll { $0.name == name }
        case .move(let name, let target):
            guard let file = self[name] else { return }
            entries.removeAll { $0.name == name || $0.name == target }
            entries.append((target, file))
        }
    }
}
