import CommandLine
import ControlProtocol
import PictureCoding
import Pictures
import ReferenceDevice
import Reports
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import Rig

/// `rig face`, as a user runs it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RigFaceTests {
    private func faces(_ arguments: [String]) throws -> [JSONValue] {
        let run = try RigProgram().run(["face", "--json", "--quiet"] + arguments)
        #expect(run.exitCode == 0 && run.stderr == "", "\(run.stderr)")
        return try #require(try JSONParser.parse(run.stdout).value["faces"]?.array)
    }

    private func texts(_ face: JSONValue) -> [String] {
        (face["lines"]?.array ?? []).compactMap { line in
            line["text"]?.string.map { text in
                String(text.filter { $0 != "\u{2068}" && $0 != "\u{2069}" })
            }
        }
    }

    private func write(_ text: String, _ name: String, _ rig: RigProgram) throws -> String {
        let path = "\(rig.directory)/\(name)"
        try Files.write(Array(text.utf8), to: path)
        return path
    }

    @Test func a_list_at_a_moment_with_its_doses() throws {
        let rig = try RigProgram()
        let list = try write(
            """
            {"format":"watchproto.medications/1","medications":[{"name":"Metformin",\
            "id":"00000000-0000-0000-0000-000000000001","strength":"500 mg",\
            "schedule":{"times":["08:00","20:00"]}}]}
            """, "one.json", rig)
        let time = ["--at", "2026-11-27T09:00", "--zone", "+01:00"]
        let face = try faces([list, "--family", "inline"] + time)
        #expect(face.map(texts) == [["Overdue 08:00 · Metformin 500 mg"]])
        let late = try faces([list, "--family", "inline", "--checked", "07:30"] + time)
        #expect(texts(late[0])[0].contains("not checked"))
        #expect(late[0]["accessibility"]?.string?.contains("Not checked since 07:30.") == true)
        let never = try faces([list, "--family", "inline", "--checked", "never"] + time)
        #expect(never[0]["accessibility"]?.string?.contains("Never checked.") == true)
        let other = try faces(
            [list, "--family", "inline", "--at", "2026-11-27T09:00", "--zone", "-05:00"])
        #expect(other.map(texts) == face.map(texts))
        let locked = try faces([list, "--locked"] + time)
        #expect(locked.count == 4 && !"\(locked)".contains("Metformin"))
    }

    @Test func a_reply_to_face() throws {
        let rig = try RigProgram()
        let now = Int(try WallMinute(#require(WallTime(iso8601: "2026-11-27T08:20:00Z"))).minutes)
        func reply(
            _ end: Int, checked: String = "null", source: String = "timeline"
        ) throws -> String {
            try write(
                """
                {"id":1,"ok":true,"complication":{"text":"Metformin","amount":"500 mg","taken":1,\
                "total":3,"overdue":0,"active":1,"due":1,"next_minute":\(now - 20),\
                "source":"\(source)","as_of_minute":null,"dose":{"phase":"due",\
                "due_minute":\(now - 20),"unchecked":false,"date_skipped":false}},\
                "timeline":{"end_minute":\(end),"checked_minute":\(checked)}}
                """, "reply.json", rig)
        }
        let time = ["--at", "2026-11-27T08:20", "--zone", "utc", "--family", "inline"]
        let fresh = try faces([try reply(now + 60)] + time)
        #expect(fresh.map(texts) == [["Due 08:00 · Metformin 500 mg"]])
        // A text of the phone's application is not drawn as the name of this dose.
        let text = try faces([try reply(now + 60, source: "phone")] + time)
        #expect(text.map(texts).joined().allSatisfy { $0.contains("Due") })
        #expect(!"\(text)".contains("Metformin"))
        let stale = try faces([try reply(now - 5)] + time)
        #expect(stale.map(texts) == [["due, as of 08:15 · Metfor… 500 mg"]])
        #expect(stale[0]["stale"] == true)
        let aged = try faces(
            [try reply(now + 60, checked: "\(now - 3)"), "--family", "rectangular"]
                + time.dropLast(2))
        #expect(texts(aged[0]).last == "1 of 3 taken, checked 3 min ago")
    }

    @Test func a_reply_with_a_picture_is_drawn_with_it() throws {
        let rig = try RigProgram()
        let rgb = [UInt8](repeating: 90, count: 3 * 40 * 30)
        let jpeg = try PictureWriter.jpeg(
            of: Bitmap(width: 40, height: 30, rgb: rgb), quality: 80)
        func run(_ picture: String) throws -> RigProgram.Outcome {
            let reply = try write(
                """
                {"text":"Metformin","amount":"500 mg","taken":0,"total":1,"next_minute":3702720,\
                "picture":{"jpeg_b64":"\(picture)"}}
                """, "reply.json", rig)
            return try rig.run(
                [
                    "face", reply, "--at", "2027-01-15T08:10", "--zone", "utc", "--out",
                    "\(rig.directory)/out",
                ])
        }
        let drawn = try run(Base64.encode(jpeg))
        #expect(drawn.exitCode == 0, "\(drawn.stderr)")
        let image = "data:image/jpeg;base64,\(Base64.encode(jpeg))"
        for (name, hasImage) in [
            ("rectangular-dark.svg", true), ("rectangular-tinted.svg", false),
            ("inline-dark.svg", false), ("face.html", true),
        ] {
            let text = String(
                decoding: try Files.read("\(rig.directory)/out/\(name)"), as: UTF8.self)
            #expect(text.contains(image) == hasImage, "\(name)")
        }
        let wrong = try run("AAAA")
        #expect(wrong.exitCode == 65 && wrong.stderr.contains("a baseline JPEG"))
    }

    @Test func every_state_in_every_mode_has_its_file() throws {
        let rig = try RigProgram()
        let out = "\(rig.directory)/out"
        let run = try rig.run(
            ["face", "--state", "all", "--at", "2026-11-27T09:30", "--zone", "utc", "--out", out])
        #expect(run.exitCode == 0, "\(run.stderr)")
        let names = Files.names(in: out)
        let drawings = FaceState.allCases.count * FaceFamily.allCases.count * 4
        #expect(names.count { $0.hasSuffix(".svg") } == drawings)
        for name in ["face.html", "face.txt", "face.json", "as-of-corner-always-on.svg"] {
            #expect(names.contains(name), "\(name)")
        }
        #expect(run.stdout.contains("[!] Overdue since 08:15"))
        #expect(run.stdout.contains("as of 09:10"))
        let again = try rig.run(["face", "--out", out], replacesRuns: false)
        #expect(again.exitCode == 73 && again.stderr.contains("--force"))
    }

    /// No file of somebody else is replaced, also with --force.
    @Test(arguments: ["face.json", "face.txt", "face.html", "inline-dark.svg"])
    func a_file_of_somebody_else_stays(name: String) throws {
        let rig = try RigProgram()
        let out = "\(rig.directory)/out"
        try Files.makeDirectory(out)
        try Files.write(Array("{}".utf8), to: "\(out)/\(name)")
        let run = try rig.run(["face", "--out", out])
        #expect(run.exitCode == 73)
        #expect(
            run.stderr.hasPrefix("Error: '\(out)/\(name)' is not a file of the rig, and stays.\n"),
            "\(run.stderr)")
        #expect(try Files.read("\(out)/\(name)") == Array("{}".utf8))
        #expect(Files.names(in: out) == [name])
    }

    @Test(arguments: ["08:15", "2026-11-27T08:15", "1999-12-31T23:59"])
    func a_local_time_reads_back(text: String) throws {
        #expect(try LocalMinute(argument: text).argumentText == text)
    }

    @Test(arguments: ["", "8:15", "24:00", "2026-02-30T08:00", "2026-11-27", "T08:15", "now"])
    func no_local_time(text: String) {
        #expect(throws: ArgumentFault.self) { try LocalMinute(argument: text) }
    }

    @Test func a_local_time_follows_daylight_saving() throws {
        // The offset changes from one hour to two at 01:00 UTC of the date.
        let change = WallMinute(try #require(WallTime(iso8601: "2026-03-29T01:00:00Z")))
        let zone = ZoneTimeline(
            ZoneOffset(clamping: 60), [.init(at: change, ZoneOffset(clamping: 120))])
        for (text, utc) in [("01:30", "00:30"), ("03:30", "01:30"), ("12:00", "10:00")] {
            let moment = try LocalMinute(argument: "2026-03-29T\(text)")
                .moment(now: change) { zone.offset(at: $0) }
            #expect(moment.wallTime.iso8601 == "2026-03-29T\(utc):00Z")
        }
    }
}
