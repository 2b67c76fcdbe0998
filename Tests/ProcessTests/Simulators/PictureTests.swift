import ControlProtocol
import Foundation
import PictureCoding
import Pictures
import Testing

/// Pictures of medications, between a phone and a watch (article *Commands and events*).
@Suite(.serialized, .timeLimit(.minutes(3))) final class PictureTests {
    private let bench = Bench()
    private let key: JSONValue = .string(String(repeating: "0a", count: 16))
    private let other: JSONValue = .string(String(repeating: "0b", count: 16))

    init() throws {
        for name in ["in-p", "in-w"] {
            try FileManager.default.createDirectory(
                atPath: bench.path(name), withIntermediateDirectories: false)
        }
    }

    deinit {
        for name in ["in-p", "in-w"] {
            try? FileManager.default.removeItem(atPath: bench.path(name))
        }
    }

    private func program(_ name: String, _ letter: String) throws -> Program {
        try Program(
            name,
            [
                "--link", bench.link(), "--journal", bench.path(letter), "--inbox",
                bench.path("in-\(letter)"),
            ])
    }

    private func pair() throws -> Pair {
        try Pair(bench, phone: program("PhoneSim", "p"), watch: program("WatchSim", "w"))
    }

    /// A photograph of a kind, as a file.
    private func photograph(_ name: String, shift: Int = 0, side: Int = 640) throws -> String {
        var rgb: [UInt8] = []
        for y in 0..<(side * 3 / 4) {
            for x in 0..<side {
                rgb.append(UInt8(truncatingIfNeeded: x / 3 + shift))
                rgb.append(UInt8(truncatingIfNeeded: y / 3))
                rgb.append(UInt8(truncatingIfNeeded: x &* y / 97))
            }
        }
        let picture = Bitmap(width: side, height: side * 3 / 4, rgb: rgb)
        let jpeg = try PictureWriter.jpeg(of: picture, quality: 90)
        let path = bench.path(name)
        try Data(jpeg).write(to: URL(filePath: path))
        return path
    }

    private func held(_ watch: Program) throws -> Int {
        try FileManager.default.contentsOfDirectory(
            atPath: bench.path("in-w/watchproto-pictures")
        ).count
    }

    private func size(_ reply: JSONValue) -> [JSONValue?] { [reply["width"], reply["height"]] }

    @Test func the_thumbnail_comes_first_and_the_whole_picture_when_it_is_asked_for() throws {
        let pair = try pair()
        let set = try pair.phone.call(
            "picture.set", ["key": key, "path": .string(try photograph("a.jpg"))])
        #expect(set["size"] == "thumbnail" && set["sent"] == true && size(set) == [96, 72])
        let small = try pair.watch.wait("picture.arrived")
        #expect(small["size"] == "thumbnail" && small["version"] == set["version"])
        // It came by itself, and the phone is not asked for it.
        let first = try pair.watch.call("picture.get", ["key": key])
        #expect(first["source"] == "disk" && first["fresh"] == true && size(first) == [96, 72])
        #expect(try pair.watch.call("picture.get", ["key": key])["source"] == "memory")
        #expect(try pair.watch.call("picture.status")["asked"] == 0)
        let whole = try pair.watch.call("picture.get", ["key": key, "size": "whole"])
        #expect(whole["source"] == "phone" && size(whole) == [400, 300])
        #expect(whole["version"] == set["version"])
        let again = try pair.watch.call("picture.get", ["key": key, "size": "whole", "side": 64])
        #expect(again["source"] == "disk" && size(again) == [64, 48])
        // By force the phone is asked: the thumbnail is confirmed, the whole picture comes anew.
        let forced: JSONValue = ["key": key, "refresh": true]
        #expect(try pair.watch.call("picture.get", forced)["source"] == "memory")
        let anew = try pair.watch.call(
            "picture.get", ["key": key, "refresh": true, "size": "whole"])
        #expect(anew["source"] == "phone" && anew["version"] == whole["version"])
        #expect(try pair.watch.call("picture.status")["asked"] == 3)
        // Nothing is left of the files that brought them.
        let inbox = try FileManager.default.contentsOfDirectory(atPath: bench.path("in-w"))
        #expect(inbox == ["watchproto-pictures"])
    }

    /// The record of the former offer has not ended yet when the next question comes.
    @Test func a_small_picture_that_is_asked_for_by_force_comes_each_time() throws {
        let pair = try pair()
        let path = try photograph("a.jpg", side: 16)
        try pair.phone.call("picture.set", ["key": key, "path": .string(path)])
        try pair.watch.wait("picture.arrived")
        let question: JSONValue = [
            "key": key, "size": "whole", "refresh": true, "timeout_ms": 8000,
        ]
        for turn in 1...12 {
            let reply = try pair.watch.call("picture.get", question)
            #expect(reply["problem"] == nil && reply["source"] == "phone", "\(turn): \(reply)")
            guard reply["problem"] == nil else { return }
        }
        // Each question brought one picture.
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        let came = pair.watch.events.filter { event in
            event["event"] == "picture.arrived" && event["size"] == "whole"
        }
        #expect(came.count == 12)
    }

    /// A picture from before the pairing: the thumbnail comes before the whole one.
    @Test func equal_commands_are_one_question() throws {
        let (phone, watch) = (try program("PhoneSim", "p"), try program("WatchSim", "w"))
        let path = try photograph("a.jpg")
        let set = try phone.call("picture.set", ["key": key, "path": .string(path)])
        #expect(set["sent"] == false)
        let pair = try Pair(bench, phone: phone, watch: watch)
        // In one piece, so that the watch reads all of them before the phone can reply.
        let commands = (1...9).map { number in
            """
            {"id":"q\(number)","cmd":"picture.get","key":"\(key.string ?? "")","size":"whole"}

            """
        }
        pair.watch.write(commands.joined())
        let last = try pair.watch.call("picture.get", ["key": key, "size": "whole"])
        try pair.watch.poll("status") { _ in
            (1...9).allSatisfy { number in
                pair.watch.others.contains { line in
                    line["id"] == .string("q\(number)")
                        && line["pixels_hash"] == last["pixels_hash"]
                }
            }
        }
        let status = try pair.watch.call("picture.status")
        #expect(status["asked"] == 1 && status["waiting"] == 0)
        #expect((status["joined"]?.integer ?? 0) >= 8)
        let order = pair.watch.events.filter { $0["event"] == "picture.arrived" }
        #expect(order.map { $0["size"] } == ["thumbnail", "whole"])
    }

    /// The watch waits for the whole picture of a version, and gets that of the next one: the
    /// change comes before its offer, while that is under way, or after it.
    @Test func a_picture_that_changes_while_the_watch_waits_comes_in_the_new_version() throws {
        let pair = try pair()
        let old = JSONValue.string(try photograph("a.jpg", side: 2400))
        for turn in 0...3 {
            let new = JSONValue.string(try photograph("b.jpg", shift: turn + 99, side: 320))
            try pair.phone.call("picture.set", ["key": key, "path": old])
            pair.watch.write(
                """
                {"id":"q\(turn)","cmd":"picture.get","key":"\(key.string ?? "")","size":"whole",\
                "refresh":true}

                """)
            usleep(UInt32(turn) * 60_000)
            let set = try pair.phone.call("picture.set", ["key": key, "path": new])
            try pair.watch.poll("picture.status", times: 1000) { status in
                status["waiting"] == 0
                    && pair.watch.others.contains { $0["id"] == .string("q\(turn)") }
            }
            let reply = pair.watch.others.first { $0["id"] == .string("q\(turn)") } ?? .null
            #expect(reply["ok"] == true && reply["problem"] == nil, "\(turn): \(reply)")
            try pair.watch.poll("picture.get", ["key": key, "size": "whole"]) {
                $0["version"] == set["version"]
            }
        }
    }

    /// The phone prepares a whole picture while it is told to remove it. In the end the watch has
    /// none in each order, nor has the phone after a restart.
    @Test func a_picture_that_is_removed_does_not_come_back() throws {
        var pair = try pair()
        let path = JSONValue.string(try photograph("a.jpg", side: 2400))
        for _ in 1...3 {
            try pair.phone.call("picture.set", ["key": key, "path": path])
            pair.watch.write(
                """
                {"id":"q","cmd":"picture.get","key":"\(key.string ?? "")","size":"whole"}

                """)
            usleep(UInt32.random(in: 0...120_000))
            try pair.phone.call("picture.remove", ["key": key])
            try pair.watch.wait("picture.removed")
            try pair.phone.poll("status") { $0["outstanding"] == 0 }
            try pair.watch.poll("picture.status") { $0["waiting"] == 0 && $0["count"] == 0 }
            usleep(200_000)
            #expect(try held(pair.watch) == 0)
        }
        pair.phone.signal(SIGKILL)
        #expect(try pair.phone.awaitEnd() == .signalled(SIGKILL))
        pair.phone = try program("PhoneSim", "p")
        try pair.phone.wait("reachability", ["reachable": true])
        try pair.watch.poll("status") { $0["reachable"] == true }
        #expect(try pair.watch.call("picture.list", ["refresh": true])["pictures"] == [])
    }

    /// The same picture again is no change, and the offer under way stays.
    @Test func the_same_picture_twice_without_a_link_arrives() throws {
        let pair = try pair()
        let path = JSONValue.string(try photograph("a.jpg"))
        try pair.phone.call("link.close")
        try pair.watch.wait("reachability", ["reachable": false])
        let first = try pair.phone.call("picture.set", ["key": key, "path": path])
        let second = try pair.phone.call("picture.set", ["key": key, "path": path])
        #expect(first["version"] == second["version"])
        try pair.phone.call("link.open")
        try pair.watch.wait("picture.arrived", ["version": first["version"] ?? .null])
        #expect(try held(pair.watch) == 1)
    }

    /// The journal goes on with the offers of a killed process. A picture that the next one
    /// changes or removes does not arrive, the same picture arrives once, and one whose removal the
    /// kill cut short stays removed.
    @Test func a_restarted_phone_knows_the_pictures_that_it_offers() throws {
        var pair = try pair()
        let first = JSONValue.string(try photograph("a.jpg"))
        let second = JSONValue.string(try photograph("b.jpg", shift: 99))
        let keys = ["1a", "1b", "1c", "1d"].map { String(repeating: $0, count: 16) }
        try pair.watch.call("link.close")
        try pair.phone.wait("reachability", ["reachable": false])
        for key in keys {
            let set = try pair.phone.call("picture.set", ["key": .string(key), "path": first])
            #expect(set["sent"] == true)
        }
        pair.phone.signal(SIGKILL)
        #expect(try pair.phone.awaitEnd() == .signalled(SIGKILL))
        for file in try shelf() where file.contains(keys[3]) && file.hasSuffix(".source") {
            try FileManager.default.removeItem(atPath: file)
        }
        pair.phone = try program("PhoneSim", "p")
        let changed = try pair.phone.call(
            "picture.set", ["key": .string(keys[0]), "path": second])
        try pair.phone.call("picture.remove", ["key": .string(keys[1])])
        let same = try pair.phone.call("picture.set", ["key": .string(keys[2]), "path": first])
        #expect(changed["sent"] == true && same["sent"] == true)
        try pair.watch.call("link.open")
        func arrived() -> [JSONValue] {
            pair.watch.events.filter { $0["event"] == "picture.arrived" }
        }
        try pair.watch.poll("picture.status") { _ in arrived().count >= 2 }
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        #expect(try pair.watch.call("picture.status")["count"] == 2)
        // In the order of the offers, of which the one from before the kill is the first.
        #expect(arrived().map { $0["key"] } == [same["key"], changed["key"]])
        #expect(arrived().map { $0["version"] } == [same["version"], changed["version"]])
        let ends = pair.phone.events.filter { event in
            event["event"] == "record.settled" && event[channelField] == "bulk"
        }
        #expect(ends.count { $0["outcome"] == "cancelled" } == 3, "\(ends)")
        #expect(ends.count { $0["outcome"] == "applied" } == 2 && ends.count == 5)
    }

    /// The link is slow, and the phone is killed in the middle of a whole picture. The watch has
    /// given up by then, and asks again: the offer from before the kill is the answer.
    @Test func a_whole_picture_under_way_outlives_its_phone_and_comes_once() throws {
        let slow = bench.path("slow.sock")
        let watch = try program("WatchSim", "w")
        let relay = SlowRelay(front: slow, back: bench.path("link.sock"), rate: 40_000)
        defer { relay.end() }
        func phone() throws -> Program {
            try Program(
                "PhoneSim",
                [
                    "--link", "unix:\(slow)", "--journal", bench.path("p"), "--inbox",
                    bench.path("in-p"),
                ])
        }
        var pair = try Pair(bench, phone: phone(), watch: watch)
        let path = JSONValue.string(try photograph("a.jpg", side: 1280))
        let set = try pair.phone.call("picture.set", ["key": key, "path": path])
        try pair.watch.wait("picture.arrived")
        let question: JSONValue = ["key": key, "size": "whole", "timeout_ms": 300]
        let first = try pair.watch.request("picture.get", question)
        #expect(first["error"]?["cause"] == "timed_out", "\(first)")
        var part: Int64 = 0
        var size: Int64 = 0
        try pair.watch.poll("status") { _ in
            let told = pair.watch.events.last { event in
                event["event"] == "file.progress" && (event["total"]?.integer ?? 0) > 10_000
            }
            (part, size) = (told?["done"]?.integer ?? 0, told?["total"]?.integer ?? 0)
            return part > 0
        }
        #expect(part < size)
        pair.phone.signal(SIGKILL)
        #expect(try pair.phone.awaitEnd() == .signalled(SIGKILL))
        pair.phone = try phone()
        try pair.phone.wait("reachability", ["reachable": true])
        try pair.watch.poll("status") { $0["reachable"] == true }
        let whole = try pair.watch.call("picture.get", ["key": key, "size": "whole"], within: 30)
        #expect(whole["source"] == "phone" && whole["version"] == set["version"], "\(whole)")
        try pair.phone.poll("status", times: 1000) { $0["outstanding"] == 0 }
        // Reads the events before its reply.
        try pair.watch.call("status")
        let came = pair.watch.events.filter { event in
            event["event"] == "picture.arrived" && event["size"] == "whole"
        }
        #expect(came.count == 1 && came.first?["bytes"]?.integer == size, "\(came)")
        // The phone that started again has offered nothing, and sent no durable byte again.
        let told = pair.phone.events.filter { $0["event"] == "file.progress" }
        #expect(Set(told.map { $0["total"]?.integer }) == [size])
        #expect(told.allSatisfy { ($0["done"]?.integer ?? 0) >= part }, "\(told)")
        let ends = pair.phone.events.filter { event in
            event["event"] == "record.settled" && event[channelField] == "bulk"
        }
        #expect(ends.count == 1, "\(ends)")
    }

    /// The phone stands still for a while. The time of the first command is over then, and the next
    /// one asks.
    @Test func a_question_without_an_answer_is_asked_again() throws {
        let pair = try pair()
        let set = try pair.phone.call(
            "picture.set", ["key": key, "path": .string(try photograph("a.jpg"))])
        try pair.watch.wait("picture.arrived")
        pair.phone.signal(SIGSTOP)
        for timeout in [300, 600] {
            pair.watch.write(
                """
                {"id":"q\(timeout)","cmd":"picture.get","key":"\(key.string ?? "")",\
                "size":"whole","timeout_ms":\(timeout)}

                """)
        }
        try pair.watch.poll("picture.status") { status in
            status["asked"] == 2
                && ["q300", "q600"].allSatisfy { id in
                    pair.watch.others.contains { line in
                        line["id"] == .string(id) && line["error"]?["code"] == "not_fetched"
                    }
                }
        }
        pair.phone.signal(SIGCONT)
        let whole = try pair.watch.call("picture.get", ["key": key, "size": "whole"])
        #expect(whole["version"] == set["version"])
    }

    private func shelf() throws -> [String] {
        let folder = bench.path("in-p/watchproto-pictures")
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .map { "\(folder)/\($0)" }
    }

    /// The phone's disk has lost the picture. The watch is told, and the same file mends it.
    @Test func a_picture_that_the_phone_has_lost_is_told_and_set_again() throws {
        let pair = try pair()
        let path = JSONValue.string(try photograph("a.jpg"))
        let set = try pair.phone.call("picture.set", ["key": key, "path": path])
        try pair.watch.wait("picture.arrived")
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        for file in try shelf() { try FileManager.default.removeItem(atPath: file) }
        let question: JSONValue = ["key": key, "size": "whole"]
        let refused = try pair.watch.request("picture.get", question)
        #expect(refused["error"]?["code"] == "not_fetched", "\(refused)")
        #expect(refused["error"]?["cause"] == "not_sent", "\(refused)")
        try pair.phone.call("picture.set", ["key": key, "path": path])
        #expect(try shelf().count == 2)
        let whole = try pair.watch.call("picture.get", question)
        #expect(whole["version"] == set["version"] && whole["source"] == "phone")
    }

    @Test func a_directory_that_is_gone_is_made_again() throws {
        let pair = try pair()
        let folder = bench.path("in-p/watchproto-pictures")
        let paths = try ["a.jpg", "b.jpg"].enumerated().map { number, name in
            JSONValue.string(try photograph(name, shift: 99 * number))
        }
        try pair.phone.call("picture.set", ["key": key, "path": paths[0]])
        try pair.watch.wait("picture.arrived")
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        try FileManager.default.removeItem(atPath: folder)
        let set = try pair.phone.call("picture.set", ["key": key, "path": paths[1]])
        let whole = try pair.watch.call(
            "picture.get", ["key": key, "size": "whole", "refresh": true])
        #expect(whole["version"] == set["version"] && whole["problem"] == nil)
        try FileManager.default.removeItem(atPath: folder)
        try pair.phone.call("picture.remove", ["key": key])
        try pair.watch.wait("picture.removed")
    }

    /// A JPEG that was prepared has lost its second half.
    @Test func a_damaged_file_is_prepared_anew() throws {
        let pair = try pair()
        let path = JSONValue.string(try photograph("a.jpg"))
        try pair.phone.call("picture.set", ["key": key, "path": path])
        let question: JSONValue = ["key": key, "size": "whole", "refresh": true]
        try pair.watch.call("picture.get", question)
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        let file = try #require(try shelf().first { $0.contains("-2-") })
        let jpeg = try Data(contentsOf: URL(filePath: file))
        try jpeg.prefix(jpeg.count / 2).write(to: URL(filePath: file))
        let again = try pair.watch.call("picture.get", question)
        #expect(again["problem"] == nil && again["source"] == "phone", "\(again)")
        #expect(size(again) == [400, 300])
    }

    /// Each command has its reply, also at the end.
    @Test func commands_are_refused_when_the_process_ends() throws {
        let pair = try pair()
        let path = try photograph("a.jpg", side: 2000)
        pair.phone.write(
            """
            {"id":"set","cmd":"picture.set","key":"1","path":"\(path)"}

            """)
        let reply = try pair.phone.call("quit")
        #expect(reply["ok"] == true)
        let lines = try pair.phone.others + pair.phone.rest()
        let end = lines.filter { $0["id"] == "set" }
        #expect(end.count == 1, "\(lines)")
    }

    @Test func a_change_and_a_removal_reach_the_watch() throws {
        let pair = try pair()
        try pair.phone.call(
            "picture.set", ["key": key, "path": .string(try photograph("a.jpg"))])
        try pair.watch.wait("picture.arrived")
        let former = try pair.watch.call("picture.get", ["key": key, "size": "whole"])
        let set = try pair.phone.call(
            "picture.set", ["key": key, "path": .string(try photograph("b.jpg", shift: 99))])
        #expect(set["version"] != former["version"])
        try pair.watch.wait("picture.arrived", ["version": set["version"] ?? .null])
        #expect(try held(pair.watch) == 1)
        let whole = try pair.watch.call("picture.get", ["key": key, "size": "whole"])
        #expect(whole["version"] == set["version"] && whole["pixels_hash"] != former["pixels_hash"])
        try pair.phone.call("picture.remove", ["key": key])
        try pair.watch.wait("picture.removed", ["key": key])
        let gone = try pair.watch.request("picture.get", ["key": key])
        #expect(gone["error"]?["code"] == "no_picture")
        #expect(try held(pair.watch) == 0)
        let twice = try pair.phone.request("picture.remove", ["key": key])
        #expect(twice["error"]?["code"] == "no_picture")
    }

    @Test func a_list_is_asked_for_in_pages_and_kept_for_a_while() throws {
        let pair = try pair()
        let path = try photograph("a.jpg", side: 40)
        for number in 1...23 {
            let key = JSONValue.string(String(number, radix: 16))
            try pair.phone.call("picture.set", ["key": key, "path": .string(path)])
        }
        // A list that changes while it comes is not kept.
        try pair.watch.poll("picture.status") { $0["count"] == 23 }
        let list = try pair.watch.call("picture.list")
        #expect(list["pictures"]?.array?.count == 23 && list["fresh"] == true)
        try pair.watch.call("picture.list")
        #expect(try pair.watch.call("picture.status")["hits"]?["list"] == 1)
        // Twenty seconds by its clock later, the list is asked for again.
        let now = try pair.watch.call("clock.set")["at_ms"]?.integer ?? 0
        try pair.watch.call("clock.set", ["at_ms": .integer(now + 21_000)])
        try pair.watch.call("picture.list")
        #expect(try pair.watch.call("picture.status")["hits"]?["list"] == 1)
    }

    @Test func a_picture_of_five_minutes_ago_is_asked_for_and_not_sent_again() throws {
        let pair = try pair()
        try pair.phone.call(
            "picture.set", ["key": key, "path": .string(try photograph("a.jpg"))])
        try pair.watch.wait("picture.arrived")
        let now = try pair.watch.call("clock.set")["at_ms"]?.integer ?? 0
        try pair.watch.call("clock.set", ["at_ms": .integer(now + 301_000)])
        let confirmed = try pair.watch.call("picture.get", ["key": key])
        #expect(confirmed["fresh"] == true && confirmed["source"] != "phone")
        #expect(try pair.watch.call("picture.status")["asked"] == 1)
        // Without a link, the one that is held is better than none, and says so.
        try pair.phone.call("link.close")
        try pair.watch.wait("reachability", ["reachable": false])
        try pair.watch.call("clock.set", ["at_ms": .integer(now + 1_000_000)])
        let stale = try pair.watch.call("picture.get", ["key": key, "timeout_ms": 500])
        #expect(stale["fresh"] == false && stale["problem"]?["code"] != nil)
        #expect(stale["pixels_hash"] == confirmed["pixels_hash"])
    }

    @Test func pictures_outlive_both_processes() throws {
        var pair = try pair()
        try pair.phone.call(
            "picture.set", ["key": key, "path": .string(try photograph("a.jpg"))])
        try pair.watch.wait("picture.arrived")
        let before = try pair.watch.call("picture.get", ["key": key])
        for program in [pair.phone, pair.watch] {
            program.signal(SIGKILL)
            #expect(try program.awaitEnd() == .signalled(SIGKILL))
        }
        pair = try self.pair()
        let after = try pair.watch.call("picture.get", ["key": key])
        #expect(after["source"] == "disk" && after["pixels_hash"] == before["pixels_hash"])
        let whole = try pair.watch.call("picture.get", ["key": key, "size": "whole"])
        #expect(whole["version"] == before["version"])
        let shed = try pair.watch.call("memory.pressure", ["level": "warning"])
        #expect(shed["pictures"] == 1 && shed["bytes"] == 360_000)
        let rest = try pair.watch.call("memory.pressure", ["level": "critical"])
        #expect(rest["pictures"] == 1 && rest["memory_bytes"] == 0)
    }

    /// A refused picture has changed nothing.
    @Test func what_is_no_picture_is_refused() throws {
        let pair = try pair()
        let path = try photograph("a.jpg")
        let set = try pair.phone.call("picture.set", ["key": key, "path": .string(path)])
        let whole = try Data(contentsOf: URL(filePath: path))
        bench.write("no picture", to: bench.path("text.jpg"))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: bench.path("half.jpg")))
        for name in ["text.jpg", "half.jpg"] {
            let path = JSONValue.string(bench.path(name))
            let reply = try pair.phone.request("picture.set", ["key": key, "path": path])
            #expect(reply["error"]?["code"] == "not_a_picture", "\(reply)")
        }
        let none = try pair.phone.request("picture.set", ["key": key, "path": "/no/such/file"])
        #expect(none["error"]?["code"] == "file_missing")
        let list = try pair.watch.call("picture.list")["pictures"]?.array ?? []
        #expect(list.map { $0["version"] } == [set["version"]])
        let unknown = try pair.watch.request("picture.get", ["key": other])
        #expect(unknown["error"]?["code"] == "no_picture")
        let size = try pair.watch.request("picture.get", ["key": key, "size": "huge"])
        #expect(size["error"]?["expected"] == "'thumbnail' or 'whole'")
    }

    @Test func a_device_without_a_directory_says_so() throws {
        let pair = try Pair(bench)
        let set = try pair.phone.request(
            "picture.set", ["key": key, "path": .string(try photograph("a.jpg"))])
        #expect(set["error"]?["code"] == "no_directory")
        let get = try pair.watch.request("picture.get", ["key": key])
        #expect(get["error"]?["code"] == "no_directory")
    }
}
