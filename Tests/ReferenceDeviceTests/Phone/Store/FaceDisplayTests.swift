import ControlProtocol
import Pictures
import Testing
import WatchProto
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// The face of a watch that has a list, doses, and states of the phone.
@Suite struct FaceDisplayTests {
    private let id = MedicationID(rawValue: 7)
    private let now = WallMinute(minutes: 2500 * 1440 + 490)

    private var medication: LightweightMedication {
        LightweightMedication(
            id: id, name: "Own", dosage: Dosage(strength: "5 mg"),
            schedule: DoseSchedule(slots: DoseSlots(minutes: [480, 1200]) ?? DoseSlots()),
            updatedAt: WallTime(milliseconds: 0))
    }

    private func event(_ number: Int) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)), medication: id,
            planned: PlannedDose(day: 2500, minute: 480), status: .taken,
            time: DoseTime(now.wallTime))
    }

    private func digest(_ events: [DoseEvent]) throws -> LedgerDigest {
        let ledger = MemoryLedger()
        for event in events { ledger.inserted(event, try event.encoded()) }
        return try ledger.digest()
    }

    private func state(_ name: String, _ events: [DoseEvent]?) throws -> ComplicationState {
        var state = ComplicationState(name: name, taken: 9, total: 9)
        if let events { state.ledger = try digest(events) }
        return state
    }

    /// The face of a watch with these doses.
    private func display(
        _ own: [DoseEvent], pushed: ComplicationState?, checked: WallMinute? = nil,
        at minute: WallMinute? = nil
    ) throws -> FaceDisplay {
        let timeline = FaceTimeline(
            [FaceDosing(medication)], FaceTimeline.states(own), at: now, zone: ZoneTimeline(.utc),
            checked: checked)
        let medication = medication
        return FaceDisplay(
            pushed, timeline.shown(at: minute ?? now), timeline, try digest(own), minute ?? now
        ) { $0 == medication.id ? medication : nil }
    }

    @Test func `An older state of the phone reopens nothing`() throws {
        let display = try display([event(1)], pushed: state("Old", []))
        #expect(display.state?.taken == 1 && display.state?.name == "Own")
        #expect(display.asOf == nil && !display.isBehind && !display.isPhones)
        #expect(display.complication()["source"] == "timeline")
        #expect(display.complication()["dose"]?["entry"] == 1200)
    }

    /// Its picture may be shown then, and only then.
    @Test func `A face names its own medication, unless it is locked or has a text`() throws {
        var display = try display([], pushed: state("Old", []))
        #expect(display.named == id)
        #expect(display.complication()["picture"] == .null)
        display.isPrivate = true
        #expect(display.named == nil)
        #expect(try self.display([], pushed: state("Text", nil)).named == nil)
        // Without a list the phone's state is shown as it came.
        let alone = FaceDisplay(
            try state("Old", []), nil, nil, LedgerDigest(), now, { _ in medication })
        #expect(alone.state?.name == "Old" && alone.named == nil)
    }

    @Test func `A face with another picture looks different`() throws {
        let bare = try display([], pushed: nil)
        func pictured(_ version: UInt64, wait: Duration) -> FaceDisplay {
            var display = bare
            let begin = Instant(nanoseconds: 5)
            display.picture = FacePicture.Shown(
                name: PictureName(id.rawValue, .thumbnail), version: version,
                bitmap: Bitmap(width: 1, height: 1, rgb: [1, 2, 3]), updated: begin)
            display.takePlace(of: bare, at: begin.advanced(by: wait))
            return display
        }
        let shown = pictured(1, wait: .milliseconds(2))
        #expect(!bare.looks(like: shown) && !pictured(2, wait: .zero).looks(like: shown))
        #expect(pictured(1, wait: .zero).looks(like: shown))
        let picture = shown.complication(jpeg: [1, 2, 3])["picture"]
        #expect(picture?["version"] == "0000000000000001" && picture?["size"] == "thumbnail")
        #expect(picture?["took_ns"] == 2_000_000 && picture?["jpeg_b64"] == "AQID")
        #expect(shown.members["picture"]?["width"] == 1)
        #expect(shown.members["picture"]?["jpeg_b64"] == nil)
        // The time is that of the face that showed it first.
        var next = pictured(1, wait: .seconds(9))
        next.takePlace(of: shown, at: Instant(nanoseconds: 20_000_000_000))
        #expect(next.members["picture"]?["took_ns"] == 2_000_000)
        next.takePlace(of: pictured(2, wait: .zero), at: Instant(nanoseconds: 3_000_005))
        #expect(next.members["picture"]?["took_ns"] == 3_000_000)
    }

    @Test func `Until the doses that the phone names are here, the face says as of`() throws {
        let checked = WallMinute(minutes: now.minutes - 60)
        var display = try display([], pushed: state("New", [event(1)]), checked: checked)
        #expect(display.isBehind && display.asOf == checked && display.state?.taken == 0)
        #expect(display.isUnchecked)
        display = try self.display([], pushed: state("New", [event(1)]))
        #expect(display.asOf == now)
        // Both have a dose that the other one lacks.
        display = try self.display([event(2)], pushed: state("New", [event(1)]), checked: checked)
        #expect(display.isBehind && display.state?.taken == 1, "the own dose stays")
        display = try self.display([event(1)], pushed: state("New", [event(1)]))
        #expect(!display.isBehind && display.asOf == nil)
    }

    @Test func `A text of the application stays, with the counts of the watch`() throws {
        let display = try display([event(1)], pushed: state("Drink", nil))
        #expect(display.state?.name == "Drink" && display.state?.taken == 1)
        #expect(display.isPhones && display.complication()["source"] == "phone")
    }

    @Test func `A watch without a list shows the phone's state as it came`() throws {
        var pushed = try state("Phone", [event(1)])
        var display = FaceDisplay(pushed, nil, nil, LedgerDigest(), now) { _ in nil }
        #expect(display.state == pushed && display.isPhones && display.asOf == nil)
        // When its dose falls due, the watch does not know what became of it.
        pushed.nextDose = now.advanced(by: 60)
        display = FaceDisplay(pushed, nil, nil, LedgerDigest(), now.advanced(by: 59)) { _ in nil }
        #expect(display.asOf == nil)
        display = FaceDisplay(pushed, nil, nil, LedgerDigest(), now.advanced(by: 60)) { _ in nil }
        #expect(display.asOf == pushed.nextDose)
        #expect(FaceDisplay().complication() == .null)
    }

    @Test func `Of more doses than a state can count, all are taken only if they are`() {
        for (taken, total) in [(300, 400), (254, 300), (255, 256), (399, 400), (0, 400)] {
            var entry = FaceEntry(at: now)
            entry.taken = UInt16(taken)
            entry.total = UInt16(total)
            let state = ComplicationState(entry, active: 300)
            #expect(state.taken < state.total, "\(taken) of \(total)")
            entry.taken = entry.total
            #expect(ComplicationState(entry, active: 300).taken == state.total)
        }
        #expect(ComplicationState(FaceEntry(at: now), active: 0).taken == 0)
    }

    @Test func `A dose of the far past or future has an age`() {
        let moments = [Int64.min, -9_300_000_000_000, 0, 1_800_000_000_000, .max]
        for moment in moments.map({ WallTime(milliseconds: $0) }) {
            let age = FaceAge.nanoseconds(since: moment, at: now.wallTime)
            #expect(age >= 0 && (age > 0) == (moment < now.wallTime))
        }
        let late = WallTime(milliseconds: now.wallTime.milliseconds + 250)
        #expect(FaceAge.nanoseconds(since: now.wallTime, at: late) == 250_000_000)
    }

    @Test func `Past the end of the timeline the face says as of`() throws {
        let late = WallMinute(minutes: now.minutes + 3000)
        let display = try display([], pushed: nil, at: late)
        #expect(display.asOf == WallMinute(minutes: now.minutes + 2880))
        #expect(display.complication()["as_of_minute"] == .whole(now.minutes + 2880))
        #expect(!display.looks(like: try self.display([], pushed: nil)))
    }
}
