import CommandLine
import ControlProtocol
import Foundation
import Glibc
import ReferenceDevice
import Testing
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoSecurity
import WatchProtoTransport

/// A watch belongs to one phone: what a new pairing makes of the one whose place it takes.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorRepairingTests {
    let bench = Bench()

    func start(_ program: String, _ file: String?, _ more: [String] = []) throws -> Program {
        let journal = file.map { ["--journal", bench.path($0)] } ?? []
        return try Program(program, ["--link", bench.link()] + journal + more)
    }

    /// Pairs the two; gives what the watch said of it.
    @discardableResult
    func pair(
        _ watch: Program, _ phone: Program, keepingDoses: Bool = false
    ) throws -> JSONValue {
        let words: JSONValue = ["confirmed": true, "keep_doses": .bool(keepingDoses)]
        let code = try watch.call("pair.show", words)["code"] ?? .null
        try phone.call("pair.enter", ["code": code, "confirmed": true])
        try phone.wait("pairing.done")
        let done = try watch.wait("pairing.done")
        try phone.wait("reachability", ["reachable": true])
        return done
    }

    private func synchronize(_ watch: Program, _ phone: Program) throws {
        try phone.call("sync")
        let digest = try phone.call("list")["digest"]
        try watch.poll("store") { $0["digest"] == digest }
    }

    func end(_ programs: Program...) throws {
        for program in programs {
            try program.call("quit")
            _ = try program.awaitEnd()
        }
    }

    /// Whether a journal, or its log, holds this text.
    func holds(_ text: String, _ name: String) -> Bool {
        [name, name + "-wal"].contains { name in
            ((try? Files.read(bench.path(name))) ?? []).contains(Array(text.utf8))
        }
    }

    private func doses(_ watch: Program) throws -> JSONValue? {
        try watch.call("dose.history")["count"]
    }

    @Test(arguments: [true, false])
    func what_was_removed_before_pairing_anew_leaves_the_wrist(files: Bool) throws {
        let watch = try start("WatchSim", files ? "w" : nil)
        let phone = try start("PhoneSim", files ? "p" : nil)
        try pair(watch, phone)
        try phone.call("import", ["path": .string(bench.list())])
        try synchronize(watch, phone)
        #expect(try watch.call("store")["count"] == 20)
        // The removal is queued under the former pairing, and never leaves.
        try phone.call("link.close")
        try phone.call("medication.remove", ["index": 0])
        let done = try pair(watch, phone)
        #expect(done["requeued"] == 0 && done["erased"] == 0)
        #expect(try watch.call("store")["count"] == 0)
        #expect(try watch.call("medication.list")["medications"] == [])
        #expect(try watch.call("face")["next_dose"] == .null)
        try synchronize(watch, phone)
        #expect(try watch.call("store")["count"] == 19)
        guard files else { return }
        // And so it is in the file.
        try end(watch)
        let again = try start("WatchSim", "w")
        #expect(try again.call("store")["count"] == 19)
        #expect(try again.call("pair.list")["pairings"]?.array?.count == 1)
    }

    @Test(arguments: [true, false])
    func doses_that_wait_reach_the_phone_under_the_new_pairing(files: Bool) throws {
        let watch = try start("WatchSim", files ? "w" : nil)
        let phone = try start("PhoneSim", files ? "p" : nil)
        try pair(watch, phone)
        try phone.call("import", ["path": .string(bench.list())])
        try synchronize(watch, phone)
        try watch.call("dose.record", ["index": 0])
        try phone.poll("list") { $0["doses"] == 1 }
        try watch.poll("status") { $0["outstanding"] == 0 }
        try phone.call("link.close")
        try watch.call("dose.record", ["index": 1, "count": 3])
        try watch.call("send", ["kind": "user_info", "payload_b64": "AAAA"])
        let done = try pair(watch, phone)
        #expect(done["requeued"] == 0 && done["erased"] == 1, "the ledger has the doses")
        try phone.poll("list") { $0["doses"] == 4 }
        try watch.poll("status") { $0["outstanding"] == 0 }
        #expect(try phone.call("list")["doses"] == 4)
        // The doses that the watch recorded are its own, and stay.
        #expect(try watch.call("store")["doses"] == 4)
        #expect(try doses(watch) == 4)
    }

    /// Records that are sent once reach the watch; records that `sync` brings anyway are erased,
    /// and counted.
    @Test(arguments: [true, false])
    func what_a_phone_queued_reaches_its_watch_under_the_new_pairing(files: Bool) throws {
        let inbox = bench.path("in")
        try FileManager.default.createDirectory(
            atPath: inbox, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: inbox) }
        let watch = try start("WatchSim", files ? "w" : nil, ["--inbox", inbox])
        let phone = try start("PhoneSim", files ? "p" : nil)
        try pair(watch, phone)
        let list = bench.list()
        try phone.call("import", ["path": .string(list)])
        try synchronize(watch, phone)
        // The watch has the list before the phone has heard so.
        try phone.poll("status") { $0["outstanding"] == 0 }
        try phone.call("link.close")
        try phone.call("medication.change", ["index": 0])
        for kind in ["user_info", "context"] {
            try phone.call("send", ["kind": .string(kind), "payload_b64": "AAAA"])
        }
        try phone.call("send", ["kind": "file", "path": .string(list)])
        let before = phone.events.count
        try pair(watch, phone)
        let done = phone.events[before...].last { $0["event"] == "pairing.done" }
        #expect(done?["requeued"] == 3, "what was said once")
        #expect(done?["erased"] == 1, "a change of the list")
        try watch.poll("status") { _ in
            let arrived = watch.events.filter { $0["event"] == "record.arrived" }
            return arrived.compactMap { $0["kind"]?.string }.sorted()
                == ["context", "file", "user_info"]
        }
        try phone.poll("status") { $0["outstanding"] == 0 }
        #expect(try phone.call("pair.list")["pairings"]?.array?.count == 1)
        try synchronize(watch, phone)
        guard files else { return }
        // It was taken up once and for all.
        try phone.poll("status") { $0["outstanding"] == 0 }
        let count = watch.events.count { $0["event"] == "record.arrived" }
        try end(phone)
        let again = try start("PhoneSim", "p")
        try again.poll("status") { $0["reachable"] == true && $0["outstanding"] == 0 }
        try watch.call("status")
        #expect(watch.events.count { $0["event"] == "record.arrived" } == count)
    }

    @Test func forgetting_a_watch_after_pairing_anew_leaves_nothing_of_what_was_queued() throws {
        let watch = try start("WatchSim", "w")
        let phone = try start("PhoneSim", "p")
        try pair(watch, phone)
        try phone.call("link.close")
        let secret = JSONValue.string(Base64.encode(Array("SECRETWORD for the watch".utf8)))
        for priority in ["normal", "low"] {
            try phone.call(
                "send",
                ["kind": "user_info", "priority": .string(priority), "payload_b64": secret])
        }
        #expect(holds("SECRETWORD", "p"))
        let pairing = try pair(watch, phone)["pairing"] ?? .null
        try phone.call("pair.forget", ["pairing": pairing])
        #expect(try phone.call("pair.list")["pairings"] == [])
        try end(phone)
        #expect(!holds("SECRETWORD", "p"))
    }

    /// A watch whose phone has one dose of it and has ended, and that has recorded two more since.
    private func watchWithoutItsPhone() throws -> Program {
        let watch = try start("WatchSim", "w")
        let first = try start("PhoneSim", "p")
        try pair(watch, first)
        try first.call("import", ["path": .string(bench.list())])
        try synchronize(watch, first)
        try watch.call("dose.record", ["index": 0])
        try first.poll("list") { $0["doses"] == 1 }
        try watch.poll("status") { $0["outstanding"] == 0 }
        try end(first)
        try watch.wait("reachability", ["reachable": false])
        try watch.call("dose.record", ["index": 1, "count": 2])
        return watch
    }

    @Test func another_phone_finds_nothing_of_the_first_and_the_watch_says_what_is_lost() throws {
        let watch = try watchWithoutItsPhone()
        #expect(holds("Medicine 7", "w"))

        let second = try start("PhoneSim", "q")
        let done = try pair(watch, second)
        #expect(done["requeued"] == 0 && done["erased"] == 2)
        #expect(try watch.call("store")["count"] == 0)
        #expect(try watch.call("store")["doses"] == 0)
        #expect(try doses(watch) == 0)
        #expect(try watch.call("face")["complication"] == .null)
        #expect(!holds("Medicine 7", "w"))
        let rows = try watch.call("pair.list")["pairings"]?.array ?? []
        #expect(rows.map { $0["pairing"] } == [done["pairing"]])
        #expect(
            try watch.request("dose.record", ["index": 0])["error"]?["code"] == "no_medication")
        try second.call("import", ["path": .string(bench.list(count: 3))])
        try synchronize(watch, second)
        #expect(try watch.call("store")["count"] == 3)
        #expect(try second.call("list")["doses"] == 0)
        // The phone that was replaced finds nobody any more.
        try end(second)
        let former = try start("PhoneSim", "p")
        let refused = try former.wait("link.closed")
        #expect(
            ["wrong_peer", "not_authentic", "carrier"].contains(refused["reason"]?.string ?? ""))
        #expect(try watch.call("store")["count"] == 3)
    }

    /// It has other keys, and a list of its own that it imports again.
    @Test func a_phone_that_was_wiped_learns_the_doses_that_the_watch_keeps() throws {
        let watch = try watchWithoutItsPhone()
        let second = try start("PhoneSim", "q")
        try pair(watch, second, keepingDoses: true)
        #expect(try watch.call("store")["count"] == 0, "the medications are the phone's")
        #expect(try doses(watch) == 3)
        try second.poll("list") { $0["doses"] == 3 }
        #expect(try doses(second) == 3)
    }

    /// Files of earlier versions may be of two phones.
    @Test(arguments: [0, 1])
    func a_watch_forgets_whatever_phone_it_is_told_to_and_all_it_has(place: Int) throws {
        let watch = try start("WatchSim", "w")
        let phone = try start("PhoneSim", "p")
        try pair(watch, phone)
        try phone.call("import", ["path": .string(bench.list())])
        try synchronize(watch, phone)
        try end(watch, phone)
        let options = JournalOptions(stores: DeviceSchema.stores)
        let file = try JournalFile(path: bench.path("w"), options: options)
        try file.keep(try SimulatedPair(seed: 5).watch)
        file.close()

        let again = try start("WatchSim", "w")
        let rows = try again.call("pair.list")["pairings"]?.array ?? []
        #expect(rows.map { $0["state"]?.string } == ["inactive", "active"])
        #expect(try again.call("store")["count"] == 20)
        try again.call("pair.forget", ["pairing": rows[place]["pairing"] ?? .null])
        #expect(try again.call("store")["count"] == 0)
        #expect(try again.call("pair.list")["pairings"] == [])
        #expect(!holds("Medicine 7", "w"))
        #expect(try again.call("status")["paired"] == false)
    }

    /// It pairs with another phone: none of the two that the file is of is left.
    @Test func a_file_of_two_phones_is_of_one_after_the_next_pairing() throws {
        let watch = try start("WatchSim", "w")
        let phone = try start("PhoneSim", "p")
        try pair(watch, phone)
        try phone.call("import", ["path": .string(bench.list())])
        try synchronize(watch, phone)
        try end(watch)
        let options = JournalOptions(stores: DeviceSchema.stores)
        let file = try JournalFile(path: bench.path("w"), options: options)
        try file.keep(try SimulatedPair(seed: 5).watch)
        file.close()
        let again = try start("WatchSim", "w")
        let done = try pair(again, phone)
        let rows = try again.call("pair.list")["pairings"]?.array ?? []
        #expect(rows.map { $0["pairing"] } == [done["pairing"]])
        #expect(try again.call("store")["count"] == 0)
        try synchronize(again, phone)
    }
}
