import CommandLine
import ControlProtocol
import Glibc
import Testing

/// A phone that has lost what it sent, and ends again while it answers for it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorRecoveryTests {
    private let bench = Bench()

    private func start(_ name: String, _ further: [String] = []) throws -> Program {
        try Program(
            name, ["--link", bench.link(), "--journal", bench.path(name)] + further)
    }

    private func leave(_ program: Program) throws {
        try program.call("quit")
        #expect(try program.awaitEnd() == .exited(0))
    }

    private func restore(_ files: [(name: String, bytes: [UInt8])]) throws {
        for file in files {
            _ = unsafe unlink(bench.path(file.name) + "-wal")
            // It says what stood in the log.
            _ = unsafe unlink(bench.path(file.name) + "-lock")
            try Files.write(file.bytes, to: bench.path(file.name))
        }
    }

    private func file(_ name: String) throws -> (name: String, bytes: [UInt8]) {
        (name, try Files.read(bench.path(name)))
    }

    private func isEqual(_ phone: Program, _ watch: Program) throws -> Bool {
        try phone.call("list")["digest"] == watch.call("store")["digest"]
    }

    /// The watch holds a change and a removal that the phone has lost. The phone's disk fails at
    /// every one of its writes in turn, and the phone is killed there: whatever of its answer is
    /// durable then, the next start brings both to what the phone's file says.
    @Test func wherever_a_phone_ends_while_it_answers_both_agree_after_its_next_start() throws {
        var pair = try Pair(bench, phone: start("PhoneSim"), watch: start("WatchSim"))
        try pair.synchronize(bench.list(count: 4))
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        try leave(pair.phone)
        let old = try file("PhoneSim")
        pair.phone = try start("PhoneSim")
        try pair.phone.call("medication.change", ["index": 0])
        try pair.phone.call("medication.remove", ["index": 1])
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        try leave(pair.phone)
        try leave(pair.watch)
        let lost = [old, try file("WatchSim")]

        var (cut, number) = (0, 1)
        while true {
            try restore(lost)
            let watch = try start("WatchSim")
            // The pages that an idle journal writes ahead of need would be counted, too.
            let fault = ["--disk-fault", "io:write:\(number):forever", "--log-pages-ahead", "0"]
            // One of the eight writes of its start may fail already, which count the start and
            // call for a log; then it refuses that.
            guard let first = try? start("PhoneSim", fault) else {
                try leave(watch)
                #expect(number < 9, "every start is refused")
                number += 1
                continue
            }
            var wasCut = false
            try first.poll("status") { status in
                wasCut = (status["counters"]?["disk_faults"]?.integer ?? 0) > 0
                return wasCut || ((try? isEqual(first, watch)) ?? false)
            }
            first.signal(SIGKILL)
            _ = try first.awaitEnd()
            if first.events.contains(where: { $0["event"] == "value.recovered" }), wasCut {
                cut += 1
            }
            let second = try start("PhoneSim")
            try watch.poll("store") { _ in (try? isEqual(second, watch)) ?? false }
            #expect(try second.call("list")["count"] == 4, "write \(number)")
            try second.poll("status") { $0["outstanding"] == 0 }
            #expect(try second.call("sync")["result"] == "not_modified", "write \(number)")
            try leave(second)
            // Answered once and for all.
            let third = try start("PhoneSim")
            try third.poll("status") { $0["outstanding"] == 0 }
            guard wasCut else { break }
            number += 1
        }
        #expect(cut > 3, "of \(number) writes")
    }
}
