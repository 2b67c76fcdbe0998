import Testing
import WatchProtoCore
import WatchProtoRecords

/// The reminders that a device gives and silences (S-15, rule 16).
@Suite struct DoseRemindersTests {
    /// A device with its medications and its doses.
    private struct Device {
        var dosings = [Faces.dosing(1, [480, 1200]), Faces.dosing(2, [480])]
        var events: [DoseEvent] = []
        var reminders = DoseReminders()

        /// The changes at a minute of the day: `due 1 480` or `silenced 1 480`.
        mutating func look(_ minute: Int) -> [String] {
            let changes = reminders.look(
                dosings, FaceTimeline.states(events), at: Faces.minute(minute), zone: Faces.utc)
            return changes.map { change in
                let minute = Int(change.minute.minutes) - Int(Faces.minute(0).minutes)
                let word = change.isDue ? "due" : "silenced"
                return "\(word) \(change.slot.medication.rawValue) \(minute)"
            }
        }
    }

    @Test func a_reminder_is_given_once_also_if_the_clock_is_set_back() {
        var device = Device()
        #expect(device.look(400) == [] && device.reminders.next == Faces.minute(480))
        #expect(device.look(479) == [])
        #expect(device.look(480) == ["due 1 480", "due 2 480"])
        #expect(device.look(481) == [] && device.reminders.next == Faces.minute(1200))
        #expect(device.look(470) == [] && device.look(480) == [], "it comes no second time")
        #expect(device.look(1200) == ["due 1 1200"])
    }

    @Test func a_start_gives_none_that_a_platform_gave() {
        var device = Device()
        #expect(device.look(490) == [])
        device.events = [Faces.event(Faces.slot(1, 480), .taken)]
        #expect(device.look(491) == ["silenced 1 480"], "it stands, and is withdrawn")
    }

    @Test func a_device_that_looks_late_gives_none_that_is_overdue() {
        var (late, soon) = (Device(), Device())
        #expect(late.look(400) == [] && soon.look(400) == [])
        #expect(soon.look(509).count == 2 && late.look(510) == [])
    }

    @Test func a_dose_of_another_device_silences_what_stands_and_what_was_given() {
        var device = Device()
        #expect(device.look(400) == [])
        device.events = [Faces.event(Faces.slot(1, 480), .taken)]
        #expect(device.look(401) == ["silenced 1 480"])
        #expect(device.look(480) == ["due 2 480"])
        device.events.append(Faces.event(Faces.slot(2, 480), .skipped))
        #expect(device.look(485) == ["silenced 2 480"])
        #expect(device.look(486) == [])
    }

    /// A clock that jumps by days must not make a reminder come twice, or stay for ever.
    @Test func a_reminder_stays_given_on_every_day_until_its_dose_is_closed() {
        var device = Device()
        #expect(device.look(400) == [])
        #expect(device.look(480) == ["due 1 480", "due 2 480"])
        for jump in [-4 * 1440, 480, 6 * 1440, 480] {
            #expect(!device.look(jump).contains { $0.hasSuffix(" 480") })
        }
        #expect(!device.look(-4 * 1440).contains { $0.hasPrefix("silenced") })
        device.events = [Faces.event(Faces.slot(1, 480), .taken)]
        #expect(device.look(-4 * 1440 + 1) == ["silenced 1 480"])
        // A medication that is taken no longer has no reminder to silence.
        device.dosings.removeLast()
        #expect(device.look(-4 * 1440 + 2) == [])
        device.events.append(Faces.event(Faces.slot(2, 480), .taken))
        #expect(device.look(-4 * 1440 + 3) == [])
    }

    @Test func a_snooze_silences_and_gives_another_one_at_its_end() {
        var device = Device()
        device.dosings.removeLast()
        #expect(device.look(479) == [] && device.look(480) == ["due 1 480"])
        device.events = [Faces.event(Faces.slot(1, 480), .snoozed(until: Faces.minute(500)))]
        #expect(device.look(481) == ["silenced 1 480"])
        #expect(device.look(499) == [] && device.look(500) == ["due 1 500"])
        device.events.append(Faces.event(Faces.slot(1, 480), .taken, 1))
        #expect(device.look(501) == ["silenced 1 500"])
    }

    /// S-11: a snooze that would end when the dose is forgotten ends a day after the dose.
    @Test func a_snooze_over_days_ends_after_one() {
        var device = Device()
        device.dosings = [Faces.dosing(1, [480])]
        #expect(device.look(470) == [] && device.look(480) == ["due 1 480"])
        let end = Faces.minute(480 + 3 * 1440)
        device.events = [Faces.event(Faces.slot(1, 480), .snoozed(until: end))]
        #expect(device.look(481) == ["silenced 1 480"])
        #expect(device.look(480 + 1439) == [])
        #expect(device.look(480 + 1440) == ["due 1 1920", "due 1 1920"], "of both dates")
    }

    /// A device that looked once looks again, also if no reminder stands ahead.
    @Test func a_device_looks_again_before_a_reminder_can_be_missed() {
        var device = Device()
        device.dosings = []
        #expect(device.look(0) == [] && device.reminders.next == nil)
        #expect(device.reminders.nextLook(after: Faces.minute(0)) == Faces.minute(720))
        device.dosings = [Faces.dosing(1, [480])]
        #expect(device.look(470) == [])
        #expect(device.reminders.nextLook(after: Faces.minute(470)) == Faces.minute(480))
    }

    @Test func what_is_not_logged_or_not_in_the_list_any_more_is_not_silenced() {
        var device = Device()
        #expect(device.look(479) == [] && device.look(480).count == 2)
        device.dosings.removeLast()
        #expect(device.look(481) == [], "no dose silenced it")
        #expect(device.look(860) == [], "its time is over")
    }

    @Test func an_undo_gives_the_reminder_anew_within_half_an_hour() {
        var device = Device()
        device.dosings.removeLast()
        let taken = Faces.event(Faces.slot(1, 480), .taken)
        #expect(device.look(479) == [] && device.look(480) == ["due 1 480"])
        device.events = [taken]
        #expect(device.look(481) == ["silenced 1 480"])
        device.events.append(
            contentsOf: DoseSlotState(of: Faces.slot(1, 480), [taken])
                .undo(at: DoseTime(Faces.minute(482).wallTime)))
        #expect(device.look(483) == ["due 1 480"])
    }

    @Test func of_many_the_earliest_stand() {
        var device = Device()
        device.dosings = (1...600).map { Faces.dosing($0, [500 + $0 % 600]) }
        #expect(device.look(400) == [])
        #expect(device.reminders.next == Faces.minute(500))
        var given: Set<String> = []
        for minute in stride(from: 410, through: 1200, by: 10) {
            let changes = device.look(minute)
            #expect(given.isDisjoint(with: changes))
            given.formUnion(changes)
        }
        #expect(given.count == 600)
    }
}
