import CPosix
import CommandLine
import Glibc
import Locks
import Simulation
import Testing
import WatchProtoCore

@testable import NetworkEmulation
@testable import WatchProtoTransport

/// IP through the link model: what crosses, and kernel TCP where the system lets one have networks.
@Suite(.serialized, .timeLimit(.minutes(1))) struct TunnelTests {
    /// Why there is no tunnel here; nil where there is one.
    static let refusal: LinkTunnel.Refusal? = {
        do throws(LinkTunnel.Refusal) {
            _ = try LinkTunnel()
            return nil
        } catch {
            return error
        }
    }()

    /// The files that this process has open, as the system calls them.
    private static func open() -> Set<String> {
        var names = Set<String>()
        for number in 0..<1_024 {
            var target = [CChar](repeating: 0, count: 256)
            let count = unsafe readlink("/proc/self/fd/\(number)", &target, 255)
            let text = target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
            names.insert(String(decoding: text, as: UTF8.self))
        }
        return names
    }

    private static func conditions(_ settings: String) throws -> NetworkConditions {
        var conditions = NetworkConditions()
        conditions.apply(try ConditionSettings(settings))
        return conditions
    }

    @Test func only_packets_of_ip_version_4_cross() {
        var packet = [UInt8](repeating: 0, count: 40)
        packet[0] = 0x45
        #expect(TunnelWires.crosses(packet[...]))
        #expect(TunnelWires.crosses(packet[20...]) == false)
        #expect(!TunnelWires.crosses(packet[..<19]))
        packet[0] = 0x60
        #expect(!TunnelWires.crosses(packet[...]))
        #expect(!TunnelWires.crosses([]))
    }

    @Test(arguments: [64, 100, 200, 1_000])
    func a_record_is_one_line_of_json_of_the_length_asked_for(_ bytes: Int) throws {
        var seen = Set<[UInt8]>()
        for number in [0, 7, 123_456_789] {
            let line = RecordLine.record(number, bytes: bytes)
            #expect(line.count == bytes)
            #expect(line.firstIndex(of: UInt8(ascii: "\n")) == bytes - 1)
            let text = String(decoding: line, as: UTF8.self)
            #expect(text.hasPrefix(#"{"kind":"record","number":\#(number),"payload":""#))
            #expect(text.hasSuffix("\"}\n"))
            #expect(seen.insert(line).inserted)
        }
        #expect(RecordLine.record(1, bytes: 10).count == RecordLine.fewestBytes)
        #expect(RecordLine.complication(1) != RecordLine.complication(2))
    }

    @Test func a_refusal_names_the_call_and_its_number() {
        let refusal = LinkTunnel.Refusal(call: "unshare of the network", number: EPERM)
        #expect(
            refusal.description == "unshare of the network: Operation not permitted (errno 1)")
    }

    /// Runs `body` on a thread that may enter a network.
    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) throws -> Value {
        let box = Mutex<Value?>(nil)
        try SystemThread { box.withLock { $0 = body() } }.join()
        return try #require(box.withLock { $0 })
    }

    struct Course {
        var cold: UInt64?
        var warm: [UInt64?] = []
        var stopped: UInt64?
    }

    /// 20 kB: three round trips of a window of ten segments at most, never less than one delay.
    @Test(.enabled(if: TunnelTests.refusal == nil, "no root or no /dev/net/tun"))
    func tcp_crosses_the_model_and_leaves_nothing() throws {
        let before = Self.open()
        do {
            let tunnel = try LinkTunnel()
            let conditioner = try LinkConditioner(
                tunnel: tunnel, conditions: try Self.conditions("rtt=40ms,rate=20Mbit/s"), seed: 1)
            let course = try onThread { () -> Course in
                var course = Course()
                let mayGoOn = Mutex(true)
                guard
                    let exchange = try? LineExchange(tunnel, while: { mayGoOn.withLock { $0 } })
                else { return course }
                let limit = MonotonicClock.nowNanoseconds + 20_000_000_000
                let lines = (0..<100).flatMap { RecordLine.record($0, bytes: 200) }
                course.cold = exchange.sendCold(RecordLine.complication(1), until: limit)
                for bytes in [lines, RecordLine.complication(2)] {
                    course.warm.append(exchange.sendWarm(bytes, until: limit))
                    exchange.settle(until: limit)
                }
                mayGoOn.withLock { $0 = false }
                course.stopped = exchange.sendWarm(lines, until: limit)
                return course
            }
            // A handshake of a round trip, then the line: 60 ms; up: 20.
            #expect(try #require(course.cold) >= 60_000_000)
            #expect(course.warm.count == 2)
            #expect(try #require(course.warm[0]) >= 28_000_000)
            #expect(try #require(course.warm[1]) >= 20_000_000)
            #expect(course.stopped == nil)
            let offered = conditioner.takeOffered()
            #expect(offered.reduce(0) { $0 + $1.bytes } > 20_000)
            #expect(offered.allSatisfy { $0.bytes <= LinkTunnel.packetBytes })
            let counters = conditioner.close()
            #expect(counters.up.untaken == 0 && counters.down.untaken == 0)
            #expect(counters.down.delivered > 3)
        }
        let after = Self.open().subtracting(before)
        #expect(after.allSatisfy { !$0.contains("tun") && !$0.hasPrefix("net:") }, "\(after)")
    }
}
