import Locks
import WatchProtoCore
package import WatchProtoJournal
package import WatchProtoRecords

/// A ledger as its exchange and its readers see it. Each event has a place: they count up in the
/// order in which this device received the events.
package protocol LedgerStore: Sendable {
    /// The canonical bytes of an event; nil if the ledger lacks it.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func event(_ identity: UInt128) throws -> [UInt8]?

    /// The digests of all buckets.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func digests() throws -> [LedgerDigest]

    /// The events of these buckets, in any order.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func marks(in buckets: ClosedRange<Int>) throws -> [LedgerMark]

    /// The events of one slot, in the order of their places.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func events(of slot: DoseSlot) throws -> [DoseEvent]

    /// The events whose planned dose has one of these dates, in the order of their places.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func events(on days: ClosedRange<UInt16>) throws -> [DoseEvent]

    /// The events of one medication whose moment is one of these, in any order.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func events(
        of medication: MedicationID, at moments: ClosedRange<WallTime>
    ) throws -> [DoseEvent]

    /// The events that replace the event of this identity, in the order of their places.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func events(replacing identity: UInt128) throws -> [DoseEvent]

    /// Events before a place, the newest first, of one medication or of all.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func newest(
        of medication: MedicationID?, before place: Int64?, limit: Int
    ) throws -> [(place: Int64, encoding: [UInt8])]

    /// For each other device the minute in which its ledger was last known to equal this one.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func checks() throws -> [PairingID: WallMinute]

    /// The writes that note such a minute in a file, or remove it. A ledger in memory has done it.
    func checked(_ pairing: PairingID, at minute: WallMinute?) -> [SQLWrite]

    /// The writes that add an event to a file.
    func insertion(_ event: DoseEvent, _ encoding: [UInt8]) -> [SQLWrite]

    /// The writes that add those of many events that a file lacks, one after the other.
    func insertion(of events: EncodedEvents) -> [SQLWrite]

    /// The writes of the event's insertion were accepted. A ledger in memory has the event from
    /// now on.
    func inserted(_ event: DoseEvent, _ encoding: [UInt8])

    /// Removes everything, because the ledger belongs to another person: from memory at once, and
    /// from a file by the returned writes.
    func removeAll() -> [SQLWrite]

    /// Makes writes durable, all of them or none.
    ///
    /// - Throws: `JournalError`; the disk is at fault.
    func write(_ writes: [SQLWrite]) throws(JournalError)

    /// Opens the journal again if it failed. Only without a session, which does so itself.
    ///
    /// - Throws: `JournalError`; the disk is at fault.
    func reopen() throws(JournalError)

    /// Waits until everything given so far is durable.
    ///
    /// - Throws: `JournalError`; the disk is at fault.
    func flush() throws(JournalError)
}

extension LedgerStore {
    package func insertion(of events: EncodedEvents) -> [SQLWrite] {
        events.flatMap { encoding in
            (try? DoseEvent(decoding: encoding)).map { insertion($0, encoding) } ?? []
        }
    }

    /// The digest of the whole ledger.
    ///
    /// - Throws: the error of a read; the file is at fault.
    package func digest() throws -> LedgerDigest {
        try digests().reduce(into: LedgerDigest()) { $0.formUnion($1) }
    }
}

/// A ledger in memory.
package final class MemoryLedger: LedgerStore {
    private struct Contents {
        var places: [UInt128: Int] = [:]
        var events: [(event: DoseEvent, encoding: [UInt8])] = []
        var bySlot: [DoseSlot: [DoseEvent]] = [:]
        /// The places of the events that replace an event.
        var replacing: [DoseEventID: [Int]] = [:]
        var digests = [LedgerDigest](repeating: LedgerDigest(), count: LedgerDigest.bucketCount)
        /// The marks of each bucket.
        var marks = [[LedgerMark]](repeating: [], count: LedgerDigest.bucketCount)
        var checks: [PairingID: WallMinute] = [:]
    }

    private let contents: Mutex<Contents>

    /// An empty ledger.
    package init() { contents = Mutex(Contents()) }

    private init(_ contents: consuming Contents) { self.contents = Mutex(contents) }

    func copy() -> MemoryLedger { MemoryLedger(contents.withLock { $0 }) }

    package func removeAll() -> [SQLWrite] {
        contents.withLock { $0 = Contents() }
        return []
    }

    package func event(_ identity: UInt128) -> [UInt8]? {
        contents.withLock { contents in
            contents.places[identity].map { contents.events[$0].encoding }
        }
    }

    package func digests() -> [LedgerDigest] { contents.withLock { $0.digests } }

    package func marks(in buckets: ClosedRange<Int>) -> [LedgerMark] {
        contents.withLock { Array($0.marks[buckets].joined()) }
    }

    package func events(of slot: DoseSlot) -> [DoseEvent] {
        contents.withLock { $0.bySlot[slot] ?? [] }
    }

    package func events(on days: ClosedRange<UInt16>) -> [DoseEvent] {
        contents.withLock { contents in
            contents.events.lazy.map(\.event).filter { event in
                event.planned.map { days.contains($0.day) } ?? false
            }
        }
    }

    package func events(
        of medication: MedicationID, at moments: ClosedRange<WallTime>
    ) -> [DoseEvent] {
        contents.withLock { contents in
            contents.events.lazy.map(\.event).filter { event in
                event.medication == medication && moments.contains(event.moment)
            }
        }
    }

    package func events(replacing identity: UInt128) -> [DoseEvent] {
        contents.withLock { contents in
            (contents.replacing[DoseEventID(rawValue: identity)] ?? []).map {
                contents.events[$0].event
            }
        }
    }

    package func newest(
        of medication: MedicationID?, before place: Int64?, limit: Int
    ) -> [(place: Int64, encoding: [UInt8])] {
        contents.withLock { contents in
            let end = min(contents.events.count, Int(clamping: max(1, place ?? .max) - 1))
            var found: [(place: Int64, encoding: [UInt8])] = []
            for index in (0..<end).reversed() {
                guard found.count < limit else { break }
                let one = contents.events[index]
                guard medication == nil || one.event.medication == medication else { continue }
                found.append((Int64(index + 1), one.encoding))
            }
            return found
        }
    }

    package func checks() -> [PairingID: WallMinute] { contents.withLock { $0.checks } }

    package func checked(_ pairing: PairingID, at minute: WallMinute?) -> [SQLWrite] {
        contents.withLock { $0.checks[pairing] = minute }
        return []
    }

    package func write(_ writes: [SQLWrite]) {}
    package func reopen() {}
    package func flush() {}
    package func insertion(_ event: DoseEvent, _ encoding: [UInt8]) -> [SQLWrite] { [] }

    package func inserted(_ event: DoseEvent, _ encoding: [UInt8]) {
        contents.withLock { contents in
            let identity = event.id.rawValue
            guard contents.places[identity] == nil else { return }
            let place = contents.events.count
            contents.places[identity] = place
            for id in event.replaces { contents.replacing[id, default: []].append(place) }
            contents.events.append((event, encoding))
            if let slot = event.slot { contents.bySlot[slot, default: []].append(event) }
            let fingerprint = LedgerDigest.fingerprint(encoding)
            let bucket = LedgerDigest.bucket(of: fingerprint)
            contents.digests[bucket].insert(fingerprint)
            contents.marks[bucket].append(
                LedgerMark(identity: identity, fingerprint: fingerprint))
        }
    }
}
