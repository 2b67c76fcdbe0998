import ControlProtocol
import Foundation
import PictureCoding
import Pictures
import Testing

/// Pictures of medications on the face of a watch (article *Commands and events*).
@Suite(.serialized, .timeLimit(.minutes(3))) final class FacePictureTests {
    private let bench = Bench()
    private let key: JSONValue = .string(String(repeating: "0a", count: 16))
    private let folders = ["in-p", "in-q", "in-w", "in-a"]
    /// 2027-01-15T08:00Z.
    private static let eight: Int64 = 1_800_000_000_000

    init() throws {
        for name in folders {
            try FileManager.default.createDirectory(
                atPath: bench.path(name), withIntermediateDirectories: false)
        }
    }

    deinit {
        for name in folders { try? FileManager.default.removeItem(atPath: bench.path(name)) }
    }

    private func program(_ name: String, _ letter: String, link: String? = nil) throws -> Program {
        let program = try Program(
            name,
            [
                "--link", link ?? bench.link(), "--journal", bench.path(letter), "--inbox",
                bench.path("in-\(letter)"),
            ])
        try set([program], to: -10)
        return program
    }

    private func pair(phone: Program? = nil) throws -> Pair {
        try Pair(bench, phone: phone ?? program("PhoneSim", "p"), watch: program("WatchSim", "w"))
    }

    private func set(_ programs: [Program], to minutes: Int64) throws {
        for program in programs {
            try program.call(
                "clock.set",
                ["at_ms": .integer(Self.eight + minutes * 60_000), "zone_minutes": 0])
        }
    }

    /// A list of one medication with a dose at eight.
    private func list() -> String {
        let id = "0a0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a"
        let list: JSONValue = [
            "format": "watchproto.medications/1",
            "medications": [
                [
                    "id": .string(id), "name": "Metformin", "strength": "500 mg",
                    "schedule": ["times": ["08:00"]], "createdAt": "2026-01-01T00:00:00Z",
                ]
            ],
        ]
        bench.write(JSONWriter.text(list), to: bench.path("one.json"))
        return bench.path("one.json")
    }

    private func photograph(_ name: String, shift: Int = 0) throws -> JSONValue {
        var rgb: [UInt8] = []
        for y in 0..<480 {
            for x in 0..<640 {
                rgb.append(UInt8(truncatingIfNeeded: x / 3 + shift))
                rgb.append(UInt8(truncatingIfNeeded: y / 3))
                rgb.append(90)
            }
        }
        let bitmap = Bitmap(width: 640, height: 480, rgb: rgb)
        let jpeg = try PictureWriter.jpeg(of: bitmap, quality: 90)
        try Data(jpeg).write(to: URL(filePath: bench.path(name)))
        return .string(bench.path(name))
    }

    private func face(_ watch: Program, _ fields: JSONValue = [:]) throws -> JSONValue {
        try watch.call("face", fields)["complication"] ?? .null
    }

    /// Waits until the face shows a picture of a version, or none.
    @discardableResult
    private func poll(
        _ watch: Program, _ version: JSONValue?, size: String = "thumbnail"
    ) throws -> JSONValue {
        let reply = try watch.poll("face", times: 1500) { reply in
            let picture = reply["complication"]?["picture"] ?? .null
            guard let version else { return picture == .null }
            return picture["version"] == version && picture["size"] == .string(size)
        }
        return reply["complication"]?["picture"] ?? .null
    }

    @Test func the_face_of_a_due_dose_shows_the_thumbnail_until_it_is_removed() throws {
        let pair = try pair()
        try pair.synchronize(list())
        #expect(try face(pair.watch)["picture"] == .null)
        let set = try pair.phone.call(
            "picture.set", ["key": key, "path": try photograph("a.jpg")])
        let came = try pair.watch.wait("complication.shown", ["source": "picture"])
        #expect(came["picture"]?["version"] == set["version"] && came["text"] == "Metformin")
        try self.set([pair.phone, pair.watch], to: 1)
        let due = try pair.watch.poll("face") { $0["complication"]?["dose"]?["phase"] == "due" }
        let picture = try #require(due["complication"]?["picture"])
        let stored = try pair.watch.call("picture.get", ["key": key])
        for member in ["key", "size", "version", "width", "height", "pixels_hash"] {
            #expect(picture[member] == stored[member], "\(member)")
        }
        #expect(picture["width"] == 96 && picture["height"] == 72)
        #expect(picture["version"] == set["version"])
        // Its JPEG is that of the watch.
        let text = try face(pair.watch, ["jpeg": true])["picture"]?["jpeg_b64"]?.string ?? ""
        let bitmap = try BaselineDecoder.decode(try Base64.decode(text), fitting: 96)
        #expect(bitmap.width == 96 && bitmap.height == 72)
        // Another picture, and none.
        let next = try pair.phone.call(
            "picture.set", ["key": key, "path": try photograph("b.jpg", shift: 99)])
        let changed = try poll(pair.watch, next["version"])
        #expect(changed["pixels_hash"] != picture["pixels_hash"])
        try pair.phone.call("picture.remove", ["key": key])
        try pair.watch.wait("complication.shown", ["source": "picture", "picture": .null])
        let bare = try face(pair.watch)
        #expect(bare["picture"] == .null && bare["text"] == "Metformin")
        #expect(bare["amount"] == "500 mg")
    }

    /// The phone had the picture before the watch was paired: it does not send it by itself.
    @Test func a_picture_that_the_watch_lacks_is_asked_for_once() throws {
        let phone = try program("PhoneSim", "p")
        let set = try phone.call("picture.set", ["key": key, "path": try photograph("a.jpg")])
        #expect(set["sent"] == false)
        let pair = try pair(phone: phone)
        try pair.synchronize(list())
        try poll(pair.watch, set["version"])
        #expect(try pair.watch.call("picture.status")["asked"] == 1)
        // The file is damaged while the watch is off, and there is no link at its next start.
        pair.watch.signal(SIGKILL)
        _ = try pair.watch.awaitEnd()
        try phone.call("link.close")
        let folder = bench.path("in-w/watchproto-pictures")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try Data([1, 2]).write(to: URL(filePath: "\(folder)/\(file)"))
        }
        let watch = try program("WatchSim", "w")
        try watch.poll("picture.status") { $0["count"] == 0 && $0["unreadable"] == 1 }
        #expect(try face(watch)["picture"] == .null)
        try phone.call("link.open")
        try poll(watch, set["version"])
        // Without a picture, one question is enough.
        try phone.call("picture.remove", ["key": key])
        try poll(watch, nil)
        let asked = try watch.poll("picture.status") { $0["waiting"] == 0 }["asked"]
        for locked in [true, false, true, false] {
            try watch.call("app.report", ["locked": .bool(locked)])
            #expect(try face(watch)["picture"] == .null)
        }
        let later = try watch.call("picture.status")["asked"]
        #expect((later?.integer ?? 0) - (asked?.integer ?? 0) <= 1)
    }

    @Test func the_wearer_opens_the_medication_and_locks_the_watch() throws {
        let pair = try pair()
        let none = try pair.watch.request("face.open")
        #expect(none["error"]?["code"] == "no_medication")
        try pair.synchronize(list())
        let version = try pair.phone.call(
            "picture.set", ["key": key, "path": try photograph("a.jpg")])["version"]
        try poll(pair.watch, version)
        #expect(try pair.watch.call("face.open")["key"] == key)
        let whole = try poll(pair.watch, version, size: "whole")
        #expect(whole["width"] == 400 && whole["height"] == 300)
        // The thumbnail stays in memory, also if it comes once more.
        try pair.phone.call("picture.set", ["key": key, "path": try photograph("a.jpg")])
        try pair.watch.poll("picture.status") { _ in
            pair.watch.events.count {
                $0["event"] == "picture.arrived" && $0["size"] == "thumbnail"
            } > 1
        }
        try pair.watch.call("face.close")
        // The face has it at once.
        #expect(try face(pair.watch)["picture"]?["size"] == "thumbnail")
        try pair.watch.call("app.report", ["locked": true])
        let locked = try face(pair.watch, ["jpeg": true])
        #expect(locked["picture"] == .null && locked["text"] == "")
        #expect(try pair.watch.request("face.open")["error"]?["code"] == "no_medication")
        try pair.watch.call("app.report", ["locked": false])
        #expect(try face(pair.watch)["picture"]?["version"] == version)
        // After the decoded pictures went, the face comes first and its picture follows.
        try pair.watch.call("app.report", ["locked": true])
        _ = try face(pair.watch)
        try pair.watch.call("memory.pressure", ["level": "critical"])
        try pair.watch.call("app.report", ["locked": false])
        try poll(pair.watch, version)
        let shown = pair.watch.events.filter { $0["event"] == "complication.shown" }.suffix(2)
        #expect(shown.map { $0["source"] } == ["timeline", "picture"])
        #expect(shown.map { $0["picture"] == .null } == [true, false])
        // A text of the phone has no picture.
        try pair.phone.call("complication.update", ["text": "drink water"])
        try poll(pair.watch, nil)
        #expect(try face(pair.watch)["text"] == "drink water")
    }

    /// Another phone has the same medication, and no picture of it.
    @Test func a_former_phone_s_picture_is_not_shown() throws {
        let pair = try pair()
        try pair.synchronize(list())
        let path = try photograph("a.jpg")
        let version = try pair.phone.call("picture.set", ["key": key, "path": path])["version"]
        try poll(pair.watch, version)
        let pairing = try pair.watch.call("pair.list")["pairings"]?.array?.first?["pairing"]
        for device in [pair.phone, pair.watch] {
            try device.call("pair.forget", ["pairing": pairing ?? .null])
        }
        #expect(try face(pair.watch) == .null)
        try pair.phone.call("quit")
        _ = try pair.phone.awaitEnd()
        let other = try Pair(bench, phone: program("PhoneSim", "q"), watch: pair.watch)
        try other.synchronize(list())
        try other.watch.poll("face") { $0["complication"]?["text"] == "Metformin" }
        try other.watch.poll("picture.status") { status in
            (status["asked"]?.integer ?? 0) > 1 && status["waiting"] == 0
        }
        #expect(try face(other.watch)["picture"] == .null)
        let shown = other.watch.events.filter { $0["event"] == "complication.shown" }
        #expect(shown.last?["text"] == "Metformin")
        #expect((shown.last?["picture"] ?? .null) == .null)
    }

    /// A file that is under way may end after the message about the removal.
    @Test func a_removal_counts_for_a_picture_that_is_under_way() throws {
        let pair = try pair()
        try pair.synchronize(list())
        let path = try photograph("a.jpg")
        let keys = (10..<40).map { JSONValue.string(String(repeating: "\($0)", count: 16)) }
        for (place, key) in keys.enumerated() {
            try pair.phone.call("picture.set", ["key": key, "path": path])
            usleep(UInt32(place) * 3000)
            try pair.phone.call("picture.remove", ["key": key])
        }
        for key in keys {
            let reply = try pair.watch.request("picture.get", ["key": key])
            #expect(reply["error"]?["code"] == "no_picture", "\(key)")
        }
    }

    @Test func a_watch_that_is_connected_and_not_active_hears_of_changes() throws {
        func link(_ name: String) -> String { "unix:\(bench.path("\(name).sock"))" }
        let phone = try program("PhoneSim", "p", link: link("w"))
        let watches = [
            "a": try program("WatchSim", "a", link: link("a")),
            "w": try program("WatchSim", "w", link: link("w")),
        ]
        try phone.call("import", ["path": .string(list())])
        var first: JSONValue = .null
        for name in ["a", "w"] {
            let watch = try #require(watches[name])
            let code = try watch.call("pair.show", ["confirmed": true])["code"] ?? .null
            let at = JSONValue.string(link(name))
            try phone.call("pair.enter", ["code": code, "confirmed": true, "link": at])
            let pairing = try phone.wait("pairing.done")["pairing"] ?? .null
            try phone.wait("activation", ["state": "activated", "pairing": pairing])
            try phone.call("sync")
            try watch.poll("store") { $0["count"] == 1 }
            if name == "a" { first = pairing }
        }
        try phone.call("link.open", ["pairing": first, "link": .string(link("a"))])
        try phone.wait("watch.reachability", ["pairing": first, "reachable": true])
        let set = try phone.call("picture.set", ["key": key, "path": try photograph("a.jpg")])
        for watch in watches.values { try poll(watch, set["version"]) }
        try phone.call("picture.remove", ["key": key])
        for watch in watches.values { try poll(watch, nil) }
        // A picture is removed when its offer waits for a session with the other watch.
        let (active, other) = (try #require(watches["w"]), try #require(watches["a"]))
        try other.call("link.close")
        try phone.wait("watch.reachability", ["pairing": first, "reachable": false])
        let next = try phone.call(
            "picture.set", ["key": key, "path": try photograph("b.jpg", shift: 99)])
        try poll(active, next["version"])
        try phone.poll("status") { $0["outstanding"] == 0 }
        try phone.call("link.close", ["pairing": first])
        try phone.call("picture.remove", ["key": key])
        try phone.call("link.open", ["pairing": first, "link": .string(link("a"))])
        // Its reply comes after the look at the offers of the session.
        _ = try phone.request("picture.remove", ["key": key])
        try other.call("link.open")
        try phone.wait("record.settled", [channelField: "bulk", "outcome": "cancelled"])
        try other.call("picture.status")
        #expect(!other.events.contains { $0["version"] == next["version"] })
    }
}
