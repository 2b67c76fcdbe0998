import Testing
import WatchProto
import WatchProtoCore
import WatchProtoSecurity

@testable import ReferenceDevice
@testable import WatchProtoJournal
@testable import WatchProtoRecords

/// The face that a file keeps for the next start, and what is read before the store is loaded.
@Suite(.timeLimit(.minutes(2)))
struct KeptFaceTests {
    private static let clock = WallClock(time: WallTime(milliseconds: 1_771_079_400_000))
    private let household = Household(seed: 5, count: 30, clock: Self.clock)

    /// The face of the household's list, with a dose or without.
    private func face(_ digest: LedgerDigest = LedgerDigest()) throws -> KeptFace {
        var store = MedicationStore()
        for medication in household.medications { try store.put(medication, at: Self.clock) }
        return KeptFace(store.timeline(at: Self.clock), digest, zoneOffsetMinutes: 60)
    }

    @Test func a_face_comes_back_from_its_bytes() throws {
        let face = try face()
        #expect(face.timeline.entries.count > 1)
        #expect(face.timeline.entries.contains { $0.headline != nil })
        #expect(try KeptFace(face.bytes) == face)
        for count in 1..<face.bytes.count {
            #expect(throws: WireError.self) { try KeptFace(Array(face.bytes[..<count])) }
        }
        #expect(throws: WireError.self) { try KeptFace(face.bytes + [0]) }
        #expect(try KeptFace([2] + face.bytes.dropFirst()) == nil)
    }

    /// Every phase that a headline may have.
    @Test func a_headline_comes_back() throws {
        let phases: [DoseDisplay.Phase] = [
            .upcoming, .due, .overdue, .snoozed(WallMinute(minutes: -5)),
        ]
        let slot = DoseSlot(medication: MedicationID(rawValue: 9), entry: 480, day: 2500)
        for phase in phases {
            for flag in [false, true] {
                var entry = FaceEntry(at: WallMinute(minutes: 7))
                entry.unchecked = .max
                entry.headline = FaceDose(
                    slot: slot, due: WallMinute(minutes: 3), phase: phase, isUnchecked: flag,
                    isDateSkipped: !flag)
                var face = try face()
                face.timeline = try #require(
                    FaceTimeline(
                        [entry], end: WallMinute(minutes: 8), checked: WallMinute(minutes: 1),
                        active: 3))
                #expect(try KeptFace(face.bytes) == face)
            }
        }
        #expect(
            FaceTimeline([], end: WallMinute(minutes: 8), checked: nil, active: 0) == nil)
    }

    /// Without a mark a face is shown only while it is certain that nothing has changed.
    @Test func a_face_that_may_be_old_says_as_of() throws {
        var reader = WireReader(([1] + [UInt8](repeating: 0, count: 11)).span)
        let digest = try LedgerDigest(&reader)
        let face = try face(digest)
        let clock = WallClock(time: Self.clock.time, zoneOffsetMinutes: 60)
        #expect(face.shown(at: clock, own: digest, isOfList: true).asOf == nil)
        #expect(face.shown(at: clock, own: LedgerDigest(), isOfList: true).asOf == face.begin)
        #expect(face.shown(at: clock, own: digest, isOfList: false).asOf == face.begin)
        let travelled = WallClock(time: Self.clock.time, zoneOffsetMinutes: 120)
        #expect(face.shown(at: travelled, own: digest, isOfList: true).asOf == face.begin)
        let end = face.timeline.end
        let late = WallClock(time: end.wallTime, zoneOffsetMinutes: 60)
        #expect(face.shown(at: late, own: digest, isOfList: true).asOf == end)
    }

    @Test(arguments: [false, true])
    func a_change_of_the_list_is_noticed(isSealed: Bool) throws {
        let key: any PayloadKey =
            isSealed ? AtRestPayloads(key: try AtRestKey.random()) : UnsealedPayloads()
        let shelf = try Shelf(key: key)
        try shelf.give(household.writes)
        let face = try face()
        func keep(_ isOfList: Bool) throws {
            try shelf.give([StoreChange.keep(face) { isOfList }])
        }
        func isOfList() throws -> Bool { try shelf.store.note(.faceIsOfList) != nil }
        #expect(try shelf.store.note(.face) == nil)
        try keep(true)
        #expect(try isOfList())
        #expect(try KeptFace(try #require(try shelf.store.note(.face))) == face)
        try shelf.killAndOpen()
        #expect(try isOfList())
        let first = household.medications[0]
        try shelf.give([StoreChange.put { first.stored(at: Self.clock) }])
        #expect(try !isOfList())
        try keep(true)
        #expect(try isOfList())
        try shelf.give([StoreChange.remove(first.id)])
        #expect(try !isOfList())
        // The list has changed since the look: known when the face is written.
        try keep(true)
        try keep(false)
        #expect(try !isOfList() && shelf.store.note(.face) != nil)
        try shelf.give([StoreChange.eraseAll])
        #expect(try shelf.store.note(.face) == nil)
    }

    /// The rows that a dose is recorded by before the store is loaded.
    @Test func a_medication_is_found_by_its_index() throws {
        let shelf = try Shelf(key: UnsealedPayloads())
        #expect(try shelf.store.row(at: 0) == nil)
        try shelf.give(household.writes)
        try shelf.give([StoreChange.remove(household.medications[3].id)])
        let all = try shelf.store.list(after: 0, limit: 100)
        #expect(all.count == 29)
        for index in [0, 1, 3, 28, 29, 30, 1_000_000] {
            #expect(try shelf.store.row(at: index)?.place == all[index % 29].place)
        }
        for (index, row) in all.enumerated() {
            let id = try Medication(stored: row).id
            #expect(try shelf.store.index(of: id) == index)
        }
        #expect(try shelf.store.index(of: household.medications[3].id) == nil)
    }
}
