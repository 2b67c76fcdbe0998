import ControlProtocol
import Testing
import WatchProto
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// The same events come out of an export, whatever they are.
@Suite struct DoseRoundTripTests {
    @Test func `Export and import give the same ledger, for every event`() throws {
        for seed in 1...150 {
            var samples = DoseSamples(seed: UInt64(seed))
            let events = samples.events(1 + samples.below(40))
            for (format, file) in [(DoseExporter.Format.bundle, "a.json"), (.lines, "a.ndjson")] {
                let text = DoseExporter.bytes(of: events, format)
                let summary = try DoseImporter.read(text, file: file)
                #expect(summary.skips.isEmpty && summary.warnings.isEmpty)
                #expect(try digest(summary.doses) == digest(events), "seed \(seed)")
                // The events themselves would fill pages.
                let isEqual = Set(summary.doses) == Set(events)
                #expect(isEqual, "seed \(seed)")
                // The order of the events does not matter, and a second export is the same file.
                #expect(DoseExporter.bytes(of: summary.doses.reversed(), format) == text)
            }
        }
    }

    @Test func `Samples have every kind of event and every field`() {
        var samples = DoseSamples(seed: 1)
        let all = samples.events(2000)
        for action in DoseFHIR.actions { #expect(all.contains { $0.action == action.action }) }
        for place in 0..<3 {
            #expect(all.contains { $0.status.map(DoseFHIR.place(of:)) == place })
        }
        let hasField: [(DoseEvent) -> Bool] = [
            { $0.planned != nil }, { $0.planned.map { $0.entry != $0.minute } ?? false },
            { $0.planned == nil }, { $0.status?.takenAt != nil }, { $0.status?.amount != nil },
            { $0.time.device != nil }, { $0.time.uptime != nil }, { $0.time.phoneOffset != nil },
            { !$0.extensions.isEmpty }, { $0.replaces.count == 8 },
            { ZonedTime.iso8601($0.moment, .utc) == nil },
            { $0.time.zoneInFHIR != $0.time.zoneOffset },
        ]
        for has in hasField {
            #expect(all.contains(where: has))
            #expect(all.contains { !has($0) })
        }
        let units = Set(all.compactMap { $0.status?.amount?.unit })
        #expect(units.contains { DoseFHIR.unitCode($0) == nil })
        #expect(units.count(where: { DoseFHIR.unitCode($0) != nil }) == 19)
    }

    @Test func `A change of any byte gives another ledger`() throws {
        // The check of the digest can fail: a lost field changes it.
        var samples = DoseSamples(seed: 7)
        var events = samples.events(20)
        let before = try digest(events)
        events[3].extensions[9] = [1]
        #expect(try digest(events) != before)
    }

    @Test func `Every unit has a code that names it`() {
        for code in UInt8(1)...19 {
            let unit = DoseUnit(rawValue: code)
            #expect(DoseFHIR.unitCode(unit).flatMap { DoseUnit(named: $0) } == unit)
            #expect(!unit.symbol.isEmpty)
        }
        #expect(DoseFHIR.unitCode(.unspecified) == nil)
        #expect(DoseFHIR.unitCode(DoseUnit(rawValue: 20)) == nil)
        #expect(DoseUnit(rawValue: 20).symbol.isEmpty)
    }

    private func digest(_ events: [DoseEvent]) throws -> LedgerDigest {
        let ledger = MemoryLedger()
        for event in events { ledger.inserted(event, try event.encoded()) }
        return try ledger.digest()
    }
}
