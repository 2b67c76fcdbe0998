import Articles
import Testing
import WatchProtoCore
import WatchProtoRecords

/// The statuses of HealthKit, and the article's table of them.
@Suite struct HealthKitTests {
    private static let path = "Sources/WatchProtoRecords/WatchProtoRecords.docc/dose-states.md"

    /// A slot with a state, and the minutes after its time at which each display is shown.
    private struct Example {
        var name: String
        var events: [DoseEvent]
        var added: Int?
    }

    private static func after(_ minutes: Int) -> WallMinute {
        WallMinute(minutes: Doses.due.minutes + Int32(minutes))
    }

    /// Every state that the events of a slot can have.
    private static let examples: [Example] = {
        var doses = Doses()
        let taken = doses.record(.taken)
        let skipped = doses.record(.skipped)
        let again = doses.record(.taken)
        let snooze = doses.record(.snoozed(until: after(20)))
        return [
            Example(name: "open", events: []), Example(name: "open", events: [], added: 5),
            Example(name: "taken", events: [taken]), Example(name: "skipped", events: [skipped]),
            Example(name: "snoozed", events: [snooze]),
            Example(name: "conflicting", events: [taken, skipped]),
            Example(name: "conflicting", events: [taken, again]),
            Example(name: "withdrawn", events: [taken, doses.act(.withdraw, [taken])]),
            Example(
                name: "withdrawn", events: [snooze, doses.act(.withdraw, [snooze])], added: 5),
            Example(
                name: "skipped", events: [taken, doses.act(.correct, [taken], .skipped)]),
        ]
    }()

    private static func name(_ phase: DoseDisplay.Phase) -> String {
        // A new phase does not compile here, and needs its row in the article.
        switch phase {
        case .upcoming: "upcoming"
        case .notDue: "not due"
        case .due: "due"
        case .overdue: "overdue"
        case .notLogged: "not logged"
        case .snoozed: "snoozed"
        case .taken: "taken"
        case .skipped: "skipped"
        case .conflicting: "conflicting"
        }
    }

    /// The status in HealthKit by state and display, as the code has it.
    private static let found: [String: Set<String>] = {
        var found: [String: Set<String>] = [:]
        for example in examples {
            let state = DoseSlotState(of: Doses.slot, example.events)
            let timing = DoseTiming(
                due: Doses.due, next: after(720), added: example.added.map(after))
            for minute in stride(from: -60, through: 2000, by: 5) {
                let phase = DoseDisplay(state, timing, now: after(minute), checked: nil).phase
                let status = HealthKitLogStatus(state, phase)
                found["\(example.name), \(name(phase))", default: []].insert(
                    status.map { "`\($0)`" } ?? "none")
            }
        }
        return found
    }()

    @Test func `The article has every state with every display, and HealthKit's status`() throws {
        let rows = try #require(try MarkdownTable.below("HealthKit", in: Self.path)).rows
        var listed: [String: Set<String>] = [:]
        for row in rows where row[0] != "none" {
            for phase in row[1].split(separator: ", ") {
                listed["\(row[0]), \(phase)", default: []].insert(row[2])
            }
        }
        #expect(listed == Self.found)
    }

    @Test func `Each status of HealthKit is reached or is marked as never stored`() throws {
        let rows = try #require(try MarkdownTable.below("HealthKit", in: Self.path)).rows
        let reached = Set(Self.found.values.flatMap { $0 })
        for status in HealthKitLogStatus.allCases {
            #expect(reached.contains("`\(status)`") == (status.origin != .never), "\(status)")
            let origins = rows.filter { $0[2] == "`\(status)`" }.map { $0[3] }
            #expect(!origins.isEmpty, "\(status)")
            for origin in origins { #expect(origin.hasPrefix("\(status.origin)"), "\(status)") }
        }
        #expect(HealthKitLogStatus.allCases.map(\.rawValue) == Array(1...6))
    }

    @Test func `No derived status becomes an event`() {
        for status in HealthKitLogStatus.allCases {
            guard let event = status.event else {
                #expect(status.origin != .stored || status == .snoozed)
                continue
            }
            #expect(status.origin == .stored)
            // The event gives the slot the status of HealthKit again.
            var doses = Doses()
            let first = doses.record(.taken)
            let made =
                event.action == .record
                ? [doses.record(event.status!)] : [first, doses.act(event.action, [first])]
            let state = DoseSlotState(of: Doses.slot, made)
            #expect(HealthKitLogStatus(state, .due) == status)
        }
    }
}
