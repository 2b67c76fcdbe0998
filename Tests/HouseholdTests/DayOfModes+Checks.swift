import Testing
import WatchProto
import WatchProtoTesting

/// The end of a day: everything that waits arrives, and the accounts are compared.
extension DayOfModes {
    /// Lets each watch be the active one over a good link until nothing waits.
    func settle() async throws {
        await setConditions(LinkConditions())
        let household = household
        for turn in 0..<3 {
            if turn > 0 { try await change() }
            let watch = household.activeWatch
            try await household.run(for: .seconds(300))
            for device in [0, watch] {
                let isDrained = try await household.run {
                    try await household[device].drain(within: .seconds(600))
                }
                #expect(isDrained, "device \(device) with watch \(watch)")
            }
            let notLearnt = account.note { $0 }.messagesNotLearnt(with: watch) { message in
                household[message.way.sender].outcome(of: message.id)
            }
            #expect(notLearnt.isEmpty, "\(notLearnt.prefix(5))")
        }
    }

    func check() async throws {
        noteEnds()
        let state = account.note { $0 }
        let answered = state.outcomes.values.count { outcomes in
            if case .reply? = outcomes.first { true } else { false }
        }
        #expect(answered > 20 && state.doses.count > 20)
        #expect(state.drains > 0 && !state.repeated.isEmpty && !state.unknown.isEmpty)
        for way in Set(state.sent.map(\.way)).union(state.contexts.keys) {
            try await checkRecords(way, state)
        }
        for (watch, ids) in state.lists {
            let held = try await household[watch].rows("SELECT id, revision FROM held ORDER BY id")
            let expected = ids.map { id in
                [JournalValue.integer(Int64(id)), .integer(Int64(1 + id % 3))]
            }
            #expect(held == expected, "the list on watch \(watch)")
        }
        for (watch, offered) in state.faces {
            let shown = try await numbers(.face, Way(sender: 0, receiver: watch))
            #expect(Set(shown).isSubset(of: offered), "watch \(watch)")
            #expect(shown.last == offered.last, "the face of watch \(watch) is not the newest")
            #expect(
                zip(shown, shown.dropFirst()).allSatisfy { $0 < $1 },
                "an older state took the place of a newer one on watch \(watch)")
        }
        let lies = account.liesAboutMessages
        #expect(lies.isEmpty, "\(lies.prefix(5))")
        try await checkDoses(state)
        checkOutcomes(state)
        print(
            """
            \(state.sent.count) records in order, \(state.outcomes.count) messages, of which \
            \(state.unknown.count) were unknown at first, \(state.doses.count) doses, \
            \(state.drains) drains
            """)
    }

    /// No sender was told that a record ended otherwise than it did.
    private func checkOutcomes(_ state: DayAccount.State) {
        let certain = state.sent.filter { $0.mayEnd == nil }.map { one in
            (sender: one.way.sender, id: one.id)
        }
        var known = 0
        for (sender, id) in certain + state.repeated {
            let outcome = household[sender].outcome(of: id)
            if outcome != nil { known += 1 }
            #expect(
                outcome == .reached(.applied) || outcome == nil,
                "\(id) of device \(sender): \(String(describing: outcome))")
        }
        #expect(known > certain.count / 2, "\(known) of \(certain.count)")
        for one in state.sent where one.mayEnd != nil {
            let outcome = one.end ?? household[one.way.sender].outcome(of: one.id)
            #expect(
                outcome == .reached(.applied) || outcome == one.mayEnd || outcome == nil,
                "\(one.id) of device \(one.way.sender): \(String(describing: outcome))")
        }
        for end in [
            TransferOutcome.notApplied(.expired), .notApplied(.cancelled), .reached(.applied),
        ] {
            #expect(state.sent.contains { $0.end == end }, "no record ended as \(end)")
        }
    }

    /// Each record counted once, those in order in their order; the newest state is there, and no
    /// state twice in a row.
    private func checkRecords(_ way: Way, _ state: DayAccount.State) async throws {
        let sent = state.sent.filter { $0.way == way }
        let low = Set(sent.filter { $0.line == .lowInfo }.map(\.number))
        let infos = try await numbers(.info, way)
        let found: [DayAccount.Line: [Int64]] = [
            .info: infos.filter { !low.contains($0) }, .lowInfo: infos.filter(low.contains),
            .file: try await numbers(.file, way),
        ]
        for line in DayAccount.Line.allCases {
            let numbers = found[line] ?? []
            let arrived = Set(numbers)
            let due = sent.filter { $0.line == line && $0.isDue(arrived) }
            expectEqual(numbers, due.map(\.number), "\(line) \(way)")
        }
        let contexts = try await numbers(.context, way)
        #expect(contexts.last == state.contexts[way], "context \(way)")
        #expect(
            zip(contexts, contexts.dropFirst()).allSatisfy { $0 != $1 },
            "an equal state was given again \(way)")
    }

    private func expectEqual(_ found: [Int64], _ expected: [Int64], _ text: String) {
        if found == expected { return }
        let missing = Set(expected).subtracting(found)
        let further = Set(found).subtracting(expected)
        let twice = Dictionary(grouping: found, by: \.self).filter { $0.value.count > 1 }.keys
        func list(_ numbers: some Sequence<Int64>) -> [Int64] {
            numbers.map { $0 & 0xFFFF_FFFF }.sorted()
        }
        Issue.record(
            """
            \(text): missing \(list(missing)), not expected \(list(further)), twice \
            \(list(twice)), \
            \(missing.isEmpty && further.isEmpty && twice.isEmpty ? "in another order" : "")
            """)
    }

    func numbers(_ kind: Kind, _ way: Way) async throws -> [Int64] {
        let rows = try await household[way.receiver].rows(
            "SELECT number FROM taken WHERE kind = ? AND number >> 32 = ? ORDER BY place",
            .integer(kind.rawValue), .integer(Int64(way.sender)))
        return rows.compactMap { row in
            if case .integer(let number) = row[0] { number } else { nil }
        }
    }

    private func checkDoses(_ state: DayAccount.State) async throws {
        let expected = Set(state.doses.map(\.id))
        for device in 0...2 {
            let events = try await household[device].doses.newestEvents(limit: .max)
            #expect(
                events.count == expected.count && Set(events.map(\.id)) == expected,
                "the ledger of device \(device)")
        }
    }
}
