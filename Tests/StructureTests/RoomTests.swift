import Testing

/// Rooms of the core stand on steps; a room names only types of lower steps. Siblings meet in
/// `Peer`.
@Suite struct RoomTests {
    /// The steps of the core, lowest first.
    static let steps: [[String]] = [
        ["Basics"], ["Wire"], ["Journal"], ["LossRecovery", "Identity", "Reachability"],
        ["Channels"], ["Complications", "Connection"], ["Peer"],
    ]

    struct Trespass: Equatable, CustomStringConvertible {
        var file: String
        var type: String
        var owner: String
        var description: String { "\(file) names \(type) of \(owner)" }
    }

    /// The declarations of each room at file level.
    static func declarations(_ files: [SourceFile]) -> [(room: String, name: String)] {
        var found: [(room: String, name: String)] = []
        let introducers: Set<Substring> = ["struct", "enum", "protocol", "class", "actor"]
        for file in files {
            guard let room = file.folders.first else { continue }
            for line in file.code.split(separator: "\n") where line.first?.isWhitespace == false {
                let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
                guard let place = words.firstIndex(where: { introducers.contains($0) }),
                    place + 1 < words.count
                else { continue }
                found.append((room, String(words[place + 1])))
            }
        }
        return found
    }

    static func trespasses(_ files: [SourceFile], _ steps: [[String]]) -> [Trespass] {
        func step(_ room: String) -> Int? { steps.firstIndex { $0.contains(room) } }
        let declared = declarations(files)
        var found: [Trespass] = []
        for file in files {
            guard let room = file.folders.first, let own = step(room) else { continue }
            let words = file.words
            for (owner, name) in declared where owner != room {
                guard let other = step(owner), other >= own, words.contains(Substring(name)) else {
                    continue
                }
                found.append(Trespass(file: file.path, type: name, owner: owner))
            }
        }
        return found
    }

    @Test func a_room_names_only_lower_rooms() {
        let files = SourceTree.files(below: "Sources/WatchProtoCore")
        #expect(files.count > 40, "the sources were not found")
        #expect(Self.trespasses(files, Self.steps) == [])
    }

    @Test func every_room_has_a_step() {
        for file in SourceTree.files(below: "Sources/WatchProtoCore") {
            let room = file.folders.first ?? "(none)"
            #expect(Self.steps.joined().contains(room), "\(file.path) stands in no room")
        }
    }

    @Test func a_planted_trespass_is_found() {
        let wire = SourceFile(
            path: "Wire/A.swift", folders: ["Wire"], code: "public struct A {}", lineCount: 1)
        let basics = SourceFile(
            path: "Basics/B.swift", folders: ["Basics"], code: "struct B { var a: A }", lineCount: 1
        )
        let identity = SourceFile(
            path: "Identity/C.swift", folders: ["Identity"], code: "enum C { case a(A) }",
            lineCount: 1)
        let recovery = SourceFile(
            path: "LossRecovery/D.swift", folders: ["LossRecovery"],
            code: "struct D { var c: C }", lineCount: 1)
        #expect(
            Self.trespasses([wire, basics, identity, recovery], Self.steps) == [
                Trespass(file: "Basics/B.swift", type: "A", owner: "Wire"),
                Trespass(file: "LossRecovery/D.swift", type: "C", owner: "Identity"),
            ])
    }
}
