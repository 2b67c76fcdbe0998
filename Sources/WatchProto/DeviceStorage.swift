import Locks
import WatchProtoCore
package import WatchProtoJournal
package import WatchProtoSecurity
package import WatchProtoTransport

/// The keys, journals and kept values of a device: in its file, or in memory where there is none.
package final class DeviceStorage: Sendable {
    let role: DeviceRole
    let file: JournalFile?
    let memory: DeviceMemory
    let grouped = GroupedWrites()
    private let number = Mutex<UInt32?>(nil)
    /// The reopenings of the file for which the kept values were read again.
    private let reloads = Mutex(0)
    /// The dose events of the wearer.
    package let ledger: any LedgerStore
    /// The plans of complications.
    package let plans: any ComplicationStore

    /// The tables of the library beside a journal.
    package static let schemas = [
        StoredValue.schema, LedgerTables.schema, ComplicationTables.schema,
    ]

    /// The storage of a device in a file that was opened with ``schemas``, or in memory alone.
    ///
    /// - Throws: the error of a read; the file is at fault.
    package init(
        _ role: DeviceRole, _ file: JournalFile?, _ memory: DeviceMemory = DeviceMemory()
    ) throws {
        self.role = role
        self.file = file
        self.memory = memory
        if let file {
            ledger = LedgerTables(file)
            plans = ComplicationTables(file)
        } else {
            (ledger, plans) = memory.withLock { ($0.ledger, $0.plans) }
        }
        try reload()
    }

    /// - Throws: ``OpenError``; nothing was changed.
    convenience init(_ options: SessionOptions, _ memory: DeviceMemory) throws(OpenError) {
        do {
            try self.init(options.role, try Self.open(options, memory.fault), memory)
            // A test's memory brings the pairings.
            if let file, try file.pairedDevices().isEmpty {
                for device in memory.paired { try file.keep(device) }
            }
        } catch let error as OpenError {
            throw error
        } catch {
            throw .journal("\(error)")
        }
    }

    /// Opens the file of a session; nil for a session in memory.
    private static func open(
        _ options: SessionOptions, _ fault: JournalFault?
    ) throws -> JournalFile? {
        guard case .file(let path, let key) = options.journal else {
            if options.tables.isEmpty { return nil }
            throw OpenError.journal("a session in memory has no tables; give it a journal file")
        }
        // The system would end the path there.
        guard !path.utf8.contains(0) else {
            throw OpenError.journal("the path of the journal has a NUL; remove it")
        }
        var journal = JournalOptions(
            key: try Self.key(key, of: path), stores: schemas + tables(options.tables))
        journal.fault = fault
        if let report = options.migrationProgress {
            journal.progress = { progress in
                report(
                    MigrationProgress(
                        step: progress.name, done: progress.done, total: progress.total))
            }
        }
        // A watch has little memory, and its file is small.
        if options.role == .watch { journal.pageCacheBytes = 512 << 10 }
        journal.owner = JournalOwner(role: options.role, pairing: anyPairing)
        return try JournalFile(path: path, options: journal)
    }

    /// Names the owner of a file beside its role.
    private static let anyPairing = PairingID(
        rawValue: 0x5741_5443_4850_524F_544F_2D44_4556_4943)

    private static func key(
        _ key: JournalKey, of journal: String
    ) throws(OpenError) -> any PayloadKey {
        do {
            switch key {
            case .unsealed: return UnsealedPayloads()
            case .file(let path) where path.utf8.contains(0),
                .passphraseFile(let path) where path.utf8.contains(0):
                throw OpenError.badKey("the path of the key '\(path)' has a NUL; remove it")
            case .file(let path):
                let isNew = !WholeFile.exists(journal) && !WholeFile.exists(path)
                return AtRestPayloads(
                    key: try isNew ? AtRestKey.createKeyFile(path) : AtRestKey(keyFile: path))
            case .provider(let provide):
                var bytes: [UInt8]
                do { bytes = try provide() } catch { throw OpenError.badKey("\(error)") }
                defer { AtRestKey.wipe(&bytes) }
                return AtRestPayloads(key: try AtRestKey(copying: bytes))
            case .passphraseFile(let path):
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
        } catch let error as OpenError {
            throw error
        } catch {
            throw .badKey("\(error)")
        }
    }

    // MARK: Pairings

    /// This device's name in pairings.
    ///
    /// - Throws: `JournalError`; the disk failed.
    package func device() throws(JournalError) -> DeviceID {
        if let file { return try file.deviceID() }
        return memory.withLock { $0.device }
    }

    /// This device's number in dose events; nil while the journal cannot be read.
    package var deviceNumber: UInt32? {
        number.withLock { number in
            number = number ?? (try? device()).map { UInt32(truncatingIfNeeded: $0.rawValue) }
            return number
        }
    }

    /// The devices that this one is paired with; the last is the one in use.
    ///
    /// - Throws: `JournalError`; the disk failed.
    package func paired() throws(JournalError) -> [PairedDevice] {
        if let file { return try file.pairedDevices() }
        return memory.withLock { $0.paired }
    }

    /// The devices that this one is paired with; the last is the one in use.
    func pairedDevices() throws(OpenError) -> [PairedDevice] {
        do throws(JournalError) {
            return try paired()
        } catch {
            throw .journal("\(error)")
        }
    }

    /// Makes a pairing the one in use. Returns whether its keys are here.
    ///
    /// - Throws: `JournalError`; the disk failed.
    @discardableResult
    package func activate(_ pairing: PairingID) throws(JournalError) -> Bool {
        if let file { return try file.activate(pairing) }
        return memory.withLock { memory in
            guard let place = memory.paired.firstIndex(where: { $0.pairing == pairing }) else {
                return false
            }
            memory.paired.append(memory.paired.remove(at: place))
            return true
        }
    }

    /// The journal of a pairing.
    ///
    /// - Throws: `JournalError` if the file was closed.
    package func journal(of device: PairedDevice) throws(JournalError) -> any JournalBackend {
        if let file { return try file.journal(for: device.pairing) }
        return memory.withLock { $0.journal(of: device.pairing, pairedWith: device.ticket) }
    }

    /// The journal of devices that communicate without a pairing, under this name.
    ///
    /// - Throws: `JournalError` if the file was closed.
    package func unsealedJournal(
        of pairing: PairingID
    ) throws(JournalError) -> any JournalBackend {
        let ticket = Ticket(rawValue: 1)
        if let file { return try file.journal(for: pairing, pairedWith: ticket) }
        return memory.withLock { $0.journal(of: pairing, pairedWith: ticket) }
    }

    // MARK: The file

    /// Reads the kept values again, after the file was opened again: some of them, or their
    /// removal, may not have become durable. Values in memory stay, and so do messages: to forget
    /// one that is being written would be to deny it.
    ///
    /// - Throws: the error of a read; the file is at fault.
    package func reload() throws {
        guard let file else { return }
        let values = try file.read { store in try StoredValue.all(in: store) }
        let messages: [StoredValue.Purpose] = [.sentMessage, .givenMessage]
        memory.withLock { memory in
            memory.kept =
                values
                + memory.kept.filter { own in
                    messages.contains(own.purpose) && !values.contains { $0.isSame(as: own) }
                }
        }
    }

    /// Reads the kept values again for the first session that opened its journal again. A later
    /// reading would drop values that came since and are not durable yet.
    func reloadOnce() throws {
        guard let file else { return }
        try reloads.withLock { reloads in
            let reopenings = file.reopenCount
            guard reloads != reopenings else { return }
            try reload()
            reloads = reopenings
        }
    }

    /// The reason why the journal takes nothing at present; nil while it works.
    var failure: String? { file?.failure?.description }

    /// Whether there is a file.
    var isDurable: Bool { file != nil }

    /// Looks at the application's tables.
    func read<Value: Sendable>(
        _ body: (borrowing StoreReader) throws -> Value
    ) throws -> Value {
        guard let file else { throw OpenError.journal("there is no journal file") }
        return try file.read(body)
    }

    func close() { file?.close() }
}
