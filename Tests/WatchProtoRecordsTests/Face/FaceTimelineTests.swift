import Testing
import WatchProtoCore
import WatchProtoRecords

/// The rules of a face that moves by itself.
@Suite struct FaceTimelineTests {
    private func at(_ minute: Int, day: Int = Faces.day) -> WallMinute {
        Faces.minute(minute, day: day)
    }

    @Test func `FT-1: equal inputs give equal bytes, whatever the order of the lists`() {
        let dosings = [
            Faces.dosing(1, [480, 1200]), Faces.dosing(2, [480]), Faces.dosing(3, [600, 700]),
        ]
        let events = [
            Faces.event(Faces.slot(1, 480), .taken), Faces.event(Faces.slot(2, 480), .skipped),
            Faces.event(Faces.slot(3, 600), .snoozed(until: at(640))),
        ]
        let phone = Faces.timeline(dosings, events, at: at(500))
        let watch = Faces.timeline(
            dosings.reversed(), events.reversed() + events, at: at(500))
        #expect(phone == watch && phone.bytes == watch.bytes)
        #expect(phone.fingerprint == watch.fingerprint)
        let other = Faces.timeline(dosings, Array(events.dropFirst()), at: at(500))
        #expect(other.bytes != phone.bytes)
    }

    @Test func `FT-2: of doses in one minute the least slot is named, on every device`() {
        let dosings = [Faces.dosing(2, [480]), Faces.dosing(1, [480])]
        for list in [dosings, dosings.reversed()] {
            let entry = Faces.timeline(list, at: at(400)).entries[0]
            #expect(entry.headline?.slot == Faces.slot(1, 480))
        }
    }

    @Test func `FT-3: a dose falls due, is overdue and is not logged without any event`() {
        let timeline = Faces.timeline([Faces.dosing([480, 1200])], at: at(400))
        let minutes = timeline.entries.prefix(4).map(\.minute)
        #expect(minutes == [at(400), at(480), at(510), at(840)])
        func phase(_ minute: Int) -> DoseDisplay.Phase? {
            timeline.look(at(minute)).headline?.phase
        }
        #expect(phase(479) == .upcoming && phase(480) == .due && phase(509) == .due)
        #expect(phase(510) == .overdue && phase(839) == .overdue)
        #expect(timeline.look(at(839)).overdue == 1 && timeline.look(at(839)).notLogged == 0)
        #expect(timeline.look(at(840)).overdue == 0 && timeline.look(at(840)).notLogged == 1)
        #expect(timeline.look(at(840)).headline?.slot == Faces.slot(1, 1200))
    }

    @Test func `FT-4: changes in one minute are one entry`() {
        let timeline = Faces.timeline(
            [Faces.dosing(1, [480]), Faces.dosing(2, [480]), Faces.dosing(3, [450])], at: at(400))
        #expect(timeline.entries[1].minute == at(450))
        #expect(timeline.entries[2].minute == at(480))
        #expect(timeline.entries[2].due == 2 && timeline.entries[2].overdue == 1)
    }

    @Test func `FT-5: a timeline has at most 24 entries, and says where it ends`() {
        let many = (1...200).map { Faces.dosing($0, [$0, $0 + 300, $0 + 900]) }
        let timeline = Faces.timeline(many, at: at(0))
        #expect(timeline.entries.count == 24)
        #expect(timeline.entries.map(\.minute) == (0..<24).map { at($0) })
        #expect(timeline.end == at(24))
        #expect(timeline.active == 200)
        let few = Faces.timeline([Faces.dosing([480])], at: at(0))
        #expect(few.end == at(2880) && few.entries.count == 8)
        let none = Faces.timeline([], at: at(0))
        #expect(none.entries == [FaceEntry(at: at(0))] && none.end == at(2880))
    }

    @Test func `FT-6: past its end a face says as of, and so it does if the clock was set back`() {
        let timeline = Faces.timeline([Faces.dosing([480])], at: at(470))
        #expect(timeline.shown(at: at(470)).asOf == nil)
        #expect(timeline.shown(at: at(470 + 2879)).asOf == nil)
        let late = timeline.shown(at: at(470 + 2880))
        #expect(late.asOf == at(470 + 2880) && late.entry == timeline.entries.last)
        let early = timeline.shown(at: at(469))
        #expect(early.asOf == at(470) && early.entry == timeline.entries.first)
    }

    @Test func `FT-7: a device looks at the next entry, and every 15 minutes`() {
        let timeline = Faces.timeline([Faces.dosing([480])], at: at(470))
        #expect(timeline.nextLook(after: at(470)) == at(480))
        #expect(timeline.nextLook(after: at(480)) == at(495))
        #expect(timeline.nextLook(after: at(496)) == at(510))
        #expect(timeline.nextLook(after: at(100)) == at(115), "the clock was set back")
        #expect(timeline.nextLook(after: at(9000)) == at(9015), "the clock was set forth")
    }

    @Test func `FT-8: a recorded dose counts at once, and closed doses change no more`() {
        let dosing = [Faces.dosing([480, 1200])]
        let open = Faces.timeline(dosing, at: at(600)).entries[0]
        #expect(open.taken == 0 && open.overdue == 1 && open.total == 2)
        let taken = Faces.timeline(
            dosing, [Faces.event(Faces.slot(1, 480), .taken)], at: at(600))
        #expect(taken.entries[0].taken == 1 && taken.entries[0].overdue == 0)
        #expect(taken.entries[0].headline?.slot == Faces.slot(1, 1200))
        #expect(taken.entries[1].minute == at(1200))
        let skipped = Faces.timeline(
            dosing, [Faces.event(Faces.slot(1, 480), .skipped)], at: at(600)
        ).entries[0]
        #expect(skipped.skipped == 1 && skipped.taken == 0 && skipped.overdue == 0)
    }

