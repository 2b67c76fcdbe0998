import Testing

/// Swift 6.3 leaks the former value of `x` in `place?.x = y` and `place!.x = y` where a type that
/// cannot be copied stores `place`: such a type assigns in a method of what it stores.
@Suite struct OptionalAssignmentTests {
    /// Fields of a session that own no memory.
    static let trivial: Set<Substring> = [
        "catchUp", "earlyCounter", "earlyLossAt", "forgottenBefore", "held", "isLineBusy",
        "isPaced", "isTicketAnswerUnderWay", "ownCounter", "owesEarlyAnswer", "pacedUntil",
        "pingDue", "pingSentAt", "pongDue", "ticketAnswer",
    ]

    /// Lines that assign through an optional in files about a type that cannot be copied.
    static func leaks(_ files: [SourceFile]) -> [String] {
        var names: Set<Substring> = []
        for file in files {
            for match in file.code.matches(of: /struct (\w+).*~Copyable/) { names.insert(match.1) }
        }
        return files.filter { file in
            file.code.contains(/struct \w+.*~Copyable/)
                || file.code.matches(of: /extension (?:\w+\.)*(\w+)/).contains {
                    names.contains($0.1)
                }
        }.flatMap { file in
            file.code.matches(of: /[?!]\.[\w.?!]*?(\w+) =\s/).filter { match in
                !trivial.contains(match.1)
                    && !file.code[..<match.range.lowerBound].suffix(80)
                        .contains(/(let|var|case)\s[^\n]*$/)
            }.map { "\(file.path): \(file.code[$0.range])" }
        }
    }

    @Test func no_former_value_is_leaked() {
        #expect(Self.leaks(SourceTree.ours) == [])
    }

    @Test(arguments: [
        ("struct Peer: ~Copyable {}\nextension Peer { func f() { session?.x = y } }", 1),
        ("struct Peer: ~Copyable {}\nextension Peer { func f() { session!.a?.x = y } }", 1),
        ("struct Peer: ~Copyable {}\nextension Peer { func f() { session?.pingDue = y } }", 0),
        ("struct Peer: ~Copyable {}\nextension Peer { func f() { session?.xs[1] = y } }", 0),
        ("struct Peer: ~Copyable {}\nextension Peer { func f() { let z = session?.x == y } }", 0),
        ("struct Peer {}\nextension Peer { func f() { session?.x = y } }", 0),
    ])
    func a_planted_assignment_is_found(_ code: String, _ count: Int) {
        let file = SourceFile(path: "Sources/A/B.swift", folders: ["A"], code: code, lineCount: 2)
        #expect(Self.leaks([file]).count == count)
    }
}
