import Testing
import WatchProtoCore
import WatchProtoRecords

/// The rules for doses that a value can show, one test a rule.
@Suite struct DoseRuleTests {
    @Test func `Rule 1: an event counts once, and another one of its identity is refused`() throws {
        var doses = Doses()
        let event = doses.record(.taken)
        var ledger = DoseLedger()
        #expect(ledger.insert(event) == .new)
        for _ in 0..<3 { #expect(ledger.insert(event) == .known) }
        let other = DoseEvent(
            id: event.id, medication: event.medication, planned: event.planned, status: .skipped,
            time: event.time)
        #expect(ledger.insert(other) == .refused)
        #expect(ledger.count == 1)
        #expect(ledger.state(of: Doses.slot).status == .taken)
        var theirs = DoseLedger([other])
        #expect(theirs.merge(ledger) == [event])
    }

    @Test func `Rule 2: a slot is an entry on a date, and the minute is data`() throws {
        var doses = Doses()
        let moved = PlannedDose(day: Doses.day, minute: 540, entry: 480)
        let early = doses.record(.taken)
        let late = doses.record(.taken, moved)
        #expect(early.slot == late.slot && early.planned != late.planned)
        #expect(state(early, late).isConflicting)
        let otherEntry = doses.record(.taken, PlannedDose(day: Doses.day, minute: 480, entry: 2))
        let otherDay = doses.record(.taken, PlannedDose(day: Doses.day + 1, minute: 480))
        #expect(state(otherEntry, otherDay).isOpen)
    }

    @Test func `Rule 2: doses taken as needed never merge, and near ones are flagged`() throws {
        var doses = Doses()
        let first = doses.record(.taken, nil, at: Doses.time(0, device: 1))
        let second = doses.record(.taken, nil, at: Doses.time(10, device: 2))
        let third = doses.record(.taken, nil, at: Doses.time(21, device: 1))
        let same = doses.record(.taken, nil, at: Doses.time(22, device: 1))
        let ledger = DoseLedger([third, second, first, same])
        let list = ledger.asNeeded(Doses.medication)
        #expect(list.map(\.event) == [first, second, third, same])
        #expect(list.map(\.mayBeDouble) == [true, true, false, false])
        #expect(ledger.taken(Doses.medication).count == 4)
        // Two corrections of one dose count until a person resolves them.
        let one = doses.act(.correct, [first], .taken(nil, at: Doses.due))
        let two = doses.act(.correct, [first], .taken)
        let corrected = DoseLedger([first, one, two]).asNeeded(Doses.medication)
        #expect(corrected.map(\.mayBeDouble) == [true, true])
        let resolved = doses.act(.resolve, [one, two], .taken)
        #expect(DoseLedger([first, one, two, resolved]).asNeeded(Doses.medication).count == 1)
        let undone = DoseLedger([first, second, doses.act(.withdraw, [first])])
        #expect(undone.asNeeded(Doses.medication).map(\.mayBeDouble) == [false])
    }

    @Test func `Rule 3: every order of the same events gives the same state`() throws {
        var doses = Doses()
        let taken = doses.record(.taken)
        let skipped = doses.record(.skipped)
        let undo = doses.act(.withdraw, [skipped])
        let fix = doses.act(.correct, [taken], .skipped)
        let events = [taken, skipped, undo, fix]
        let wanted = DoseLedger(events)
        #expect(wanted.state(of: Doses.slot).status == .skipped)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            let ledger = DoseLedger(events.shuffled(using: &random))
            #expect(ledger == wanted)
            #expect(ledger.state(of: Doses.slot) == wanted.state(of: Doses.slot))
        }
    }

