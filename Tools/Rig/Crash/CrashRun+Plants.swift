import Bench
import CommandLine
import ReferenceDevice
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoSecurity
import WatchProtoTransport

/// Plants damage in a file that nobody has open, to check that it is found.
extension CrashRun {
    /// Plants what is to be planted, once, as soon as there is something to plant it in.
    func plant(_ isPhone: Bool) throws(RigFailure) {
        guard let plant = options.plant, !hasPlanted else { return }
        guard plant == .older ? isPhone && !given.isEmpty : !doses.promised.isEmpty else { return }
        do {
            let key: any PayloadKey =
                options.isSealed
                ? AtRestPayloads(key: try AtRestKey(keyFile: "\(directory)/key"))
                : UnsealedPayloads()
            let file = try JournalFile(
                path: journal(isPhone),
                options: JournalOptions(key: key, stores: DeviceSchema.stores))
            defer { file.close() }
            let write: SQLWrite?
            switch plant {
            case .loss:
                // A device that answered and kept nothing. (What one device alone has lost, it gets
                // back from the other one.)
                doses.promised.insert(Self.hex(1))
                doses.asked.insert(Self.hex(1))
                hasPlanted = true
                return
            case .change: write = isPhone ? try change(in: FileStore(file)) : nil
            case .twice:
                hasPlanted = isPhone ? false : try repeatDose(in: file)
                return
            case .older:
                hasPlanted = isPhone ? try repeatChange(in: file) : false
                return
            }
            guard let write else { return }
            try file.write([write])
            hasPlanted = true
        } catch {
            throw RigFailure(
                .software, "Cannot plant anything in \(journal(isPhone)): \(error).")
        }
    }

    private func oldestPromised(in store: FileStore) throws -> DoseRow? {
        var oldest: DoseRow?
        var before: Int64?
        while true {
            let rows = try store.doses(of: nil, before: before, limit: 500)
            for row in rows {
                let id = try DoseEvent(decoding: row.body).id
                if doses.promised.contains(Self.hex(id.rawValue)) { oldest = row }
            }
            guard rows.count == 500 else { break }
            before = rows.last?.place
        }
        return oldest
    }

    /// Makes the first medication ten times as strong, under the revision that it has.
    private func change(in store: FileStore) throws -> SQLWrite? {
        guard let row = try store.list(after: 0, limit: 1).first else { return nil }
        var medication = try Medication(stored: row)
        medication.strength = "10 x \(medication.strength)"
        let changed = medication
        return StoreChange.put { changed.stored(at: SystemClock.wall) }
    }

    /// Queues the oldest dose that was acknowledged once more, as a record of its own: a watch
    /// would do so that had lost its knowledge of the first one's end.
    private func repeatDose(in file: JournalFile) throws -> Bool {
        guard let dose = try oldestPromised(in: FileStore(file)) else { return false }
        return try queue(
            RecordDraft(channel: .background, kind: .doseEvent, payload: dose.body), as: .watch,
            in: file)
    }

    /// Gives the other side something, and starts this side anew with the older revision or the
    /// known dose queued. Between other kills it might come to a watch that knows of no newer one,
    /// or to a phone that is killed before it can say so.
    func plantAtRest(isPhone: Bool) throws(RigFailure) {
        try ask(isPhone: isPhone)
        try settleReplies(of: isPhone, mayBeMissing: false)
        try rest()
        try noteRepeats()
        try simulator(isPhone).kill()
        try start(isPhone: isPhone)
        try rest()
        try noteRepeats()
    }

    /// Queues a medication that the watch was given once more, one revision older: a phone would do
    /// so that had lost its last change. The watch must have been given it in its present life.
    private func repeatChange(in file: JournalFile) throws -> Bool {
        for row in try FileStore(file).list(after: 0, limit: 500) {
            var medication = try Medication(stored: row)
            let key = medication.id.recordKey
            guard let newest = given[Self.hex(key.rawValue)], newest > 1 else { continue }
            medication.revision = UInt32(newest - 1)
            let payload = try MedicationProjection.project(medication).encoded()
            return try queue(
                RecordDraft(channel: .context, kind: .medication, key: key, payload: payload),
                as: .phone, in: file)
        }
        return false
    }

    /// An identity as the control protocol writes it.
    static func hex(_ value: UInt128) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 32 - digits.utf8.count) + digits
    }
}
