import CPosix
import ControlProtocol
import Glibc
import Testing
import WatchProtoCore
import WatchProtoSecurity

/// Attacks on the memory of a device that pairs (issue 21, item 7): everything before
/// authentication has a bound in bytes, time and count.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PairingMemoryTests {
    private static let bound = 8 << 20

    /// Says `message` again and again without reading an answer: at most 200,000 times, and for at
    /// most 5 s.
    ///
    /// - Returns: how often it was said, and by how many bytes the victim has grown at most.
    private func flood(
        _ attacker: StreamAttacker, _ message: [UInt8], _ victim: Program
    ) -> (count: Int, growth: Int) {
        let before = residentBytes(of: victim.pid)
        let start = watchproto_monotonic_nanoseconds()
        let total = 200_000 * message.count
        let burst = Array(repeatElement(message, count: 512).joined())
        var (said, most) = (0, before)
        while said < total, seconds(since: start) < 5 {
            let rest = burst[(said % message.count)...].prefix(total - said)
            guard let taken = attacker.say(rest) else { break }
            said += taken
            if taken == 0 { usleep(1000) }
            most = max(most, residentBytes(of: victim.pid))
        }
        usleep(200_000)
        most = max(most, residentBytes(of: victim.pid))
        return (said / message.count, most - before)
    }

    /// Attacked: the memory of the side that shows a code, by an attacker who repeats one hello and
    /// never reads. Must hold: it grows by less than 8 MB.
    @Test func a_repeated_hello_costs_the_displaying_side_no_memory() throws {
        let bench = Bench()
        let watch = try Program("WatchSim", ["--link", bench.link()])
        try watch.call("pair.show")
        let attacker = StreamAttacker(at: bench.path("link.sock"))
        defer { attacker.leave() }
        let (count, growth) = flood(attacker, try StreamAttackTests.hello(), watch)
        #expect(count > 1)
        #expect(growth < Self.bound, "\(count) repetitions: \(growth >> 10) KiB more")
        #expect(try watch.call("status")["ok"] == true)
    }

    /// Attacked: the memory of the side that was given a code, by somebody who seems to show it,
    /// repeats one answer and never reads. Must hold: it grows by less than 8 MB.
    @Test func a_rogue_displaying_side_costs_the_other_no_memory() throws {
        let bench = Bench()
        let watch = try Program("WatchSim", ["--link", bench.link()])
        try watch.call("pair.enter", ["code": "123456", "confirmed": true])
        let attacker = StreamAttacker(at: bench.path("link.sock"))
        defer { attacker.leave() }
        var rogue = PairingLink(PairingIdentity(role: .phone, device: DeviceID(rawValue: 99)))
        _ = try rogue.showCode(at: .zero)
        rogue.linkUp(.stream, at: .zero)
        let limit = watchproto_monotonic_nanoseconds() + 3_000_000_000
        let hello = try #require(Program.read(attacker.number, until: limit))
        rogue.receive(hello.span, at: .zero)
        let share = try #require(rogue.takeOutgoing().first).bytes
        let (count, growth) = flood(attacker, share, watch)
        #expect(count > 1)
        #expect(growth < Self.bound, "\(count) repetitions: \(growth >> 10) KiB more")
        #expect(try watch.call("status")["ok"] == true)
    }
}
