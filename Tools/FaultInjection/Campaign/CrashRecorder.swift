internal import Glibc
import WatchProtoCore
import WatchProtoJournal
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// Runs a journal on a recorded disk.
struct CrashRecorder {
    var family: CrashFamily
    var seed: UInt64
    var mutants: Set<JournalMutant> = []
    /// The fault planted under the journal, counted from its opening.
    var fault: DiskFault?
    /// A call that the disk only seems to make.
    var lie: DiskLie?

    static let pairing = PairingID(rawValue: 0xC0FFEE)
    static let fileName = "journal"
    /// A secret that no file of a sealed journal may show.
    static let secret = BatchSource.Secret(
        word: Array("Levothyroxine 50".utf8), name: 0x5EED_0011_2233_4455_6677_8899_AABB_CC00)
    /// The table of batches, to the seal of its notes.
    static let notes: UInt8 = 1

    /// Steps between one opening and the next; each is a batch on its own, then a group of some
    /// more.
    private var steps: Int {
        switch family {
        case .make: 1
        case .close, .upgrade: 2
        case .seal, .forget: 3
        default: 6
        }
    }

    /// The step before which the other pairing is forgotten.
    private var forgetsBefore: Int? { family == .forget ? 1 : nil }

    /// The application's table beside the journal, at the schema the run starts or ends with.
    static func store(version: Int) -> StoreSchema {
        let steps = [
            Migration(
                adding: "adds the table of batches",
                ["CREATE TABLE crash_batch(number INTEGER PRIMARY KEY, note BLOB)"]),
            Migration(
                adding: "adds the double of each number",
                ["ALTER TABLE crash_batch ADD COLUMN double INTEGER"]),
            Migration(rewriting: "works out the double of each number") { store, progress in
                try store.run("UPDATE crash_batch SET double = 2 * number")
                progress(1, 1)
            },
        ]
        return StoreSchema(name: "crash", migrations: Array(steps.prefix(version)))
    }

    /// The table of the pairing that is forgotten.
    static let words = StoreSchema(
        name: "words",
        migrations: [
            Migration(adding: "adds the table of words", ["CREATE TABLE crash_word(word BLOB)"])
        ])

    /// The options of every opening, small enough for everything to happen often.
    static func options(
        _ family: CrashFamily, storeVersion: Int, key: any PayloadKey
    ) -> JournalOptions {
        var options = JournalOptions(key: key, stores: [store(version: storeVersion)])
        if family == .forget { options.stores.append(words) }
        options.owner = JournalOwner(role: .watch, pairing: pairing)
        let isSmall = [.recover, .seal].contains(family)
        if isSmall || family == .fold { options.logBytesBeforeImage = 1 << 10 }
        options.logPagesBeforeCheckpoint = isSmall || family == .checkpoint ? 2 : 1000
        options.logPagesAhead = 4
        options.schema = schema(of: family)
        return options
    }

    /// Makes a journal in `directory`, and runs it.
    func record(in directory: ScratchDirectory) throws -> CrashRecording {
        try directory.hold([])
        var recording = CrashRecording(fault: fault)
        if family.isSealed(seed) {
            recording.key = AtRestPayloads(key: try .random())
            if family == .reseal {
                recording.remains = Self.secret.traces
            } else {
                recording.secrets = Self.secret.traces
            }
        }
        var source = BatchSource(
            family: family, seed: seed, secret: family.isSealed(seed) ? Self.secret : nil)
        try makeBase(in: directory, &source, &recording)
        let disk = RecordedDisk()
        let gate = try WriterGate()
        var options = Self.options(
            family, storeVersion: family.storeVersion, key: recording.key)
        options.fileSystem = disk.name
        options.fault = disk.fault(before: gate.fault)
        options.mutants = mutants
        disk.plant(fault)
        do {
            for _ in 0..<(family == .close ? 3 : 1) {
                let file = try JournalFile(
                    path: directory.file(Self.fileName), options: options)
                defer {
                    recording.counters = file.counters
                    file.abandon()
                }
                if !family.isOpeningOnly {
                    try run(file, &source, &recording, disk: disk, gate: gate)
                }
                rest(file)
                // No batch reports a failure after the last one: ask the file.
                recording.failure = file.failure
                if family == .close { file.close() }
            }
        } catch let error as JournalError where fault != nil || !mutants.isEmpty {
            recording.failure = error
        }
        recording.calls = disk.calls
        if let place = lie?.place(in: recording.calls) {
            // A call that changes nothing takes its place.
            recording.calls[place] = DiskCall(
                kind: .read, path: directory.file(Self.fileName))
        }
        recording.faultsMet = disk.faultsMet
        return recording
    }

    /// Gives the batches of a run, and waits for each step.
    func run(
        _ file: JournalFile, _ source: inout BatchSource, _ recording: inout CrashRecording,
        disk: RecordedDisk?, gate: WriterGate?
    ) throws {
        let journal = try file.journal(for: Self.pairing)
        // An application may not have opened the pairing yet: then its log is folded from its rows.
        if seed & 1 == 0 { _ = try JournalState(of: Self.pairing, in: file) }
        let answers = CrashAnswers(disk: disk, gate: gate)
        let notifier = CommitNotifier(wake: try WakeDescriptor(), observer: answers.note)
        var generator = SeededGenerator(seed: seed ^ 0x9E37)
        // Acknowledgements count, however the run ends.
        defer { recording.acknowledgedAt += answers.callCounts }
        for step in 0..<steps {
            if let disk, step == forgetsBefore { try forget(in: file, &recording, disk) }
            gate?.close()
            for place in 0...generator.uniform(in: 0...4) {
                let entries = source.batch()
                var state = recording.states.last ?? JournalState()
                state.apply(entries)
                recording.states.append(state)
                let number = Int64(recording.states.count - 1)
                let answer = journal.persist(
                    entries, writes: [write(number)],
                    receipt: JournalReceipt(rawValue: UInt64(number)), notifier: notifier)
                // A journal that has failed takes nothing and starts no transaction.
                guard answer == .later else { break }
                if place == 0 { gate?.awaitArrival() }
            }
            gate?.open()
            // Whether the log is copied, and how often what was put off is tried again, depends on
            // whether more has come meanwhile; also on when one asks whether all is durable.
            rest(file)
            try flush(file, &recording, answers)
            rest(file)
        }
    }

    /// The write to the store that goes with a batch.
    func write(_ number: Int64) -> SQLWrite {
        guard family.isSealed(seed) else {
            return SQLWrite("INSERT INTO crash_batch(number) VALUES(?)", [.integer(number)])
        }
        return SQLWrite { store in
            let note = store.columns.seal(Self.secret.word, table: Self.notes, row: number)
            try store.run(
                "INSERT INTO crash_batch(number, note) VALUES(?, ?)",
                [.integer(number), .blob(note)])
        }
    }

    private func forget(
        in file: JournalFile, _ recording: inout CrashRecording, _ disk: RecordedDisk
    ) throws {
        recording.forgetting?.begunAfter = recording.states.count - 1
        try file.forget(
            CrashForgetting.pairing, writes: [SQLWrite("DELETE FROM crash_word")])
        recording.forgetting?.doneAt = disk.callCount
        // The writer's thread makes room behind the new log, now or when it next has to do.
        rest(file)
        try file.flush()
        rest(file)
    }

    func rest(_ file: JournalFile) {
        while !file.isResting { usleep(20) }
    }
}