    @Test func `Rule 4: heads are events that nobody replaced, withdrawals aside`() throws {
        var doses = Doses()
        let taken = doses.record(.taken)
        let skipped = doses.record(.skipped)
        let fix = doses.act(.correct, [taken], .skipped)
        let undo = doses.act(.withdraw, [skipped])
        #expect(state(taken, skipped, fix, undo).heads == [fix])
        #expect(state(fix, undo).heads == [fix], "their events may come later")
        // An event of another slot replaces nothing here.
        let elsewhere = DoseEvent(
            id: doses.id(), medication: Doses.medication, planned: nil, .withdraw, status: nil,
            replaces: [taken.id], time: Doses.time())
        #expect(state(taken, try #require(elsewhere)).heads == [taken])
        #expect(DoseEvent(id: doses.id(), .withdraw, [], status: nil, time: fix.time) == nil)
        #expect(DoseEvent(id: doses.id(), .record, [taken], status: .taken, time: fix.time) == nil)
        let snooze = DoseStatus.snoozed(until: Doses.due)
        #expect(DoseEvent(id: doses.id(), .correct, [taken], status: snooze, time: fix.time) == nil)
    }

    @Test func `Rule 5: what the heads amount to`() throws {
        var doses = Doses()
        let taken = doses.record(.taken)
        let again = doses.record(.taken)
        let skipped = doses.record(.skipped)
        let left = doses.record(.skipped)
        let snoozed = doses.record(.snoozed(until: WallMinute(minutes: 15)))
        let longer = doses.record(.snoozed(until: WallMinute(minutes: 30)))
        #expect(state().isOpen && !state().isClosed && !state().isWithdrawn)
        #expect(state(longer, snoozed).status?.snoozedUntil == WallMinute(minutes: 30))
        #expect(!state(snoozed).isClosed && !state(snoozed).isOpen)
        #expect(state(snoozed, taken).status == .taken)
        #expect(state(longer, skipped).status == .skipped)
        #expect(state(taken).isClosed && state(taken).taken == [taken])
        #expect(state(skipped, left).status == .skipped)
        for both in [state(taken, again), state(taken, skipped), state(taken, again, snoozed)] {
            #expect(both.isConflicting && both.isClosed && both.status == nil)
        }
        #expect(state(taken, again).taken.count == 2, "the guard counts both")
        let counts = DoseCounts([
            state(taken, again), state(taken, skipped), state(taken), state(left), state(snoozed),
        ])
        #expect((counts.taken, counts.skipped) == (3, 1))
        #expect((counts.conflicting, counts.open) == (2, 1))
        #expect(DoseLedger([taken, again, skipped]).taken(Doses.medication).count == 2)
    }

    @Test func `Rule 6: an undo reopens only if it named every head`() throws {
        var doses = Doses()
        let taken = doses.record(.taken)
        let again = doses.record(.taken)
        let half = doses.act(.withdraw, [taken])
        #expect(state(taken, again, half).status == .taken)
        let whole = doses.act(.withdraw, [taken, again])
        #expect(state(taken, again, whole).isOpen && state(taken, again, whole).isWithdrawn)
        let fix = doses.act(.correct, [taken], .skipped)
        #expect(state(taken, half, fix).status == .skipped, "the correction stands")
        let redone = doses.record(.taken)
        #expect(state(taken, half, redone).status == .taken)
        // An undo names every head, also if it takes several events.
        let many = (0..<20).map { _ in doses.record(.taken) }
        let conflict = DoseSlotState(of: Doses.slot, many)
        let undos = DoseEvent.replacing(
            conflict.heads, by: .withdraw, nil, at: Doses.time()
        ) { doses.id() }
        #expect(undos.count == 3 && undos.allSatisfy { $0.encodedSize <= 200 })
        #expect(DoseSlotState(of: Doses.slot, many + undos).isOpen)
        #expect(DoseSlotState(of: Doses.slot, many + undos.dropLast()).isClosed)
    }