    @Test func `FT-9: a snooze ends by itself, and the dose is due anew`() {
        let snooze = Faces.event(Faces.slot(1, 480), .snoozed(until: at(620)))
        let timeline = Faces.timeline([Faces.dosing([480])], [snooze], at: at(600))
        #expect(timeline.entries[0].snoozed == 1 && timeline.entries[0].overdue == 0)
        #expect(timeline.entries[0].headline?.minute == at(620))
        #expect(timeline.look(at(620)).headline?.phase == .due)
        #expect(timeline.look(at(650)).headline?.phase == .overdue)
    }

    @Test func `FT-10: two takens conflict: no device reminds, and one counts`() {
        let events = [
            Faces.event(Faces.slot(1, 480), .taken), Faces.event(Faces.slot(1, 480), .taken, 1),
        ]
        let entry = Faces.timeline([Faces.dosing([480])], events, at: at(600)).entries[0]
        #expect(entry.conflicting == 1 && entry.taken == 1 && entry.overdue == 0)
        #expect(entry.headline?.slot == Faces.slot(1, 480, day: Faces.day + 1))
    }

    @Test func `FT-11: a dose that fell due after the last check is unchecked`() {
        let dosing = [Faces.dosing([480])]
        let timeline = Faces.timeline(dosing, at: at(400), checked: at(400))
        #expect(timeline.look(at(479)).unchecked == 0)
        #expect(timeline.look(at(480)).unchecked == 1)
        #expect(timeline.look(at(480)).headline?.isUnchecked == true)
        #expect(Faces.timeline(dosing, at: at(490), checked: at(480)).entries[0].unchecked == 0)
        #expect(Faces.timeline(dosing, at: at(490), checked: nil).entries[0].unchecked == 3)
        let back = Faces.timeline(dosing, at: at(490), checked: at(491))
        #expect(back.entries[0].unchecked == 3 && back.checked == nil, "the clock was set back")
        // A snooze beyond the minute of the dose is unchecked from that minute on.
        let snooze = Faces.event(Faces.slot(1, 480), .snoozed(until: at(600)))
        let snoozed = Faces.timeline(dosing, [snooze], at: at(400), checked: at(400))
        #expect(snoozed.look(at(479)).unchecked == 0 && snoozed.look(at(480)).unchecked == 1)
    }

    @Test func `FT-12: midnight closes nothing, and begins a new count`() {
        let timeline = Faces.timeline([Faces.dosing([1320])], at: at(1400))
        let before = timeline.look(at(1439))
        #expect(before.overdue == 1 && before.total == 1)
        let after = timeline.look(at(0, day: Faces.day + 1))
        #expect(after.overdue == 1 && after.total == 1, "of yesterday and of today")
        #expect(after.headline?.slot == Faces.slot(1, 1320))
        let taken = Faces.timeline(
            [Faces.dosing([1320])], [Faces.event(Faces.slot(1, 1320), .taken)], at: at(1400))
        #expect(taken.look(at(1439)).taken == 1)
        #expect(taken.look(at(0, day: Faces.day + 1)).taken == 0)
        #expect(timeline.look(at(599, day: Faces.day + 1)).overdue == 1)
        #expect(timeline.look(at(600, day: Faces.day + 1)).overdue == 0, "12 hours later")
    }

    @Test func `FT-13: a dose that was added after its hour is not due today`() {
        let dosing = Faces.dosing([480, 1200]) { $0.setAdded(at(600)) }
        let entry = Faces.timeline([dosing], at: at(610)).entries[0]
        #expect(entry.total == 1 && entry.overdue == 0 && entry.unchecked == 0)
        #expect(entry.headline?.slot == Faces.slot(1, 1200))
    }

    @Test func `FT-14: a dose of a later week is named, and other dates have none`() {
        let weekly = Faces.dosing([480]) { $0.weekdays = Weekdays(of: Faces.day - 1) }
        let entry = Faces.timeline([weekly], at: at(500)).entries[0]
        #expect(entry.total == 0)
        #expect(entry.headline?.slot == Faces.slot(1, 480, day: Faces.day + 6))
        let every = Faces.dosing([480]) {
            $0.course = DoseCourse(firstDay: UInt16(Faces.day - 10), everyDays: 15)
        }
        #expect(
            Faces.timeline([every], at: at(500)).entries[0].headline?.slot
                == Faces.slot(1, 480, day: Faces.day + 5))
        let over = Faces.dosing([1320]) { $0.course = DoseCourse(lastDay: UInt16(Faces.day - 1)) }
        let last = Faces.timeline([over], at: at(100))
        #expect(last.entries[0].total == 0 && last.entries[0].headline?.phase == .overdue)
        #expect(last.look(at(600)).headline == nil)
        let idle = [
            Faces.dosing([480]) { $0.isActive = false },
            Faces.dosing([480]) { $0.isAsNeeded = true },
        ]
        #expect(Faces.timeline(idle, at: at(500)).entries == [FaceEntry(at: at(500))])
        #expect(Faces.timeline(idle, at: at(500)).active == 1)
    }
}
