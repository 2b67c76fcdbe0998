internal import CommandLine
internal import FaultInjection
internal import Glibc
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoSecurity

/// Why a simulator cannot start, and the code it ends with.
struct StartRefusal: Error {
    var exit: SimulatorExit
    /// One line.
    var text: String

    init(_ exit: SimulatorExit, _ text: String) {
        self.exit = exit
        self.text = text
    }

    /// The refusal for an error of the journal, or another one.
    init(_ error: any Error, else exit: SimulatorExit, _ text: String? = nil) {
        if let error = error as? JournalError {
            self.init(error.kind.exit, error.description)
        } else {
            self.init(exit, text ?? "\(error)")
        }
    }
}

/// The parts of a simulator that outlive its process: a journal's file, and the key that seals it.
package struct SimulatorJournal: Hashable, Sendable {
    /// The source of the key that seals the journal at rest.
    package enum Key: Hashable, Sendable {
        /// The key in a file.
        case file(path: String)
        /// The key that Argon2id derives from the passphrase in a file.
        case passphrase(path: String)
    }

    /// The journal; nil for none: everything is in memory.
    package var path: String?
    /// Nil leaves it unsealed.
    package var key: Key?
    /// The failure planted in its disk; nil for none.
    var diskFault: DiskFaultArgument?
    /// As `JournalOptions.logPagesAhead`; nil leaves it as it is shipped.
    var logPagesAhead: Int?

    /// A journal whose disk does what it is asked.
    package init(path: String?, key: Key?) {
        self.path = path
        self.key = key
    }

    /// A journal that was opened.
    struct Opened {
        var file: JournalFile?
        /// The file system that fails on purpose. It must live as long as the file.
        var disk: RecordedDisk?
    }

    /// Whether it is sealed at rest.
    package var isSealed: Bool { key != nil }

    /// Opens the file, if there is to be one. The check of what it holds follows.
    func open(
        _ application: any SimulatorApplication, _ pairing: PairingID
    ) throws(StartRefusal) -> Opened {
        guard let path else { return Opened() }
        // A file that has grown too large is an error of a write, which the journal reports.
        signal(SIGXFSZ, SIG_IGN)
        if !ProcessFacts.hasDirectory(of: path) {
            throw StartRefusal(
                .missing,
                "journal '\(path)': its directory does not exist. Make it first, or name another "
                    + "path after '--journal'.")
        }
        let role = application.role
        let schema = DeviceSchema.schema { try application.expected(of: $0) }
        let stores = [schema] + DeviceStorage.schemas
        var options = JournalOptions(key: try payloadKey(), stores: stores) { progress in
            guard progress.total > 1, progress.done % 1000 == 0 else { return }
            StandardError.write(
                "\(role): journal: \(progress.name): \(progress.done) of \(progress.total)")
        }
        // A watch has little memory, and its file is small.
        if role == .watch { options.pageCacheBytes = 512 << 10 }
        options.owner = JournalOwner(role: role, pairing: pairing)
        let disk = diskFault.map { _ in RecordedDisk(isRecording: false) }
        disk?.plant(diskFault?.fault)
        options.fileSystem = disk?.name
        if let logPagesAhead { options.logPagesAhead = logPagesAhead }
        options.checksLater = true
        do {
            return Opened(file: try JournalFile(path: path, options: options), disk: disk)
        } catch {
            throw StartRefusal(error, else: .system)
        }
    }

    private func payloadKey() throws(StartRefusal) -> any PayloadKey {
        do throws(AtRestKeyError) {
            switch key {
            case nil: return UnsealedPayloads()
            case .file(let path): return AtRestPayloads(key: try AtRestKey(keyFile: path))
            case .passphrase(let path):
                // Read once to see its faults before anything is looked at.
                var first = try AtRestKey.passphrase(file: path)
                AtRestKey.wipe(&first)
                return AtRestPayloads { () throws(PayloadKeyRefusal) in
                    do throws(AtRestKeyError) {
                        return try AtRestKey.passphrase(file: path)
                    } catch {
                        throw PayloadKeyRefusal("\(error)")
                    }
                }
            }
        } catch {
            let exit: SimulatorExit =
                switch error.fault {
                case .missing: .missing
                case .openToOthers: .noPermission
                case .systemRefused: .system
                default: .badData
                }
            throw StartRefusal(exit, "\(error)")
        }
    }
}