    @Test func `Rule 7: a resolution closes the heads it saw`() throws {
        var doses = Doses()
        let taken = doses.record(.taken)
        let skipped = doses.record(.skipped)
        let unseen = doses.record(.taken)
        let one = doses.act(.resolve, [taken, skipped], .taken)
        let equal = doses.act(.resolve, [taken, skipped], .taken)
        let other = doses.act(.resolve, [taken, skipped], .skipped)
        #expect(state(taken, skipped, one).status == .taken)
        #expect(state(taken, skipped, one, unseen).isConflicting)
        let agreed = state(taken, skipped, one, equal)
        #expect(agreed.status == .taken && agreed.taken.count == 1)
        #expect(state(taken, skipped, one, other).isConflicting)
        let amount = Amount(mantissa: 2, unit: .tablet)
        let more = doses.act(.resolve, [taken, skipped], .taken(amount))
        #expect(state(taken, skipped, one, more).isConflicting)
        let final = doses.act(.resolve, [one, other], .skipped)
        #expect(state(taken, skipped, one, other, final).status == .skipped)
        // Two corrections are no resolutions: both takens count.
        let fix = doses.act(.correct, [skipped], .taken)
        let fixes = [fix, doses.act(.correct, [skipped], .taken)]
        #expect(DoseSlotState(of: Doses.slot, [skipped] + fixes).isConflicting)
    }

    @Test func `Rule 8: an older state reopens nothing`() throws {
        var doses = Doses()
        let snoozed = doses.record(.snoozed(until: Doses.due))
        var ledger = DoseLedger([snoozed])
        let backup = ledger
        ledger.insert(doses.record(.taken))
        let closed = ledger.state(of: Doses.slot)
        var restored = backup
        restored.merge(ledger)
        ledger.merge(backup)
        ledger.merge(DoseLedger())
        #expect(ledger.state(of: Doses.slot) == closed && closed.isClosed)
        #expect(restored == ledger)
        // Events that name each other in a circle remove no head.
        let first = DoseEventID(rawValue: 1 << 100)
        let second = DoseEventID(rawValue: 1 << 101)
        let circle = [(first, second), (second, first)].compactMap { id, other in
            DoseEvent(
                id: id, medication: Doses.medication, planned: Doses.planned, .correct,
                status: .taken, replaces: [other], time: Doses.time())
        }
        #expect(DoseSlotState(of: Doses.slot, circle).heads == circle)
        let undo = doses.act(.withdraw, [circle[0]])
        #expect(DoseSlotState(of: Doses.slot, circle + [undo]).heads == [circle[1]])
    }

    @Test func `Rule 10: an event that comes back by another way is known`() throws {
        var doses = Doses()
        let event = doses.record(.taken)
        var phone = DoseLedger()
        var watch = DoseLedger([event])
        #expect(phone.insert(event) == .new)
        let came = try #require(phone[event.id])
        #expect(watch.insert(came) == .known)
        #expect(phone == watch)
    }

    @Test func `Rule 13: a clock's jump changes no status, and a large offset is marked`() throws {
        var doses = Doses()
        let taken = doses.record(.taken)
        for milliseconds in [Int64.min, -1, 0, .max] {
            var time = DoseTime(WallTime(milliseconds: milliseconds))
            time.phoneOffset = .max
            let undo = DoseEvent(id: doses.id(), .withdraw, [taken], status: nil, time: time)!
            #expect(state(taken, undo).isOpen)
            let again = doses.record(.taken, at: time)
            #expect(state(undo, again).status == .taken)
            _ = DoseLedger([doses.record(.taken, nil, at: time)]).asNeeded(Doses.medication)
        }
        var time = Doses.time()
        for (offset, isUncertain) in [(60_000, false), (60_001, true), (-60_001, true)] {
            time.phoneOffset = Int32(offset)
            #expect(time.isUncertain == isUncertain)
        }
        #expect(!Doses.time().isUncertain)
        #expect(
            doses.record(.taken, at: time).moment.milliseconds == time.wall.milliseconds - 60_001)
    }
}
