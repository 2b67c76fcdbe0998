import CPosix
import CommandLine
import ControlProtocol
import Foundation
import Glibc
import PictureCoding
import Pictures
import Testing

/// `share/schema/control-1.json` says what the programs say, and names what the code names.
@Suite(.timeLimit(.minutes(3))) struct ControlSchemaTests {
    private static let schema = JSONSchema(published: "control-1")
    private let bench = Bench()

    // MARK: Real lines

    /// The faults of the lines that a program was sent and has written.
    private func complaints(of program: Program) -> [String] {
        let schema = Self.schema
        let ready = schema.complaints(about: program.ready, as: "event.ready")
        let lines = program.others.flatMap { line in
            schema.complaints(about: line, as: "event.\(line["event"]?.string ?? "?")")
        }
        return ready + lines
            + program.exchanges.flatMap { command, reply in
                let name = command["cmd"]?.string ?? "?"
                guard reply["ok"] == true else {
                    return schema.complaints(about: reply, as: "refusal")
                }
                return schema.complaints(about: command, as: "command.\(name)")
                    + schema.complaints(about: reply, as: "reply.\(name)")
            }
    }

    /// The commands that were done.
    private func done(_ program: Program) -> Set<String> {
        let done = program.exchanges.filter { $0.reply["ok"] == true }
        return Set(done.compactMap { $0.command["cmd"]?.string })
    }

    /// The commands that a program lists in answer to an unknown one.
    private func listed(_ program: Program) throws -> Set<String> {
        let known = try program.request("frobnicate")["error"]?["known"]?.array ?? []
        return Set(known.compactMap(\.string))
    }

    /// The commands that the schema says a program knows.
    private static func published(for program: String) -> Set<String> {
        schema.definitions("command.").filter { name in
            let programs = schema.root["$defs"]?["command.\(name)"]?["$comment"]?.string ?? ""
            return programs.split(separator: " ").contains(Substring(program))
        }
    }

    @Test func a_long_session_keeps_to_the_schema() throws {
        for name in ["in", "in-w"] {
            try FileManager.default.createDirectory(
                atPath: bench.path(name), withIntermediateDirectories: false)
        }
        defer {
            for name in ["in", "in-w"] {
                try? FileManager.default.removeItem(atPath: bench.path(name))
            }
        }
        let phone = try Program(
            "PhoneSim",
            [
                "--link", bench.link(), "--journal", bench.path("p"), "--overdue-age", "50ms",
                "--inbox", bench.path("in"),
            ])
        let watch = try Program(
            "WatchSim",
            ["--link", bench.link(), "--journal", bench.path("w"), "--inbox", bench.path("in-w")])
        try pair(phone, watch)
        try exchange(phone, watch)
        try showPictures(phone, watch)
        try askStores(phone, watch)
        try load(phone, watch)
        try leave(phone, watch)
        for (program, name) in [(phone, "PhoneSim"), (watch, "WatchSim")] {
            #expect(complaints(of: program) == [])
            #expect(try listed(program) == Self.published(for: name))
            try program.call("quit")
            // Every command of its own; a watch is no phone that could have several.
            let own = Self.published(for: name)
            #expect(done(program) == (program === phone ? own : own.subtracting(["pair.activate"])))
            let last = try program.rest().last ?? .null
            #expect(Self.schema.complaints(about: last, as: "event.bye") == [])
        }
        // Events worth the name were among them.
        let told = Set((phone.others + watch.others).compactMap { $0["event"]?.string })
        #expect(told.count >= 15, "\(told.sorted())")
    }

    private func pill() throws -> String {
        let rgb = [UInt8](repeating: 90, count: 3 * 40 * 30)
        let jpeg = try PictureWriter.jpeg(
            of: Bitmap(width: 40, height: 30, rgb: rgb), quality: 80)
        let path = bench.path("in/pill.jpg")
        try Data(jpeg).write(to: URL(filePath: path))
        return path
    }

    private func showPictureOnFace(_ phone: Program, _ watch: Program) throws {
        try watch.request("face.open")
        try phone.call("import", ["path": .string(bench.plannedList())])
        try phone.call("sync")
        try watch.poll("store") { $0["count"] == 23 }
        let key = try watch.call("face")["complication"]?["dose"]?["key"] ?? .null
        try phone.call("picture.set", ["key": key, "path": .string(try pill())])
        try watch.wait("complication.shown", ["source": "picture"])
        try watch.call("face", ["jpeg": true])
        try watch.call("face.open")
        try watch.wait("complication.shown", ["source": "picture"])
        try watch.call("face.close")
    }

    private func showPictures(_ phone: Program, _ watch: Program) throws {
        let path = try pill()
        try phone.request("picture.set", ["key": "1", "path": "/no/such/file"])
        try phone.call("picture.set", ["key": "1", "path": .string(path)])
        try watch.wait("picture.arrived")
        try watch.call("picture.get", ["key": "1"])
        try watch.call("picture.get", ["key": "1", "size": "whole", "refresh": true])
        try watch.call("picture.list")
        try watch.call("picture.status")
        try watch.call("memory.pressure", ["level": "critical"])
        try phone.call("picture.remove", ["key": "1"])
        try watch.wait("picture.removed")
        try watch.request("picture.get", ["key": "1"])
    }

    private func pair(_ phone: Program, _ watch: Program) throws {
        try watch.request("pair.cancel")
        let code = try watch.call("pair.show")["code"] ?? .null
        try watch.call("pair.cancel")
        try watch.wait("pairing.ended")
        try phone.request("pair.enter", ["code": "12"])
        try phone.call("pair.show")
        try watch.call("pair.enter", ["code": code])
        for program in [phone, watch] {
            try program.call("pair.cancel")
            try program.wait("pairing.ended")
        }
        let next = try watch.call("pair.show")["code"] ?? .null
        try phone.call("pair.enter", ["code": next])
        try phone.wait("pairing.confirm")
        try phone.call("pair.confirm")
        try watch.wait("pairing.confirm")
        try watch.call("pair.confirm")
        try phone.wait("pairing.done")
        try watch.wait("pairing.done")
        try phone.wait("reachability", ["reachable": true])
        try phone.request("wait", ["event": "never", "timeout_ms": 10])
    }

    private func exchange(_ phone: Program, _ watch: Program) throws {
        try phone.request("sync")
        try phone.call("import", ["path": .string(bench.list()), "partial": true])
        try phone.request("import", ["path": "/no/such/file"])
        try phone.call("sync")
        try watch.poll("store") { $0["count"] == 20 }
        try showPictureOnFace(phone, watch)
        try phone.call("sync")
        try phone.call("medication.change", ["index": 0, "count": 3, "partial": true])
        try phone.call("medication.remove", ["index": 19])
        try phone.call("complication.update", ["text": "Noon"])
        try watch.wait("complication.shown")
        try phone.call("complication.update")
        try phone.call("app.report", ["capabilities": ["refill"]])
        try watch.call("app.report", ["foreground": false])
        try phone.poll("status") { $0["complications"]?["foreground"] == false }
        usleep(100_000)
        try phone.call("complication.update", ["text": "One"])
        try phone.wait("complication.budget")
        try phone.call("complication.update", ["text": "Two", "cause": "change"])
        try phone.call("complication.why")
        try watch.call("face")
        try watch.call("dose.record", ["index": 0, "count": 2])
        let entry: JSONValue = ["index": 1, "action": "skipped", "day": 2000, "minute": 480]
        let skipped = try watch.call("dose.record", entry)["doses"]
        let dose = skipped?.array?.first ?? .null
        let wrong = try watch.call("dose.correct", ["dose": dose, "amount": "1.5"])["doses"]
        try watch.call("dose.record", entry)
        try watch.call("dose.resolve", ["dose": dose])
        try watch.request("dose.resolve", ["dose": dose])
        try watch.request("dose.correct", ["dose": wrong?.array?.first ?? .null])
        let undo = JSONValue.string(String(repeating: "0a", count: 16))
        try watch.call("dose.withdraw", ["dose": dose, "new_dose": undo])
        try watch.call("dose.withdraw", ["dose": dose, "new_dose": undo])
        try watch.request("dose.correct", ["dose": dose, "new_dose": undo])
        try phone.wait("dose.arrived")
        let planned: JSONValue = ["index": 2, "day": 2000, "minute": 480]
        let taken = try phone.call("dose.record", planned)["doses"]?.array?.first ?? .null
        try phone.call("dose.correct", ["dose": taken, "taken_minute": 3_000_000])
        try phone.call(
            "dose.record", ["index": 2, "action": "skipped", "day": 2000, "minute": 480])
        try phone.call("dose.resolve", ["dose": taken, "action": "skipped"])
        try phone.call("dose.withdraw", ["dose": taken])
        try phone.call(
            "dose.record",
            [
                "index": 2, "action": "snoozed", "until_minute": 3_600_000, "day": 2000,
                "minute": 480,
            ])
        try watch.wait("dose.arrived")
        try phone.call("list")
        for kind in ["message", "user_info", "context", "complication"] {
            let sent = try phone.call("send", ["kind": .string(kind), "payload_b64": "AQID"])
            let which: JSONValue = [
                "msg": sent["msg"] ?? 0, "channel": sent["channel"] ?? "",
                "epoch": sent["epoch"] ?? "",
            ]
            try phone.call("record.status", which)
            try phone.call("cancel", which)
        }
        try watch.call(
            "send",
            [
                "kind": "user_info", "payload_b64": "", "count": 3, "partial": true,
                "expires_in_ms": 60_000,
            ])
        try phone.call("echo", ["on": false])
        let last = try watch.call(
            "send", ["kind": "message", "payload_b64": "AA==", "timeout_ms": 60_000])
        let asked = try phone.wait("message.arrived", ["payload_b64": "AA=="])
        try phone.call("reply", ["msg": asked["msg"] ?? 0, "text": "yes"])
        try watch.wait("message.replied", ["text": "yes"])
        try watch.call("echo", ["on": false])
        let other = try phone.call("send", ["kind": "message", "text": "?", "timeout_ms": 5000])
        let heard = try watch.wait("message.arrived", ["text": "?"])
        try watch.call("reply", ["msg": heard["msg"] ?? 0, "text": "?"])
        try phone.wait("message.replied", ["msg": other["msg"] ?? 0])
        try phone.call("wait", ["until": "status", "holds": ["sealed": true], "timeout_ms": 5])
        try phone.request("wait", ["until": "status", "holds": ["sealed": 0], "timeout_ms": 5])
        for program in [phone, watch] {
            try program.call("echo")
            try program.call("outstanding", ["limit": 5])
            try program.request("cancel", ["msg": 9999, "channel": "bulk"])
        }
        for command in ["record.status", "cancel"] {
            try watch.call(command, ["msg": last["msg"] ?? 0, "channel": last["channel"] ?? ""])
        }
        try phone.call("events", ["records": false])
        try watch.call("events")
        try phone.request("send", ["kind": "letter", "payload_b64": ""])
        // Nobody is there to hear it: it gets old.
        try watch.call("link.close", ["abrupt": true])
        try phone.call("send", ["kind": "user_info", "payload_b64": "AA=="])
        try phone.wait("overdue")
        for program in [phone, watch] {
            let file: JSONValue = ["kind": "file", "path": .string(bench.list()), "text": "list"]
            let id = try program.call("send", file).recordID
            for command in ["file.pause", "file.resume", "cancel"] { try program.call(command, id) }
        }
        try watch.call("link.open")
        try phone.wait("overdue.ended")
        try phone.call("link.close")
        try phone.call("link.open")
        try phone.wait("reachability", ["reachable": true])
    }

    private func askStores(_ phone: Program, _ watch: Program) throws {
        for program in [phone, watch] {
            let list = try program.call("medication.list", ["limit": 5])
            let key = list["medications"]?.array?.first?["key"] ?? .null
            try program.call("medication.fetch", ["key": key])
            try program.request("medication.fetch", ["key": "0"])
            for command in ["medication.next", "dose.today", "dose.due", "dose.history"] {
                try program.call(command)
            }
            try program.call("dose.today", ["day": 7])
            try program.call("dose.export")
            let file = JSONValue.string(bench.path("\(program.ready["role"]?.string ?? "").json"))
            try program.call("dose.export", ["path": file])
            try program.request("dose.export", ["path": file])
            try program.call("dose.import", ["path": file, "partial": true])
            try program.request("dose.import", ["path": .string(bench.list())])
            try program.call("status")
            try program.call("clock.set", ["at_ms": 1_800_000_000_000, "zone_minutes": 60])
            try program.request("clock.set", ["zone_minutes": 2000])
            try program.call("clock.set")
        }
    }

    private func load(_ phone: Program, _ watch: Program) throws {
        for (program, kind) in [(phone, "medication"), (watch, "dose")] {
            try program.call("trace.reset")
            try program.call("packets.start", ["limit": 5000])
            try program.request("packets.start", ["limit": 0])
            try program.call(
                "load.start",
                [
                    "mix": [["kind": .string(kind), "rate_per_s": 50]], "duration_ms": 200,
                    "warmup_ms": 50, "arrivals": "poisson", "events": true,
                ])
            try program.request("load.start", ["mix": []])
            try program.wait("load.done")
            try program.call("load.stop")
            try program.poll("status") { $0["outstanding"] == 0 }
            // A record is told to be settled once the journal holds that, a moment after it ceased
            // to be outstanding.
            var latencies: [JSONValue] = []
            try program.poll("load.progress") { progress in
                latencies += progress["latencies_ns"]?.array ?? []
                return progress["sent"]?.integer ?? 0 > 0 && progress["sent"] == progress["settled"]
            }
            #expect(!latencies.isEmpty)
            #expect(try program.call("load.progress")["latencies_ns"] == [])
        }
        for program in [phone, watch] {
            try program.call("trace.dump", ["limit": 500])
            let packets = try program.call("packets.dump", ["limit": 2])
            // Two packets, or one of several records.
            #expect((1...2).contains(packets["sent"]?.array?.count ?? 0))
            #expect(packets["next"] != .null)
            try program.call("packets.stop")
            #expect(try program.call("packets.dump")["sent"]?.array?.count ?? 0 > 2)
        }
    }

    private func leave(_ phone: Program, _ watch: Program) throws {
        let pairing = try phone.call("pair.list")["pairings"]?.array?.first?["pairing"] ?? .null
        try phone.call("pair.activate", ["pairing": pairing])
        try watch.request("pair.activate", ["pairing": pairing])
        try watch.call("pair.list")
        for program in [phone, watch] {
            try program.call("pair.forget", ["pairing": pairing])
            try program.request("status")
            try program.request("sync")
        }
    }

    @Test func a_conditioned_link_keeps_to_the_schema() throws {
        let link = try Program(
            "rig",
            [
                "link", "--listen", "unix-datagram:\(bench.path("a"))", "--connect",
                "unix-datagram:\(bench.path("b"))", "--quiet",
            ])
        try link.call("link.show")
        try link.call("link.set", ["profile": "edge", "one_way": true])
        try link.call("link.set", ["set": "blackout=2s every 7s", "up": "loss=1%"])
        try link.call("link.down")
        try link.call("link.up")
        try link.call("link.drop", ["up": [1], "down": [2, 3]])
        try link.call("link.counters")
        try link.request("link.set", ["rtt": "60ms"])
        #expect(try listed(link) == Self.published(for: "rig-link"))
        try link.call("quit")
        #expect(complaints(of: link) == [])
        #expect(done(link) == Self.published(for: "rig-link"))
        let last = try link.rest().last ?? .null
        #expect(Self.schema.complaints(about: last, as: "event.bye") == [])
    }

    /// The answers to wrong lines, which are tested word for word, are refusals of the schema.
    @Test func answers_to_wrong_lines_keep_to_the_schema() throws {
        for entry in ErrorTextTests.control.entries {
            let reply = try JSONParser.parse(entry.text).value
            #expect(Self.schema.complaints(about: reply, as: "refusal") == [], "\(entry.text)")
        }
    }

    @Test func a_second_client_is_told_so_by_the_schema() throws {
        let control = bench.path("c.sock")
        let watch = try Program(
            "WatchSim", ["--link", bench.link(), "--control", "unix:\(control)"],
            awaitsReady: false)
        var first: Int32 = -1
        for _ in 0..<250 where first < 0 {
            first = Bench.connect(control)
            if first < 0 { usleep(20_000) }
        }
        let deadline = watchproto_monotonic_nanoseconds() + 5_000_000_000
        func line(_ number: Int32) throws -> JSONValue {
            try JSONParser.parse(Array((Program.read(number, until: deadline) ?? []).dropLast()))
                .value
        }
        let ready = Program.read(first, until: deadline) ?? []
        #expect(!ready.isEmpty)
        let second = Bench.connect(control)
        let busy = try line(second)
        #expect(busy["error"]?["code"] == "busy")
        #expect(Self.schema.complaints(about: busy, as: "event.error") == [])
        close(second)
        close(first)
        watch.signal(SIGTERM)
        _ = try watch.awaitEnd()
    }

    @Test func a_planted_wrong_line_is_caught() throws {
        let lines: [(String, String, [String])] = [
            (
                "event.activation", #"{"event":"activation","state":"on","pairing":null,"t_ns":1}"#,
                [
                    "$.state: enum [\"not_activated\",\"inactive\",\"activated\"], found \"on\""
                ]
            ),
            (
                "event.synced", #"{"event":"synced","settled":1,"t_ns":1,"more":2}"#,
                ["$: 'of' is missing", "$: 'more' does not belong here"]
            ),
            (
                "command.wait", #"{"cmd":"wait","event":"x","timeout_ms":3600001}"#,
                ["$.timeout_ms: maximum 3600000, found 3600001"]
            ),
            (
                "reply.pair.show", #"{"id":1,"ok":true,"code":"12 34 56","good_for_ms":1}"#,
                ["$.code: pattern \"^[0-9]{6}$\", found \"12 34 56\""]
            ),
            (
                "refusal", #"{"id":1,"ok":false,"error":{"code":"odd"}}"#,
                ["$.error: none of \(Self.schema.definitions("error.").count) forms fits"]
            ),
            (
                "event.load.done",
                #"{"event":"load.done","sent":1,"warmup":0,"refused":{"queue_full":"1"},"late_max_ns":0,"complete":true,"t_ns":1}"#,
                ["$.refused.queue_full: type \"integer\", found \"1\""]
            ),
        ]
        for (definition, line, complaints) in lines {
            let value = try JSONParser.parse(line).value
            #expect(Self.schema.complaints(about: value, as: definition) == complaints)
            #expect(Self.schema.complaints(about: value).count == 1, "\(line)")
        }
        let good = try JSONParser.parse(#"{"event":"synced","settled":1,"of":2,"t_ns":1}"#).value
        #expect(Self.schema.complaints(about: good) == [])
    }
}
