import CPosix
import CommandLine
import Glibc
import Locks
import Reports
import Simulation
import Testing
import WatchProtoCore

@testable import NetworkEmulation
@testable import WatchProtoTransport

/// A conditioner between real sockets.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LinkConditionerTests {
    private static let nextPort = Atomic<UInt16>(30_000)

    /// An endpoint that nobody else has.
    private static func endpoint(_ datagramBytes: Int = 1_200) -> UDPEndpoint {
        let address = 0x7F00_0000 | UInt32(getpid()) << 2 & 0x00FF_FFFC | 3
        let port = nextPort.wrappingAdd(1, ordering: .relaxed).newValue
        return UDPEndpoint(.v4(address), port: port, datagramBytes: datagramBytes)
    }

    private static func conditions(_ settings: String) throws -> NetworkConditions {
        var conditions = NetworkConditions()
        conditions.apply(try ConditionSettings(settings))
        return conditions
    }

    /// A directory of its own, removed with what is in it.
    private final class Directory {
        let path: String

        init() {
            var template = Array("/tmp/wlXXXXXX".utf8CString)
            unsafe template.withUnsafeMutableBufferPointer { _ = unsafe mkdtemp($0.baseAddress!) }
            path = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        func has(_ name: String) -> Bool { unsafe access("\(path)/\(name)", F_OK) == 0 }

        deinit { _ = unsafe rmdir(path) }
    }

    /// Phone and watch at a conditioner, bare: datagrams as they are.
    private struct Ends {
        let phone: DatagramPort
        let watch: DatagramPort
        let conditioner: LinkConditioner

        init(_ near: LinkAddress, _ far: LinkAddress, _ conditions: NetworkConditions) throws {
            conditioner = try LinkConditioner(
                listening: near, connecting: far, conditions: conditions, seed: 1)
            watch = try #require(try DatagramPort(far, side: .listening))
            phone = try #require(try DatagramPort(near, side: .connecting))
        }

        func close() {
            phone.close()
            watch.close()
            conditioner.close()
        }
    }

    /// The next datagram, and when it came; nil when none comes for `milliseconds`.
    private static func receive(
        _ port: DatagramPort, within milliseconds: Int64 = 5_000
    ) -> (bytes: [UInt8], at: Instant)? {
        var set = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe watchproto_poll(&set, 1, milliseconds * 1_000_000) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        guard case .datagram(let count, _) = port.receive(into: &buffer) else { return nil }
        return (Array(buffer[..<count]), SystemClock.now)
    }

    private static func kinds(_ directory: Directory) -> [(LinkAddress, LinkAddress)] {
        [
            (.udp(endpoint()), .udp(endpoint())),
            (
                .unixDatagram(path: "\(directory.path)/a"),
                .unixDatagram(path: "\(directory.path)/b")
            ),
            (.udp(endpoint()), .unixDatagram(path: "\(directory.path)/c")),
        ]
    }

    @Test func datagrams_cross_both_ways_no_sooner_than_their_delay() throws {
        let directory = Directory()
        for (near, far) in Self.kinds(directory) {
            let ends = try Ends(near, far, try Self.conditions("rtt=40ms"))
            defer { ends.close() }
            for round in 0..<3 as Range<UInt8> {
                for (from, to) in [(ends.phone, ends.watch), (ends.watch, ends.phone)] {
                    let sent = SystemClock.now
                    #expect(from.send([0, round, 2, 3, 4]) == .sent)
                    let arrival = try #require(Self.receive(to))
                    #expect(arrival.bytes == [0, round, 2, 3, 4])
                    #expect(sent.duration(to: arrival.at) >= .milliseconds(20))
                }
            }
            let counters = ends.conditioner.counters
            for direction in [counters.up, counters.down] {
                #expect(direction.delivered == 3 && direction.link.offeredPackets == 3)
                #expect(direction.lateness.count == 3)
            }
        }
    }

    @Test func files_are_gone_when_it_is_closed_or_dropped() throws {
        let directory = Directory()
        let near = LinkAddress.unixDatagram(path: "\(directory.path)/a")
        let far = LinkAddress.unixDatagram(path: "\(directory.path)/b")
        for closes in [true, false] {
            var conditioner: LinkConditioner? = try LinkConditioner(
                listening: near, connecting: far, conditions: NetworkConditions(), seed: 1)
            #expect(directory.has("a") && directory.has("b.peer"))
            if closes { conditioner?.close() }
            conditioner = nil
            #expect(!directory.has("a") && !directory.has("b.peer"))
        }
    }

    @Test func losses_changed_conditions_and_a_link_taken_away_show_in_the_counters() throws {
        let ends = try Ends(
            .udp(Self.endpoint()), .udp(Self.endpoint()), try Self.conditions("loss=100%"))
        defer { ends.close() }
        // The last word is a round trip through the thread: all before it were heard.
        func settle(_ count: UInt64) {
            for _ in 0..<5_000 where ends.conditioner.counters.up.link.offeredPackets < count {
                usleep(1_000)
            }
        }
        #expect(ends.phone.send([1]) == .sent)
        settle(1)
        ends.conditioner.set(try Self.conditions("delay=1ms"))
        #expect(ends.phone.send([2]) == .sent)
        #expect(Self.receive(ends.watch)?.bytes == [2])
        ends.conditioner.setDown(true)
        #expect(ends.phone.send([3]) == .sent)
        settle(3)
        ends.conditioner.setDown(false)
        #expect(ends.phone.send([4]) == .sent)
        #expect(Self.receive(ends.watch)?.bytes == [4])
        let up = ends.conditioner.close().up
        #expect(up.link.lost(to: .loss) == 1 && up.link.lost(to: .outage) == 1)
        #expect(up.delivered == 2 && up.link.offeredPackets == 4)
    }

    @Test func a_datagram_larger_than_the_address_says_does_not_cross() throws {
        let ends = try Ends(
            .udp(Self.endpoint(244)), .udp(Self.endpoint(244)), NetworkConditions())
        defer { ends.close() }
        #expect(ends.phone.send([UInt8](repeating: 1, count: 250)) == .sent)
        #expect(ends.phone.send([UInt8](repeating: 2, count: 249)) == .sent)
        #expect(Self.receive(ends.watch)?.bytes.first == 2)
        #expect(ends.conditioner.counters.up.ignored == 1)
    }

    @Test func a_burst_larger_than_a_queue_of_the_system_arrives_whole() throws {
        let directory = Directory()
        let ends = try Ends(
            .unixDatagram(path: "\(directory.path)/a"),
            .unixDatagram(path: "\(directory.path)/b"), try Self.conditions("delay=50ms"))
        defer { ends.close() }
        var sent: UInt8 = 0
        while sent < 60 {
            if ends.phone.send([sent]) == .sent { sent += 1 } else { usleep(500) }
        }
        var arrived: [UInt8] = []
        while let next = Self.receive(ends.watch, within: 1_000) { arrived += next.bytes }
        #expect(arrived == Array(0..<60))
        #expect(ends.conditioner.counters.up.untaken == 0)
    }

    @Test(arguments: ["unix", "unix-seqpacket"])
    func lossless_kinds_pass_everything_on_in_order_to_its_end(_ scheme: String) throws {
        let directory = Directory()
        let near = try LinkAddress("\(scheme):\(directory.path)/a")
        let far = try LinkAddress("\(scheme):\(directory.path)/b")
        let watch = far.makeSource(side: .listening)
        try watch.prepare()
        let conditions = try Self.conditions(
            "delay=2ms,jitter=3ms,loss=30%,recovery=1ms,rate=80Mbit/s")
        let conditioner = try LinkConditioner(
            listening: near, connecting: far, conditions: conditions, seed: 3)
        let phone = near.makeSource(side: .connecting)
        try phone.prepare()
        guard case .opened(let sender) = phone.open(.asked) else {
            Issue.record("nobody listens at \(near)")
            return
        }
        var receiver: (any Carrier)?
        for _ in 0..<5_000 where receiver == nil {
            if case .opened(let carrier) = watch.open(.sign) { receiver = carrier }
            usleep(1_000)
        }
        let other = try #require(receiver)
        var sent: [UInt8] = []
        var arrived: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var isClosed = false
        let limit = SystemClock.now.advanced(by: .seconds(30))
        reading: while SystemClock.now < limit {
            if sent.count < 600_000 {
                let chunk = (0..<3_000).map { UInt8(truncatingIfNeeded: (sent.count + $0) / 7) }
                if case .took(let count) = sender.write(chunk.span) { sent += chunk[..<count] }
            } else if !isClosed {
                sender.close()
                isClosed = true
            }
            var span = buffer.mutableSpan
            switch other.read(into: &span) {
            case .bytes(let count): arrived += buffer[..<count]
            case .ended: break reading
            case .nothingYet: usleep(200)
            default: Issue.record("the link failed")
            }
        }
        #expect(arrived == sent)
        other.close()
        let up = conditioner.close().up
        #expect(up.link.marked(.recovered) > 0 && up.lost == 0)
        watch.close(leavingFiles: false)
        phone.close(leavingFiles: false)
        #expect(!directory.has("a") && !directory.has("b"))
    }

    @Test func what_cannot_be_conditioned_is_refused_in_words() throws {
        func fault(_ near: String, _ far: String) throws -> String? {
            LinkConditioner.fault(
                listening: try LinkAddress(near), connecting: try LinkAddress(far))
        }
        #expect(
            try fault("stdio", "unix:b")
                == "'stdio' is no socket; a conditioner stands between two of one kind: "
                + "udp: or unix-datagram:, unix-seqpacket:, or unix:")
        #expect(try fault("unix:a", "udp:127.0.0.1:7001")?.contains("different kinds") == true)
        #expect(try fault("unix:a", "unix:a")?.contains("the same place") == true)
        #expect(
            try fault("udp:127.0.0.1:7001", "udp:127.0.0.1:7001?datagram=244")?
                .contains("the same place") == true)
        #expect(try fault("udp:127.0.0.1:7001", "unix-datagram:b") == nil)
        let endpoint = Self.endpoint()
        let holder = try #require(try DatagramPort(.udp(endpoint), side: .listening))
        defer { holder.close() }
        #expect(
            throws: LinkConditioner.Refusal.link(.portInUse(address: "udp:\(endpoint)"))
        ) {
            try LinkConditioner(
                listening: .udp(endpoint), connecting: .udp(Self.endpoint()),
                conditions: NetworkConditions(), seed: 1)
        }
    }

    @Test func it_is_closed_whatever_becomes_of_the_work() async throws {
        struct Stop: Error {}
        let directory = Directory()
        let near = LinkAddress.unixDatagram(path: "\(directory.path)/a")
        let far = LinkAddress.unixDatagram(path: "\(directory.path)/b")
        await #expect(throws: Stop.self) {
            try await LinkConditioner.withConditioner(
                listening: near, connecting: far, conditions: NetworkConditions(), seed: 1
            ) { _ in
                #expect(directory.has("a"))
                throw Stop()
            }
        }
        #expect(!directory.has("a"))
    }
}
