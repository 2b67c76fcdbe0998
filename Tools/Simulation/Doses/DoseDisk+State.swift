import Locks
import WatchProto
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords

/// The changes of a simulated device's durable state.
extension DoseDisk.State {
    mutating func replace(_ contents: DoseDiskContents) {
        self.contents = contents
        ledger = MemoryLedger()
        for (event, encoding) in contents.events { ledger.inserted(event, encoding) }
    }

    mutating func takeWaiting() -> [DoseDisk.Change] {
        defer { waiting = [] }
        return waiting
    }

    /// The journal fails. Returns the changes that waited.
    @discardableResult
    mutating func fail() -> [DoseDisk.Change] {
        isFailed = true
        nextFailure = nil
        learnt = [:]
        for change in waiting {
            switch change {
            case .event: break
            case .queued(let other, _), .answered(let other, _, _), .checked(let other, _):
                stopped.insert(other)
            }
        }
        return takeWaiting()
    }

    mutating func apply(_ change: DoseDisk.Change) {
        switch change {
        case .event(let event, let encoding):
            let isNew = !contents.events.contains { $0.event.id == event.id }
            ledger.inserted(event, encoding)
            if isNew { contents.events.append((event, encoding)) }
        case .queued(let other, let record):
            contents.queues[other, default: []].append(record)
        case .answered(let other, let id, let outcome):
            contents.answers[other, default: [:]][id] = outcome
            if forgeries.contains(id) { answeredForgeries.append(outcome) }
        case .checked(let other, let check):
            contents.checks[other] = check
            hasNewChecks = true
        }
    }
}

/// The checks with other devices, and further reads.
extension DoseDisk {
    func events(
        of medication: MedicationID, at moments: ClosedRange<WallTime>
    ) throws -> [DoseEvent] {
        try reading().events(of: medication, at: moments)
    }

    func events(replacing identity: UInt128) throws -> [DoseEvent] {
        try reading().events(replacing: identity)
    }

    /// The events of a medication without a planned dose.
    func asNeededEvents(of medication: MedicationID) throws -> [DoseEvent] {
        try newest(of: medication, before: nil, limit: .max).reversed().compactMap { row in
            let event = try? DoseEvent(decoding: row.encoding)
            return event?.planned == nil ? event : nil
        }
    }

    func checks() throws -> [PairingID: WallMinute] {
        _ = try reading()
        return state.withLock { state in
            Dictionary(
                uniqueKeysWithValues: state.contents.checks.map { other, check in
                    (Self.pairing(with: other), check.minute)
                })
        }
    }

    /// The pairing with another device, as this device names it.
    static func pairing(with other: Int) -> PairingID { PairingID(rawValue: UInt128(other)) }

    func checked(_ pairing: PairingID, at minute: WallMinute?) -> [SQLWrite] {
        let other = Int(pairing.rawValue)
        if minute == nil, mutant == .hidesCheck { return [] }
        let isLate = mutant == .datesCheckLate
        state.withLock { state in
            let check = minute.map {
                DoseDiskContents.Check(
                    minute: isLate ? clock.minute() : $0,
                    comparison: state.compared[other] ?? DoseComparison())
            }
            state.offered.append(.checked(other, check))
        }
        return []
    }

    /// The pairing with another device ends: nothing of it is left.
    func forget(_ other: Int) {
        state.withLock { state in
            state.contents.forget(other)
            state.waiting.removeAll { change in
                switch change {
                case .event: false
                case .queued(let device, _), .answered(let device, _, _),
                    .checked(let device, _):
                    device == other
                }
            }
        }
    }
}

extension DoseDiskContents {
    mutating func forget(_ other: Int) {
        queues[other] = nil
        answers[other] = nil
        checks[other] = nil
    }
}
