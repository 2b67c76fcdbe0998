import CommandLine
import ControlProtocol
import Glibc
import WatchProto

/// Reads the events of a ledger in the order of their entry, one at a time.
final class LedgerReading {
    /// The place of an event in that order.
    private struct Entry: Comparable {
        var milliseconds: Int64
        var high: UInt64
        var low: UInt64

        init(_ event: DoseEvent) {
            milliseconds = event.time.wall.milliseconds
            high = UInt64(truncatingIfNeeded: event.id.rawValue >> 64)
            low = UInt64(truncatingIfNeeded: event.id.rawValue)
        }

        var identity: UInt128 { UInt128(high) << 64 | UInt128(low) }

        static func < (left: Entry, right: Entry) -> Bool {
            (left.milliseconds, left.high, left.low) < (right.milliseconds, right.high, right.low)
        }
    }

    private let store: any LedgerStore
    private let name: (MedicationID) throws -> String?
    private var entries: [Entry] = []
    /// The events that replace others.
    private var replacing: [DoseEvent] = []
    private var names: [MedicationID: String?] = [:]
    private var failure: (any Error)?

    private static let page = 1000

    /// Finds the events of one medication, or of all.
    ///
    /// - Parameters:
    ///   - store: the ledger.
    ///   - medication: the medication; nil for all.
    ///   - name: returns the name of a medication, for people.
    /// - Throws: the error of a read; the file is at fault.
    init(
        _ store: any LedgerStore, of medication: MedicationID?,
        name: @escaping (MedicationID) throws -> String?
    ) throws {
        self.store = store
        self.name = name
        var place: Int64?
        while true {
            let rows = try store.newest(of: medication, before: place, limit: Self.page)
            for row in rows {
                let event = try DoseEvent(decoding: row.encoding)
                entries.append(Entry(event))
                if !event.replaces.isEmpty { replacing.append(event) }
            }
            guard rows.count == Self.page, let last = rows.last else { break }
            place = last.place
        }
        entries.sort()
    }

    /// The number of the events.
    var count: Int { entries.count }

    /// Gives the file of these events to `body` in pieces.
    ///
    /// - Throws: the error of `body`, or one of a read, which ``check()`` throws then.
    func write(
        _ format: DoseExporter.Format, to body: ([UInt8]) throws(SystemError) -> Void
    ) throws(SystemError) {
        var rest = entries[...]
        let exporter = DoseExporter(replacing: replacing) { [self] id in
            if let known = names[id] { return known }
            let found: String? = attempt { try name(id) } ?? nil
            names[id] = .some(found)
            return found
        }
        func next() throws(SystemError) -> DoseEvent? {
            guard let entry = rest.popFirst() else { return nil }
            let found = attempt { try event(entry.identity) }
            guard let found, failure == nil else {
                throw SystemError("read", "the ledger", number: EIO)
            }
            return found
        }
        try exporter.write(format, next, to: body)
    }

    /// Throws `store_failed` if the ledger could not be read.
    func check() throws(ControlError) {
        if let failure { throw ControlError("store_failed", ["detail": .string("\(failure)")]) }
    }

    private func event(_ identity: UInt128) throws -> DoseEvent {
        guard let bytes = try store.event(identity) else { throw Erased() }
        return try DoseEvent(decoding: bytes)
    }

    private struct Erased: Error, CustomStringConvertible {
        var description: String { "the doses were erased meanwhile" }
    }

    private func attempt<Value>(_ body: () throws -> Value) -> Value? {
        do { return try body() } catch {
            failure = failure ?? error
            return nil
        }
    }
}
