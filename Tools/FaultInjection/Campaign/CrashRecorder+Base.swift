import WatchProtoCore
import WatchProtoJournal
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// The content of the disk when a run begins.
extension CrashRecorder {
    func makeBase(
        in directory: ScratchDirectory, _ source: inout BatchSource,
        _ recording: inout CrashRecording
    ) throws {
        switch family {
        case .make:
            if seed & 1 == 0 { recording.base = try markOfAnother(in: directory) }
            return
        case .migrate: try makeFile(in: directory, &recording, &source)
        // In every other stretch of runs the log of a killed journal is taken up first.
        case .upgrade:
            try makeFile(
                in: directory, &recording, &source, schema: 1 + Int(seed % 2),
                isKilled: seed & 8 == 0)
        case .reseal:
            try makeFile(
                in: directory, &recording, &source, schema: 2, isKilled: seed & 2 == 0)
        case .forget:
            try makeFile(in: directory, &recording) { file, _, recording in
                try self.addForgettable(to: file, &recording)
            }
        default: try makeFile(in: directory, &recording) { _, _, _ in }
        }
        recording.base = try directory.contents()
    }

    /// A file with the batches of a run, made by this program or an older one.
    private func makeFile(
        in directory: ScratchDirectory, _ recording: inout CrashRecording,
        _ source: inout BatchSource, schema: Int? = nil,
        isKilled: Bool = false
    ) throws {
        try makeFile(in: directory, &recording, schema: schema, isKilled: isKilled) {
            file, gate, recording in
            try self.run(file, &source, &recording, disk: nil, gate: gate)
            if schema == 2 { try self.addNotes(to: file) }
        }
    }

    private func makeFile(
        in directory: ScratchDirectory, _ recording: inout CrashRecording,
        schema: Int? = nil, isKilled: Bool = false,
        _ fill: (JournalFile, WriterGate, inout CrashRecording) throws -> Void
    ) throws {
        var options = Self.options(family, storeVersion: 1, key: recording.key)
        if let schema { options.schema = Array(options.schema.prefix(schema)) }
        // Groups are the same in every run.
        let gate = try WriterGate()
        options.fault = gate.fault
        let file = try JournalFile(path: directory.file(Self.fileName), options: options)
        try fill(file, gate, &recording)
        if isKilled { file.abandon() } else { file.close() }
    }

    /// The files left of a journal that was killed, and whose file and log were then removed: the
    /// file of its claim alone, which says how much was durable.
    private func markOfAnother(
        in directory: ScratchDirectory
    ) throws -> [DiskImage.NamedFile] {
        let path = directory.file(Self.fileName)
        let file = try JournalFile(
            path: path,
            options: Self.options(family, storeVersion: 1, key: UnsealedPayloads()))
        let journal = try file.journal(for: Self.pairing)
        let notifier = CommitNotifier(wake: try WakeDescriptor())
        var source = BatchSource(family: family, seed: seed)
        for number in 1...20 as ClosedRange<UInt64> {
            _ = journal.persist(
                source.batch(), writes: [], receipt: JournalReceipt(rawValue: number),
                notifier: notifier)
            try file.flush()
        }
        file.abandon()
        try directory.hold(try directory.contents().filter { $0.name.hasSuffix("-lock") })
        return try directory.contents()
    }

    // MARK: A pairing to forget

    private static let forgettable = BatchSource.Secret(
        word: Array("Metformin 500 mg".utf8), name: 0xFADE_1357_9BDF_0246_8ACE_1122_3344_5500)

    /// Another pairing with its keys, records and words in the store; and the keys of a third.
    private func addForgettable(
        to file: JournalFile, _ recording: inout CrashRecording
    ) throws {
        var forgetting = CrashForgetting()
        forgetting.traces = Self.forgettable.traces
        var keys = try SimulatedPair(seed: 1).phone.exposed()
        for place in 0..<16 {
            keys[1 + place] = UInt8(
                truncatingIfNeeded: CrashForgetting.pairing.rawValue >> (8 * UInt128(place)))
        }
        forgetting.traces += [Array(keys[82..<114]), Array(keys[114..<146])]
        try keep(keys, in: file)
        forgetting.state = try JournalState(of: CrashForgetting.pairing, in: file)
        let journal = try file.journal(for: CrashForgetting.pairing)
        let notifier = CommitNotifier(wake: try WakeDescriptor())
        var source = BatchSource(
            family: .recover, seed: seed ^ 0xF026, secret: Self.forgettable)
        for number in 1...4 as ClosedRange<UInt64> {
            let entries = source.batch()
            forgetting.state.apply(entries)
            let write = SQLWrite { store in
                let word = store.columns.seal(
                    Self.forgettable.word, table: 2, row: Int64(number))
                try store.run("INSERT INTO crash_word VALUES(?)", [.blob(word)])
            }
            _ = journal.persist(
                entries, writes: [write], receipt: JournalReceipt(rawValue: number),
                notifier: notifier)
            try file.flush()
            forgetting.words += 1
        }
        if family.isSealed(seed) {
            recording.secrets += forgetting.traces
            // Sealed rows are traces too: a person who obtains the key later could open them.
            let rows = try file.read { store in
                try store.query("SELECT body FROM journal_log UNION SELECT body FROM journal_keys")
                { row throws(StoreFailure) in row.blob(0) }
            }
            forgetting.traces += rows.filter { $0.count > 64 }.map { Array($0[24..<64]) }
        }
        var other = try SimulatedPair(seed: 2).phone.exposed()
        other[34] ^= 0xFF
        try keep(other, in: file)
        forgetting.kept = other
        recording.forgetting = forgetting
    }

    private func keep(_ exposed: [UInt8], in file: JournalFile) throws {
        guard let device = PairedDevice(exposed: exposed) else {
            throw CrashFailure("there is no memory for the keys of a pairing")
        }
        try file.keep(device)
    }
}
