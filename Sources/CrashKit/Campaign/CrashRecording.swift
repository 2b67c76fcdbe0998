internal import Glibc
internal import Synchronization
import WatchJournal
import WatchProto
internal import WatchTransport

/// What one run of a journal did to the disk, and what it had promised when.
struct CrashRecording {
    /// The files as they stood, durable, before the first call.
    var base: [DiskImage.NamedFile]
    /// Every call that changed the disk.
    var calls: [DiskCall]
    /// What the journal amounts to after the first n batches, by n.
    var images: [JournalImage]
    /// How many calls had been made when each batch was acknowledged.
    var acknowledgedAt: [Int]
    /// What the journal did on the recorded disk.
    var counters = JournalCounters()
    /// Why the journal gave up, where a fault was planted.
    var failure: JournalError?
    /// How many calls failed.
    var faultsMet = 0

    /// How many batches were acknowledged when `callCount` calls had been made.
    func promised(at callCount: Int) -> Int {
        acknowledgedAt.prefix { $0 <= callCount }.count
    }
}

/// Runs a journal on a recorded disk.
struct CrashRecorder {
    var family: CrashFamily
    var seed: UInt64
    var canaries: Set<JournalCanary> = []
    /// What fails under the journal, counted from its opening.
    var fault: DiskFault?
    /// A call that the disk only seems to make.
    var lie: DiskLie?

    static let pairing = PairingID(rawValue: 0xC0FFEE)
    static let fileName = "journal"
    /// Steps of one run; each is a batch on its own, then a group of some more.
    private var steps: Int { family == .make ? 1 : 6 }

    /// The application's table beside the journal, at the schema the run starts or ends with.
    static func store(version: Int) -> StoreSchema {
        let steps = [
            Migration(
                adding: "adds the table of batches",
                ["CREATE TABLE crash_batch(number INTEGER PRIMARY KEY, note TEXT)"]),
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

    /// The options of every opening, small enough for everything to happen often.
    static func options(_ family: CrashFamily, storeVersion: Int) -> JournalOptions {
        var options = JournalOptions(stores: [store(version: storeVersion)])
        options.owner = JournalOwner(role: .watch, pairing: pairing)
        if family == .fold || family == .recover { options.logBytesBeforeImage = 1 << 10 }
        options.logPagesBeforeCheckpoint = family == .checkpoint || family == .recover ? 2 : 1000
        options.logPagesAhead = 4
        return options
    }

    /// Makes a journal in `directory`, and runs it.
    func record(in directory: ScratchDirectory) throws -> CrashRecording {
        try directory.hold([])
        let path = directory.file(Self.fileName)
        let isMigration = family == .migrate
        var source = BatchSource(family: family, seed: seed)
        var recording = CrashRecording(
            base: [], calls: [], images: [JournalImage()], acknowledgedAt: [])
        let acknowledged = Mutex<[Int]>([])
        if family == .make {
            if seed & 1 == 0 { recording.base = try markOfAnother(in: directory) }
        } else {
            // What was there before: made, and closed in order.
            let first = try JournalFile(
                path: path, options: Self.options(family, storeVersion: 1))
            if isMigration {
                try run(first, &source, &recording, acknowledged, disk: nil, gate: nil)
            }
            first.close()
            recording.base = try directory.contents()
        }
        recording.acknowledgedAt = acknowledged.withLock { $0 }

        let disk = RecordedDisk()
        let gate = try WriterGate()
        var options = Self.options(family, storeVersion: isMigration ? 3 : 1)
        options.fileSystem = disk.name
        options.fault = disk.fault(before: gate.fault)
        options.canaries = canaries
        disk.plant(fault)
        do {
            let file = try JournalFile(path: path, options: options)
            defer {
                recording.counters = file.counters
                file.abandon()
            }
            if !isMigration {
                try run(file, &source, &recording, acknowledged, disk: disk, gate: gate)
            }
            rest(file)
            // What fails behind the last batch is told to nobody.
            recording.failure = file.failure
        } catch let error as JournalError where fault != nil {
            recording.failure = error
        }
        recording.calls = disk.calls
        if let place = lie?.place(in: recording.calls) {
            // What is in the place of a call changes nothing.
            recording.calls[place] = DiskCall(kind: .read, path: path)
        }
        recording.faultsMet = disk.faultsMet
        recording.acknowledgedAt = acknowledged.withLock { $0 }
        return recording
    }

    /// What a journal leaves that was killed, and then taken away with its log: the file of its
    /// claim, which says how much was durable.
    private func markOfAnother(
        in directory: ScratchDirectory
    ) throws -> [DiskImage.NamedFile] {
        let path = directory.file(Self.fileName)
        let file = try JournalFile(path: path, options: Self.options(family, storeVersion: 1))
        let journal = try file.journal(for: Self.pairing)
        let mailbox = JournalMailbox(wake: try WakeDescriptor())
        var source = BatchSource(family: family, seed: seed)
        for number in 1...20 as ClosedRange<UInt64> {
            _ = journal.persist(
                source.batch(), writes: [], receipt: JournalReceipt(rawValue: number),
                mailbox: mailbox)
            try file.flush()
        }
        file.abandon()
        try directory.hold(try directory.contents().filter { $0.name.hasSuffix("-lock") })
        return try directory.contents()
    }

    private func run(
        _ file: JournalFile, _ source: inout BatchSource, _ recording: inout CrashRecording,
        _ acknowledged: borrowing Mutex<[Int]>, disk: RecordedDisk?, gate: WriterGate?
    ) throws {
        let journal = try file.journal(for: Self.pairing)
        let answers = Answers(disk: disk, gate: gate)
        let mailbox = JournalMailbox(wake: try WakeDescriptor(), observer: answers.note)
        var generator = SeededGenerator(seed: seed ^ 0x9E37)
        // What was acknowledged counts, however the run ends.
        defer { acknowledged.withLock { $0 += answers.callCounts } }
        for _ in 0..<steps {
            gate?.close()
            for place in 0...generator.uniform(in: 0...4) {
                let entries = source.batch()
                var image = recording.images.last ?? JournalImage()
                for entry in entries { image.apply(entry) }
                recording.images.append(image)
                let number = Int64(recording.images.count - 1)
                let answer = journal.persist(
                    entries,
                    writes: [
                        SQLWrite(
                            "INSERT INTO crash_batch(number) VALUES(?)", [.integer(number)])
                    ],
                    receipt: JournalReceipt(rawValue: UInt64(number)), mailbox: mailbox)
                // A journal that has failed takes nothing and starts no transaction.
                guard answer == .later else { break }
                if place == 0 { gate?.awaitArrival() }
            }
            gate?.open()
            // Whether the log is copied, and how often what was put off is tried again, depends on
            // whether more has come meanwhile; also on when one asks whether all is durable.
            rest(file)
            try file.flush()
            rest(file)
        }
    }

    private func rest(_ file: JournalFile) {
        while !file.isResting { usleep(20) }
    }

    /// Notes at which call each batch was acknowledged.
    private final class Answers: Sendable {
        private let counts = Mutex<[Int]>([])
        private let disk: RecordedDisk?
        private let gate: WriterGate?

        init(disk: RecordedDisk?, gate: WriterGate?) {
            self.disk = disk
            self.gate = gate
        }

        var callCounts: [Int] { counts.withLock { $0 } }

        @Sendable func note(_ receipt: JournalReceipt, _ isCommitted: Bool) {
            guard isCommitted else {
                gate?.expectNone()
                return
            }
            let count = disk?.callCount ?? 0
            counts.withLock { $0.append(count) }
        }
    }
}
