import Locks
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoSecurity
import WatchProtoTransport

/// The keys, journals and kept values of a device: in its file, or in memory where the application
/// asked for that.
final class DeviceStorage: Sendable {
    private let role: DeviceRole
    private let file: JournalFile?
    private let memory: DeviceMemory
    private let number = Mutex<UInt32?>(nil)
    /// The dose events of the wearer.
    let ledger: any LedgerStore

    /// - Throws: ``OpenError``; nothing was changed.
    init(_ options: SessionOptions, _ memory: DeviceMemory) throws(OpenError) {
        role = options.role
        self.memory = memory
        guard case .file(let path, let key) = options.journal else {
            if !options.tables.isEmpty {
                throw .journal("a session in memory has no tables; give it a journal file")
            }
            file = nil
            ledger = memory.withLock { $0.ledger }
            return
        }
        var journal = JournalOptions(
            key: try Self.key(key, of: path),
            stores: [StoredValue.schema, LedgerTables.schema] + Self.tables(options.tables))
        if let report = options.migrationProgress {
            journal.progress = { progress in
                report(
                    MigrationProgress(
                        step: progress.name, done: progress.done, total: progress.total))
            }
        }
        // A watch has little memory, and its file is small.
        if options.role == .watch { journal.pageCacheBytes = 512 << 10 }
        journal.owner = JournalOwner(role: options.role, pairing: Self.anyPairing)
        do {
            let opened = try JournalFile(path: path, options: journal)
            file = opened
            ledger = LedgerTables(opened)
            // A test's memory brings the pairing.
            for device in memory.paired where try opened.pairedDevices().isEmpty {
                try opened.keep(device)
            }
            let values = try opened.read { store in try StoredValue.all(in: store) }
            memory.withLock { $0.kept = values }
        } catch {
            throw .journal("\(error)")
        }
    }

    /// Names the owner of a file beside its role.
    private static let anyPairing = PairingID(
        rawValue: 0x5741_5443_4850_524F_544F_2D44_4556_4943)

    private static func tables(_ statements: [String]) -> [StoreSchema] {
        guard !statements.isEmpty else { return [] }
        let steps = statements.enumerated().map { number, statement in
            Migration(adding: "step \(number + 1) of the application's tables", [statement])
        }
        return [StoreSchema(name: "application", migrations: steps)]
    }

    private static func key(
        _ key: JournalKey, of journal: String
    ) throws(OpenError) -> any PayloadKey {
        do {
            switch key {
            case .unsealed: return UnsealedPayloads()
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
    func device() throws(JournalError) -> DeviceID {
        if let file { return try file.deviceID() }
        return memory.withLock { $0.device }
    }

    /// This device's number in dose events; nil while the journal cannot be read.
    var deviceNumber: UInt32? {
        number.withLock { number in
            number = number ?? (try? device()).map { UInt32(truncatingIfNeeded: $0.rawValue) }
            return number
        }
    }

    /// The pairing in use; nil for none.
    func pairedDevice() throws(OpenError) -> PairedDevice? {
        do throws(JournalError) {
            return try paired().last
        } catch {
            throw .journal("\(error)")
        }
    }

    private func paired() throws(JournalError) -> [PairedDevice] {
        if let file { return try file.pairedDevices() }
        return memory.withLock { $0.paired }
    }

    /// The journal of a pairing.
    func journal(of device: PairedDevice) throws(JournalError) -> any JournalBackend {
        if let file { return try file.journal(for: device.pairing) }
        return memory.withLock { memory in
            let journal =
                memory.journals[device.pairing] ?? MemoryJournal(pairedWith: device.ticket)
            memory.journals[device.pairing] = journal
            return journal
        }
    }

    /// Keeps a new pairing, and in the same transaction what a former one with the same device did
    /// not deliver; the former one is erased. A watch belongs to one phone: every former pairing
    /// of it is erased.
    ///
    /// - Parameter keepingDoses: whether the other phone is of the same wearer.
    /// - Throws: where the disk failed; nothing is paired then.
    func keep(_ device: PairedDevice, keepingDoses: Bool) throws {
        let former = try paired()
        let same = former.filter { $0.counterpart == device.counterpart }
        let gone = (role == .watch ? former : same).map(\.pairing)
        var values: [StoredValue] = []
        for pairing in same.map(\.pairing) {
            values += try undelivered(to: pairing).compactMap {
                StoredValue(carryingOver: $0, to: device.counterpart.device.rawValue)
            }
        }
        // A watch keeps nothing of a phone that it no longer belongs to. Its wearer's events from
        // before the first pairing stay.
        let isOther = role == .watch && former.areOfOthers(than: device.counterpart)
        if let file {
            let erasure =
                (isOther ? [StoredValue.deleteAll] : [])
                + (isOther && !keepingDoses ? LedgerTables.deleteAll : [])
            try file.keep(device, erasing: gone, writes: erasure + values.map(StoredValue.insert))
        } else {
            memory.withLock { memory in
                memory.paired.removeAll { gone.contains($0.pairing) }
                for pairing in gone { memory.journals[pairing] = nil }
                memory.paired.append(device)
            }
        }
        let carried = values
        memory.withLock { memory in
            if isOther {
                memory.kept = []
                if !keepingDoses { _ = memory.ledger.removeAll() }
            }
            for value in carried { memory.keep(value) }
        }
    }

    /// Whether a pairing with this device erases the doses: a watch was another phone's. A journal
    /// that cannot be read says nothing; the pairing is refused then.
    func erasesDoses(pairingWith other: PairingIdentity) -> Bool {
        role == .watch && (try? paired())?.areOfOthers(than: other) == true
    }

    private func undelivered(to pairing: PairingID) throws -> [OutboundRecord] {
        let settings = PeerConfiguration(role: role, pairing: pairing, kinds: .product)
        if let file { return try file.journal(for: pairing).restore(settings).undelivered }
        return memory.withLock { $0.journals[pairing]?.restore(settings).undelivered } ?? []
    }

    // MARK: Kept values

    /// The values stored for this purpose and this counterpart, oldest first.
    func values(_ purpose: StoredValue.Purpose, of device: PairedDevice) -> [StoredValue] {
        let counterpart = device.counterpart.device.rawValue
        return memory.withLock { memory in
            memory.kept.filter { $0.purpose == purpose && $0.counterpart == counterpart }
        }
    }

    /// Keeps a value; gives the write that makes that durable, nil in memory.
    func keep(_ value: StoredValue) -> SQLWrite? {
        memory.withLock { $0.keep(value) }
        return file == nil ? nil : StoredValue.insert(value)
    }

    /// The value is done with. Returns whether that is all there is to do: in a file its row goes
    /// with a write.
    func forget(_ value: StoredValue) -> Bool {
        memory.withLock { memory in memory.kept.removeAll { $0 == value } }
        return file == nil
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
