import ControlProtocol
import Foundation
import Testing

/// Every event and error code in the sources stands in the schema and in the article, and the other
/// way round. (Commands are listed by the programs themselves: see `ControlSchemaTests`.)
@Suite struct ControlNamesTests {
    private static let schema = JSONSchema(published: "control-1")

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: "\(DocumentedCommand.root)/\(path)", encoding: .utf8)) ?? ""
    }

    /// The sources that speak the protocol.
    private static let sources: String = {
        let all = FileManager.default.enumerator(atPath: "\(DocumentedCommand.root)/Sources")
        let paths = (all?.allObjects ?? []).compactMap { $0 as? String }.filter { path in
            let rooms = ["ReferenceDevice/", "PhoneSim/", "WatchSim/", "ControlProtocol/Control/"]
            return path.hasSuffix(".swift") && rooms.contains(where: path.hasPrefix)
        }
        let files = paths.sorted().map { "Sources/\($0)" } + ["Tools/Rig/Verbs/LinkSession.swift"]
        return files.map(text).joined(separator: "\n")
    }()

    private static let article = text(
        "Sources/ControlProtocol/ControlProtocol.docc/commands-and-events.md")

    /// Events as they are told: `post("x"`, `tellState("x"`, `event: "x"`, `event("x"`.
    static func events(in source: String) -> Set<String> {
        let calls = source.matches(
            of: #/(?:post|tellState|ControlMessage\.event)\(\s*"([a-z_.]+)"/#)
        let arrivals = source.matches(of: #/[ (]event: "([a-z_.]+)"/#)
        return Set(calls.map { String($0.output.1) } + arrivals.map { String($0.output.1) })
    }

    /// Codes of errors as they are made: in `ControlError(…`, in `"code": "x"`, and the words for
    /// refusals.
    static func codes(in source: String) -> Set<String> {
        var found: [Substring] = []
        for call in source.matches(of: #/ControlError\(([^,)\[]*)/#) {
            found += call.output.1.matches(of: #/"([a-z_]+)"/#).map(\.output.1)
        }
        found += source.matches(of: #/"code": "([a-z_]+)"/#).map(\.output.1)
        for block in source.matches(of: #/extension SendRefusal \{(?s:.*?)\n\}/#) {
            found += block.output.matches(of: #/case \.\w+: "([a-z_]+)"/#).map(\.output.1)
        }
        return Set(found.map(String.init))
    }

    @Test func every_event_is_published() {
        let told = Self.events(in: Self.sources)
        #expect(told.count > 30)
        #expect(told.symmetricDifference(Self.schema.definitions("event.")) == [])
    }

    @Test func every_error_code_is_published() {
        let made = Self.codes(in: Self.sources)
        let published = Self.schema.definitions("error.")
        #expect(made.count > 35)
        #expect(made.subtracting(published) == [])
        // A few are words of a `switch`: these stand there as they are.
        for code in published {
            #expect(made.contains(code) || Self.sources.contains("\"\(code)\""), "\(code)")
        }
    }

    @Test func the_article_names_all_of_them() {
        let article = Self.article
        for start in ["command.", "event.", "error."] {
            let names = Self.schema.definitions(start)
            #expect(!names.isEmpty)
            let missing = names.filter { !article.contains("`\($0)`") }
            #expect(missing.sorted() == [], "\(start)")
        }
    }

    /// A device reports every event that it says it knows, and no client can wait for an event that
    /// is never reported.
    @Test(arguments: ["PhoneSim", "WatchSim"])
    func every_event_can_be_waited_for(name: String) throws {
        let bench = Bench()
        let simulator = try Program(name, ["--link", bench.link(), "--unsealed"])
        let refused = try simulator.request("wait", ["event": "zzzz", "timeout_ms": 60_000])
        #expect(refused["error"]?["code"] == "unknown_event")
        let known = Set(refused["error"]?["known"]?.array?.compactMap(\.string) ?? [])
        let other = ["PhoneSim": "WatchSim", "WatchSim": "PhoneSim"][name] ?? ""
        let published = Self.schema.definitions("event.").filter { event in
            Self.schema.comment("event.\(event)") != other && !["ready", "bye"].contains(event)
        }
        #expect(known.symmetricDifference(published) == [])
        try simulator.call("quit")
        // Its directory goes with it.
        withExtendedLifetime(bench) {}
    }

    @Test func a_name_that_is_not_published_is_found() {
        let planted = Self.sources + #"hub.post("link.opend", at: now); throw ControlError("lost")"#
        #expect(
            Self.events(in: planted).subtracting(Self.schema.definitions("event."))
                == ["link.opend"])
        #expect(
            Self.codes(in: planted).subtracting(Self.schema.definitions("error.")) == ["lost"])
    }
}
