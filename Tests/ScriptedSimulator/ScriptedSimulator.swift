import ControlProtocol
import Glibc

struct ScriptedSimulator {
    let role: String
    let linkPath: String
    let fault: String
    var sent: [JSONValue] = []
    var listCount = 0
    var revision: Int64 = 0
    /// The doses of the other side that silenced a reminder.
    var silencedCount = 0
    /// Whether events of single records are told.
    var tellsOfRecords = true
    /// Whether a load was sent.
    var hasLoaded = false
    /// When the link was closed and opened again.
    var cuts: [(closed: UInt64, opened: UInt64)] = []

    init(arguments: [String]) {
        let name = arguments.first?.split(separator: "/").last.map(String.init) ?? ""
        role = name == "PhoneSim" ? "phone" : "watch"
        let link = arguments.firstIndex(of: "--link").map { arguments[$0 + 1] } ?? "unix:/dev/null"
        linkPath = String(link.dropFirst("unix:".count))
        let planted = unsafe getenv("SCRIPTED_FAULT").map { unsafe String(cString: $0) } ?? ""
        let parts = planted.split(separator: ":").map(String.init)
        fault = [role, "both"].contains(parts.first) ? parts.last ?? "" : ""
    }

    var other: String { role == "phone" ? "watch" : "phone" }

    mutating func run() {
        switch fault {
        case "silent":
            note("waiting for nothing")
            while true { pause() }
        case "crash-at-start":
            for line in 1...30 { note("last words \(line)") }
            exit(3)
        case "garbage": put(Array("not json\n".utf8))
        default: break
        }
        var ready: JSONObject = [
            "event": "ready", "v": 1, "role": .string(role), "pid": .whole(getpid()), "seed": 1,
            "t_ns": .whole(now()),
            "sealed": .bool(!CommandLine.arguments.contains("--unsealed")), "paired": false,
        ]
        if fault == "release" { ready["build"] = "release" }
        write(.object(ready))
        while let line = readLine() {
            guard let command = try? JSONParser.parse(line).value, let id = command["id"] else {
                continue
            }
            if fault == "mute" { continue }
            let name = command["cmd"]?.string ?? ""
            if fault == "crash-at-\(name)" {
                note("about to fail in \(name)")
                // Swift's own handler would print a backtrace and go on: this is no real fault.
                signal(SIGSEGV, SIG_DFL)
                kill(getpid(), SIGSEGV)
            }
            var reply: JSONObject = ["id": id, "ok": true]
            answer(name, command, &reply)
            if name == "sync", let error = Self.refusals[fault] {
                reply = ["id": id, "ok": false, "error": error]
            }
            write(.object(reply))
            if name == "quit" {
                write(["event": "bye", "reason": "quit"])
                if fault == "stubborn" { while true { pause() } }
                exit(0)
            }
            finish(name, command)
        }
        if fault == "stubborn" { while true { pause() } }
    }

    /// The errors of a phone's reply to 'sync', each by the fault that causes it.
    private static let refusals: [String: JSONValue] = [
        "full": ["code": "queue_full", "records": 7],
        "large-set": ["code": "set_too_large", "limit_bytes": 4_194_304],
        "large-record": ["code": "too_large", "bytes": 300, "limit_bytes": 200],
        "odd": ["code": "journal_failed"],
    ]

    private mutating func answer(_ name: String, _ command: JSONValue, _ reply: inout JSONObject) {
        switch name {
        case "status":
            reply["activation"] = "activated"
            reply["reachable"] = .bool(fault != "unreachable" && fault != "old-link")
            if fault == "old-link" {
                write([
                    "event": "link.closed", "reason": "peer_too_old", "version": 1,
                    "own_version": 2,
                ])
            }
            let doses = othersRecords().filter { $0["kind"] == "dose" }
            if doses.count > silencedCount, tellsOfRecords {
                write([
                    "event": "reminder.silenced", "key": doses.last?["key"] ?? .null, "day": 1,
                    "entry": 480, "t_ns": .whole(now()),
                ])
            }
            silencedCount = doses.count
            reply["outstanding"] = fault == "stuck" || fault == "stuck-load" && hasLoaded ? 3 : 0
            reply["counters"] = [
                "bytes_written": .whole(sent.count * 130 + 90), "frames_resent": 0,
            ]
            // Both sides' word on the face is in a file.
            let face = (try? readFile("\(linkPath).face")) ?? []
            reply["complications"] = [
                "foreground": .bool(face.last != UInt8(ascii: "0")), "left": 47, "offered": 9,
                "reasons": ["pushed": 3, "merged": 2, "foreground": 4],
            ]
        case "app.report":
            let isAway = command["foreground"] == false
            append([UInt8(ascii: isAway ? "0" : "1")], to: "\(linkPath).face")
        case "complication.update":
            send("complication", "complication", key: "0", intended: now())
        case "import":
            let text = (try? readFile(command["path"]?.string ?? "")) ?? []
            listCount = (try? JSONParser.parse(text).value["medications"]?.array?.count) ?? 0
            reply["imported"] = .whole(listCount)
            reply["skipped"] = 0
        case "sync":
            // As the real one: what the watch has is not sent again.
            let known = sent.count(where: { $0["kind"] == "medication" })
            for index in known..<max(listCount, known) {
                send("context", "medication", key: "\(index)", intended: now())
            }
        case "store":
            let keys = Set(othersRecords().compactMap { $0["key"]?.string })
            reply["count"] = .whole(keys.count)
        case "face":
            reply["ages"] = [
                "count": 1000, "p50_ns": 1_000_000, "p99_ns": 2_000_000, "max_ns": 3_000_000,
                "stale_ns": 0,
            ]
        case "pair.show":
            reply["code"] = "123456"
            // The other one's entry is not seen from here.
            tellPairing()
        case "pair.enter": tellPairing()
        case "medication.change":
            let first = command["index"]?.integer ?? 0
            for index in first..<(first + (command["count"]?.integer ?? 1)) {
                send("context", "medication", key: "\(index)", intended: now())
            }
        case "dose.today":
            reply["doses"] = .array(
                (0..<40).map {
                    [
                        "key": .string("\($0)"), "day": 1, "entry": 480, "state": "open",
                        "phase": "snoozed",
                    ]
                })
        case "dose.record":
            for _ in 0..<(command["count"]?.integer ?? 1) {
                send("background", "dose", key: command["key"]?.string, intended: now())
            }
            write([
                "event": "complication.shown", "source": "timeline", "age_ns": 1_000_000,
            ])
        case "link.close": cuts.append((now(), .max))
        case "link.open": if !cuts.isEmpty { cuts[cuts.count - 1].opened = now() }
        case "trace.dump": dump(command, &reply)
        case "events":
            if let records = command["records"]?.bool { tellsOfRecords = records }
        case "quit", "load.start": break
        default:
            reply = ["id": reply["id"] ?? .null, "ok": false, "error": ["code": "unknown_command"]]
        }
    }

