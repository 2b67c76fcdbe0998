import CPosix
import ControlKit
import Glibc
import Testing
import WatchProto

/// Strangers who come and go at a listening side: so many are let in, the others are told *busy*.
@Suite(.timeLimit(.minutes(1))) struct GuestTests {
    @Test func a_crowd_of_strangers_costs_so_many_handshakes_and_no_more() throws {
        let bench = Bench()
        try Pair.couple(bench)
        let watch = try Program("WatchSim", ["--link", bench.link(), "--journal", bench.path("w")])
        let count = 200
        for _ in 0..<count {
            let stranger = Bench.connect(bench.path("link.sock"))
            // Until it is greeted or turned away.
            let limit = watchproto_monotonic_nanoseconds() + 2_000_000_000
            _ = Program.read(stranger, until: limit)
            close(stranger)
        }
        let counters = try watch.call("status")["counters"]
        let opened = counters?["links_opened"]?.integer ?? 0
        // Some seconds may pass meanwhile.
        #expect(opened >= WorkBudget.guests.burst / 2)
        #expect(opened < WorkBudget.guests.burst + 60)
        #expect(counters?["refused_connections"]?.integer ?? 0 >= Int64(count) - opened - 1)
        // The counterpart comes in soon.
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--journal", bench.path("p")])
        try phone.wait("reachability", ["reachable": true])
    }
}