extension JournalError.Kind {
    /// How a simulator ends that finds this when it opens its journal.
    var exit: SimulatorExit {
        switch self {
        case .newerSchema, .damaged, .commitsMissing, .notAJournal, .otherOwner, .severalNames:
            .badData
        case .wrongKey: .noPermission
        case .readOnly, .diskFull: .cannotWrite
        case .held: .unavailable
        case .storeWrite, .closed, .system: .system
        }
    }
}

/// The options of a command line that are about the journal.
struct JournalArguments {
    let path = CommandOption<String>(
        "journal", value: "path",
        help: "The file that records, medications and doses are kept in, made where there is "
            + "none. Without it everything is in memory and ends with the process.")
    let key = CommandOption<String>(
        "journal-key", value: "file",
        help: "Seal the journal at rest with the key in this file (32 bytes or 64 hexadecimal "
            + "digits, mode 0600).")
    let passphrase = CommandOption<String>(
        "journal-passphrase-file", value: "file",
        help: "Seal it with what Argon2id makes of the first line of this file (mode 0600); "
            + "takes 64 MiB while it is derived.")

    let diskFault = CommandOption<DiskFaultArgument>(
        "disk-fault", value: "fault",
        help: "For tests of the program itself: let the journal's disk fail at a call, as in "
            + "io:sync:40 or full:any:200:forever (failure io or full; call any, create, write, "
            + "truncate, sync, delete or read; which one, from 1; once or for ever).")

    let logPagesAhead = CommandOption<Int>(
        "log-pages-ahead", value: "n",
        help: "Pages of zeros that an idle journal keeps written behind its log. With 0 it makes "
            + "no calls ahead of need, so that those of --disk-fault can be counted. Without it, "
            + "what the journal does by itself.")

    func add(to program: inout Verb) {
        program.add(path)
        program.add(key)
        program.add(passphrase)
        program.add(diskFault)
        program.add(logPagesAhead)
    }

    func read(_ run: Invocation, _ program: Verb) throws(UsageError) -> SimulatorJournal {
        var journal = SimulatorJournal(
            path: run[path],
            key: run[key].map { .file(path: $0) } ?? run[passphrase].map { .passphrase(path: $0) })
        journal.diskFault = run[diskFault]
        journal.logPagesAhead = run[logPagesAhead]
        if journal.path == "" {
            throw program.usageError("'--journal' needs a path.", option: "journal")
        }
        if run[key] != nil, run[passphrase] != nil {
            throw program.usageError(
                "'--journal-key' and '--journal-passphrase-file' exclude each other.",
                option: "journal-key")
        }
        if journal.path == nil, journal.key != nil {
            let option = run[key] == nil ? "journal-passphrase-file" : "journal-key"
            throw program.usageError(
                "'--\(option)' seals a journal, and there is none: give '--journal PATH'.",
                option: option)
        }
        if journal.path == nil, journal.diskFault != nil {
            throw program.usageError(
                "'--disk-fault' is of a journal's disk, and there is none: give '--journal PATH'.",
                option: "disk-fault")
        }
        guard let pages = journal.logPagesAhead else { return journal }
        guard (0...65_536).contains(pages) else {
            throw program.usageError(
                "The value '\(pages)' is invalid for '--log-pages-ahead': it must be 0 to 65536.",
                option: "log-pages-ahead")
        }
        if journal.path == nil {
            throw program.usageError(
                "'--log-pages-ahead' is of a journal, and there is none: give '--journal PATH'.",
                option: "log-pages-ahead")
        }
        return journal
    }
}
