import ControlKit
import RigKit

/// `rig doctor`: is everything here that the package needs, and if not, what to do.
struct DoctorCommand {
    let json = CommandFlag("json", help: "Print JSON.")

    var verb: Verb {
        var verb = Verb(
            "doctor", overview: "Checks what rig needs: each line is OK or MISSING with its fix.")
        verb.discussion = ["Ends with exit code 0 when nothing is missing, 1 otherwise."]
        verb.add(json)
        return verb
    }

    private struct Check {
        var name: String
        var found: String?
        var fix: String

        var json: JSONValue {
            [
                "name": .string(name), "ok": .bool(found != nil),
                "found": found.map { .string($0) } ?? .null,
                "fix": found == nil ? .string(fix) : .null,
            ]
        }
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let checks = makeChecks()
        let isWell = checks.allSatisfy { $0.found != nil }
        if invocation[json] {
            let all: JSONValue = ["ok": .bool(isWell), "checks": .array(checks.map(\.json))]
            try ExploreCommand.print(JSONWriter.text(all, layout: .pretty) + "\n")
        } else {
            try ExploreCommand.print(Self.text(of: checks))
        }
        return isWell ? .done : .assertionFailed
    }

    private static func text(of checks: [Check]) -> String {
        let width = checks.map(\.name.count).max() ?? 0
        return checks.map { check in
            let name = check.name + String(repeating: " ", count: width - check.name.count)
            return check.found.map { "OK       \(name)  \($0)\n" }
                ?? "MISSING  \(name)  fix: \(check.fix)\n"
        }.joined()
    }

    private func makeChecks() -> [Check] {
        let own = DemoOptions.ownDirectory
        let temporary = Files.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        // A socket's path has 107 bytes (unix(7)); the demo's own part takes 27 of them.
        let isShort = temporary.utf8.count + 27 <= 107
        return [
            Check(
                name: "swift", found: Self.inPath("swift"),
                fix: "install Swift 6.2 or later from https://www.swift.org/install"),
            package("libargon2-dev", "/usr/include/argon2.h"),
            package("libsodium-dev", "/usr/include/sodium.h"),
            package("libsqlite3-dev", "/usr/include/sqlite3.h"),
            Check(
                name: "PhoneSim", found: executable("\(own)/PhoneSim"),
                fix: "build the whole package: ./run, or swift build"),
            Check(
                name: "WatchSim", found: executable("\(own)/WatchSim"),
                fix: "build the whole package: ./run, or swift build"),
            Check(
                name: "medication list", found: DemoOptions.builtInList(near: own),
                fix: "keep rig inside the package, or use rig demo --import"),
            Check(
                name: "temporary files",
                found: Files.isWritable(temporary) && isShort ? temporary : nil,
                fix: "set TMPDIR to a writable directory with a path of at most 80 bytes"),
            Check(
                name: "output", found: Files.isWritable(".") ? "this directory is writable" : nil,
                fix: "go to a writable directory, or give one with --out"),
            Check(
                name: "processors",
                found: "\(Files.processorCount)"
                    + (Files.processorCount > 1 ? "" : ", so phone and watch take turns"),
                fix: ""),
        ]
    }

    private func package(_ name: String, _ header: String) -> Check {
        Check(
            name: name, found: Files.exists(header) ? header : nil, fix: "apt-get install \(name)")
    }

    private func executable(_ path: String) -> String? { Files.isExecutable(path) ? path : nil }

    private static func inPath(_ name: String) -> String? {
        let path = Files.environment("PATH") ?? ""
        return path.split(separator: ":").map { "\($0)/\(name)" }.first(where: Files.isExecutable)
    }
}
