import Glibc
import Testing
import WatchProto
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

@testable import ReferenceDevice
@testable import WatchProtoJournal
@testable import WatchProtoTransport

/// A journal's file with a device's tables, gone when the test is over.
final class Shelf {
    let directory: String
    private(set) var file: JournalFile
    private let options: JournalOptions

    init(key: any PayloadKey = UnsealedPayloads()) throws {
        var template = Array("/tmp/wdXXXXXX".utf8CString)
        unsafe template.withUnsafeMutableBufferPointer { _ = unsafe mkdtemp($0.baseAddress!) }
        directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let schema = DeviceSchema.schema { try Medication.expected(of: $0) }
        options = JournalOptions(key: key, stores: [schema] + DeviceStorage.schemas)
        file = try JournalFile(path: directory + "/j", options: options)
    }

    deinit {
        file.close()
        for ending in ["", "-wal", "-lock"] { _ = unsafe unlink(directory + "/j" + ending) }
        _ = unsafe rmdir(directory)
    }

    var store: FileStore { FileStore(file) }

    func give(_ writes: [SQLWrite]) throws { try file.write(writes) }

    /// Changes something in the file behind the journal's back; opens it again, or says why not.
    func tamper(_ sql: String) throws -> JournalError? {
        file.close()
        do {
            let database = try Database(path: directory + "/j", creating: false)
            try database.run(sql)
            #expect(database.changedRows == 1, "\(sql)")
            database.setsCheckpointOnClose(true)
        }
        let before = bytes
        do throws(JournalError) {
            file = try JournalFile(path: directory + "/j", options: options)
            return nil
        } catch {
            #expect(bytes == before, "\(sql)")
            return error
        }
    }

    /// Ends as a killed process does, and opens again.
    func killAndOpen() throws {
        file.abandon()
        file = try JournalFile(path: directory + "/j", options: options)
    }

    /// Every byte of the file and its log.
    var bytes: [UInt8] {
        ["", "-wal"].flatMap { ending -> [UInt8] in
            guard let stream = unsafe fopen(directory + "/j" + ending, "r") else { return [] }
            defer { _ = unsafe fclose(stream) }
            var all: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe fread(&chunk, 1, chunk.count, stream)
                if count == 0 { return all }
                all += chunk[..<count]
            }
        }
    }

    func holds(_ secret: [UInt8]) -> Bool {
        let bytes = bytes
        guard let first = secret.first else { return false }
        return bytes.indices.contains { bytes[$0] == first && bytes[$0...].starts(with: secret) }
    }
}

/// Medications with all kinds of schedules, and what became of their doses.
struct Household {
    var medications: [Medication] = []
    var events: [DoseEvent] = []
    let clock: WallClock

    init(seed: UInt64, count: Int, clock: WallClock) {
        self.clock = clock
        var random = SeededGenerator(seed: seed)
        func any(_ range: ClosedRange<UInt64>) -> Int { Int(random.uniform(in: range)) }
        let today = Int(clock.time.milliseconds / 86_400_000)
        for index in 0..<count {
            var one = Medication(
                id: MedicationID(rawValue: UInt128(random.next()) << 64 | UInt128(index)),
                name: "Remedy \(index)", createdAt: WallTime(milliseconds: 0))
            one.strength = "\(index + 1) mg"
            one.isActive = any(0...9) > 0
            one.isAsNeeded = any(0...9) == 0
            one.schedule.minutes = (0..<any(0...3)).map { _ in any(0...1439) }
            one.schedule.minutes = Set(one.schedule.minutes).sorted()
            if any(0...2) == 0 {
                // Times that moved, and times that were added in the day.
                let minutes = (0..<any(1...3)).map { _ in any(0...1439) }
                let added = WallMinute(clock.time).advanced(by: -any(0...600))
                one.schedule.entries = one.schedule.entries.edited(to: minutes, at: added)
            }
            one.schedule.weekdays = any(0...1) == 0 ? .all : Weekdays(rawValue: UInt8(any(1...127)))
            one.schedule.zone =
                [
                    ZoneRule.floating, .absolute, .fixed(ZoneOffset(clamping: 330)),
                    .fixed(ZoneOffset(clamping: -480)),
                ][any(0...3)]
            if any(0...2) == 0 {
                one.schedule.start = LocalDate(daysSince1970: today + any(0...8) - 6)
                one.schedule.everyDays = any(1...3)
            }
            if any(0...4) == 0 { one.schedule.end = LocalDate(daysSince1970: today + any(0...4)) }
            // Known since before the day, or since some time in it.
            if any(0...3) == 0 {
                one.createdAt = WallTime(
                    milliseconds: clock.time.milliseconds - Int64(any(0...600)) * 60_000)
            }
            medications.append(one)
        }
        for _ in 0..<(count * 3) {
            let one = medications[any(0...UInt64(count - 1))]
            let daysAgo = Int64(any(0...2))
            let day = WallClock(
                time: WallTime(milliseconds: clock.time.milliseconds - daysAgo * 86_400_000),
                zoneOffsetMinutes: clock.zoneOffsetMinutes)
            let dose = one.schedule.doses(on: day).randomElement(using: &random)
            let id = DoseEventID(
                rawValue: UInt128(random.next()) << 64 | UInt128(random.next()))
            let end = WallMinute(clock.time).advanced(by: any(0...2500) - 1500)
            let status = [DoseStatus.taken, .skipped, .snoozed(until: end)][any(0...2)]
            var event = DoseEvent(
                id: id, medication: one.id, planned: dose?.planned, status: status,
                time: DoseTime(clock.time))
            if any(0...4) == 0, let earlier = events.randomElement(using: &random) {
                let isUndo = any(0...1) == 0
                event =
                    DoseEvent(
                        id: id, isUndo ? .withdraw : .correct, [earlier],
                        status: isUndo ? nil : .taken, time: DoseTime(clock.time)) ?? event
            }
            events.append(event)
        }
    }

    var list: ListStore {
        get throws {
            let ledger = MemoryLedger()
            for event in events { ledger.inserted(event, try event.encoded()) }
            return ListStore(medications.map { $0.stored(at: clock) }, ledger)
        }
    }

    var writes: [SQLWrite] {
        get throws {
            let clock = clock
            return medications.map { one in StoreChange.put { one.stored(at: clock) } }
                + (try events.map { LedgerTables.insertion($0, try $0.encoded()) })
        }
    }
}
