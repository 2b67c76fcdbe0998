import Testing
import WatchProtoCore
import WatchProtoRecords

/// The rules over random histories, and planted mistakes that the checker must find.
@Suite struct DosePropertyTests {
    @Test func random_histories_keep_the_rules() {
        for seed in 0..<600 as Range<UInt64> {
            #expect(DoseChecker.run(DoseFunctions(), seed: seed) == [], "seed \(seed)")
        }
    }

    /// Planted mistakes, each with the rule that it breaks.
    private static let mistakes: [(name: String, rule: String, functions: DoseFunctions)] = {
        var list: [(name: String, rule: String, functions: DoseFunctions)] = []
        func plant(_ name: String, _ rule: String, _ change: (inout DoseFunctions) -> Void) {
            var functions = DoseFunctions()
            change(&functions)
            list.append((name, rule, functions))
        }
        plant("near doses taken as needed are merged", "2: doses taken as needed never merge") {
            $0.countAsNeeded = { events in
                AsNeededDose.list(of: Doses.medication, events).count { !$0.mayBeDouble }
            }
        }
        plant("an undo loses a head", "6: open if every head was named") {
            $0.show = { events in
                let undo = events.contains { $0.action == .withdraw && $0.slot != nil }
                return DoseFunctions().show(undo ? [] : events)
            }
        }
        plant("an undo names no head", "6: open if every head was named") {
            $0.show = { events in DoseFunctions().show(events.filter { $0.action != .withdraw }) }
        }
        plant("an older state replaces the newer one", "3: the set only grows") {
            $0.merge = { own, theirs in
                theirs.count > 1 ? theirs : DoseFunctions().merge(own, theirs)
            }
        }
        plant("an older state reopens a slot", "8: nothing else reopens") {
            $0.show = { events in
                let isOld = events.count % 5 == 0
                return DoseFunctions().show(
                    events.filter { isOld ? $0.status?.isTaken != true : true })
            }
        }
        plant("the last event wins", "3: no order wins") {
            $0.show = { events in
                let planned = events.filter { $0.slot != nil }
                return DoseFunctions().show(Array(planned.suffix(1)))
            }
        }
        plant("a clock decides a conflict", "5: a conflict is shown") {
            $0.show = { events in
                let state = DoseSlotState(of: Doses.slot, events)
                let newest = state.heads.max { $0.time.wall < $1.time.wall }
                return DoseFunctions.Shown(
                    isOpen: state.isOpen, isConflicting: false, status: newest?.status?.code)
            }
        }
        plant("a merge loses an event", "3: all devices agree") {
            $0.merge = { own, theirs in
                let merged = DoseFunctions().merge(own, theirs)
                return merged.count > 6 && own.count < theirs.count ? merged.dropLast() : merged
            }
        }
        return list
    }()

    @Test(arguments: mistakes.indices)
    func a_planted_mistake_is_found(_ index: Int) {
        let (name, rule, functions) = Self.mistakes[index]
        let found = (0..<300 as Range<UInt64>).contains { seed in
            DoseChecker.run(functions, seed: seed).contains(rule)
        }
        #expect(found, "\(name) breaks rule \(rule)")
    }
}