    private func tellPairing() {
        if fault == "unpaired" { return }
        if fault == "attacker" {
            write(["event": "pairing.failed", "reason": "not_authentic", "attempts_left": 2])
        } else if fault == "older" {
            write([
                "event": "pairing.advice", "meaning": "counterpart_too_new", "version": 2,
                "own_version": 1,
            ])
        } else {
            write(["event": "pairing.done", "pairing": "cc"])
        }
    }

    private mutating func finish(_ name: String, _ command: JSONValue) {
        if name == "link.open", fault != "untold" {
            write(["event": "synced", "settled": 1, "of": 1])
        }
        guard name == "load.start" else { return }
        hasLoaded = true
        let nanoseconds = (command["duration_ms"]?.unsigned ?? 0) * 1_000_000
        let begin = now()
        for row in command["mix"]?.array ?? [] {
            let kind = row["kind"]?.string ?? ""
            let count = UInt64((row["rate_per_s"]?.number ?? 0) * Double(nanoseconds) / 1e9)
            for index in 0..<count {
                let channel = kind == "message" ? "interactive" : "background"
                send(channel, kind, key: nil, intended: begin + index * nanoseconds / max(1, count))
            }
        }
        usleep(UInt32(nanoseconds / 1000))
        if fault == "given-up" {
            write(["event": "link.closed", "reason": "stalled", "t_ns": .whole(now())])
        }
        write(["event": "load.done", "sent": .whole(sent.count)])
    }

    private mutating func send(_ channel: String, _ kind: String, key: String?, intended: UInt64) {
        revision += 1
        var record: JSONObject = [
            "epoch": .string(role == "phone" ? "aa" : "bb"), "channel": .string(channel),
            "number": .whole(sent.count), "kind": .string(kind), "revision": .integer(revision),
            "intended_ns": .whole(intended), "sent_ns": .whole(intended + 1000),
            "settled": fault == "given-up" && channel == "interactive"
                ? "not_delivered" : "applied",
        ]
        record["key"] = key.map { .string($0) }
        if kind == "dose" { record["recorded_ns"] = .whole(intended + 500) }
        sent.append(.object(record))
        append(JSONWriter.line(.object(record)), to: "\(linkPath).\(role)")
    }

    private func othersRecords() -> [JSONValue] {
        let bytes = (try? readFile("\(linkPath).\(other)")) ?? []
        return ((try? JSONLines.parse(bytes)) ?? []).map(\.value)
    }

    private func dump(_ command: JSONValue, _ reply: inout JSONObject) {
        let after = Int(command["after"]?.integer ?? 0)
        let limit = Int(command["limit"]?.integer ?? 100)
        let others = othersRecords()
        var deliveries = others.map { record -> JSONValue in
            var delivery: JSONObject = [:]
            for name in ["epoch", "channel", "number", "kind", "key", "revision"] {
                delivery[name] = record[name]
            }
            let intended = record["intended_ns"]?.unsigned ?? 0
            let cut = cuts.first { $0.closed <= intended && intended <= $0.opened }
            delivery["delivered_ns"] = .whole((cut?.opened ?? intended) + 40_000)
            delivery["visible_ns"] = .whole(
                (cut?.opened ?? intended) + (fault == "slow" ? 110_000 : 50_000))
            return .object(delivery)
        }
        if fault == "lose", deliveries.count > 7 { deliveries.remove(at: 7) }
        if fault == "lose-measured" || fault == "given-up",
            let place = deliveries.lastIndex(where: { $0["kind"] != "medication" })
        {
            deliveries.remove(at: place)
        }
        if fault == "twice", let last = deliveries.last { deliveries.append(last) }
        reply["records"] = .array(Array(sent.dropFirst(after).prefix(limit)))
        reply["deliveries"] = .array(Array(deliveries.dropFirst(after).prefix(limit)))
        let isLast = after + limit >= max(sent.count, deliveries.count)
        reply["next"] = isLast ? .null : .whole(after + limit)
    }
}
