import CommandLine
import ControlProtocol
import Glibc
import Testing

/// A phone whose file was put back from a backup: it has lost doses that it had confirmed.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorRestoredPhoneTests {
    private let bench = Bench()

    private func start(_ name: String, files: Bool = true) throws -> Program {
        try Program(
            name,
            ["--link", bench.link()] + (files ? ["--journal", bench.path(name)] : []))
    }

    private func leave(_ program: Program) throws {
        try program.call("quit")
        #expect(try program.awaitEnd() == .exited(0))
    }

    /// Ends the phone, puts its file back and starts it anew.
    private func restore(_ phone: Program, _ backup: [UInt8]) throws -> Program {
        try leave(phone)
        _ = unsafe unlink(bench.path("PhoneSim-wal"))
        // It says what stood in the log.
        _ = unsafe unlink(bench.path("PhoneSim-lock"))
        try Files.write(backup, to: bench.path("PhoneSim"))
        return try start("PhoneSim")
    }

    @Test(arguments: [true, false])
    func doses_that_it_had_confirmed_come_again(watchHasFile: Bool) throws {
        var pair = try Pair(
            bench, phone: start("PhoneSim"), watch: start("WatchSim", files: watchHasFile))
        try pair.synchronize(bench.list(count: 4))
        func take(_ index: Int, _ count: JSONValue) throws {
            try pair.watch.call("dose.record", ["index": .whole(index)])
            try pair.phone.poll("list") { $0["doses"] == count }
            try pair.watch.poll("status") { $0["outstanding"] == 0 }
        }
        try take(0, 1)
        try leave(pair.phone)
        let backup = try Files.read(bench.path("PhoneSim"))
        pair.phone = try start("PhoneSim")
        try take(1, 2)
        try take(2, 3)
        let told = pair.watch.events.count
        pair.phone = try restore(pair.phone, backup)
        try pair.phone.poll("list") { $0["doses"] == 3 }
        try pair.watch.poll("status") { $0["outstanding"] == 0 }
        #expect(pair.watch.events[told...].contains { $0["change"] == Change.wentBack })
        // Each counts once, here and there.
        let doses = try pair.phone.call("dose.history")["doses"]?.array ?? []
        #expect(Set(doses.map { $0["dose"]?.string }).count == 3 && doses.count == 3)
        #expect(try pair.watch.call("store")["doses"] == 3)
        // It knew the first: that came again and changed nothing.
        let arrived = pair.phone.events.filter { $0["event"] == "dose.arrived" }
        // That stood for itself, by its idempotency key.
        #expect(arrived.map { $0["new"] } == [true, true])
        // A dose reported once is recorded once.
        try leave(pair.phone)
        pair.phone = try start("PhoneSim")
        try take(3, 4)
        let phone = pair.phone
        try phone.poll("status") { _ in phone.events.contains { $0["event"] == "dose.arrived" } }
        #expect(pair.phone.events.count { $0["event"] == "dose.arrived" } == 1)
    }
}
