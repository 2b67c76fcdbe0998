import ControlProtocol
import Reports
import Testing

@Suite struct PacketJoinTests {
    /// A list of packets as a simulator gives it.
    static func trace(
        sent: [JSONValue] = [], arrived: [JSONValue] = [], since: UInt64 = 0, omitted: Int = 0
    ) throws -> PacketTrace {
        var trace = PacketTrace()
        let line = trace.add([
            "since_ns": .whole(since), "sent": .array(sent), "arrived": .array(arrived),
            "omitted": .whole(omitted), "next": .null,
        ])
        #expect(line == nil)
        return trace
    }

    static func packet(
        _ number: Int, at moment: UInt64, session: String = "a-b", records: [Int] = [],
        offset: Int? = nil
    ) -> JSONValue {
        let carried = records.map { record -> JSONValue in
            var object: JSONObject = [
                "epoch": "e1", "channel": "context", "number": .whole(record),
            ]
            object["offset"] = offset.map { .whole($0) }
            return .object(object)
        }
        return [
            "session": .string(session), "number": .whole(number), "t_ns": .whole(moment),
            "bytes": 85, "frames": ["record", "ack"], "records": .array(carried),
        ]
    }

    static func arrival(
        _ number: Int, at moment: UInt64, session: String = "a-b", restored: Bool = false
    ) -> JSONValue {
        var object: JSONObject = [
            "session": .string(session), "number": .whole(number), "t_ns": .whole(moment),
        ]
        if restored { object["restored"] = true }
        return .object(object)
    }

    private static func join(
        _ sent: [JSONValue], _ arrived: [JSONValue], until end: UInt64 = 10_000
    ) throws -> PacketJoin {
        PacketJoin(
            sender: try trace(sent: sent), receiver: try trace(arrived: arrived), until: end)
    }

    @Test func what_never_came_is_lost_unless_it_may_be_on_its_way() throws {
        // The slowest took 300: what left 300 before the end may yet come.
        let join = try Self.join(
            [0, 1, 2, 3, 4].map { Self.packet($0, at: [100, 200, 9000, 9699, 9700][$0]) },
            [Self.arrival(0, at: 400)])
        #expect(join.packets.map(\.fate) == [.arrived, .lost, .lost, .lost, .underWay])
        #expect(join.packets.map(\.reached) == [400, nil, nil, nil, nil])
        #expect(join.packets.first?.sent.frames == "record, ack")
    }

    @Test func what_comes_twice_counts_from_the_first_time() throws {
        let join = try Self.join(
            [Self.packet(0, at: 100), Self.packet(1, at: 110)],
            [Self.arrival(1, at: 150), Self.arrival(0, at: 160), Self.arrival(1, at: 190)])
        #expect(join.packets.map(\.reached) == [160, 150], "overtaken on the way")
        #expect(join.packets.map(\.arrivalCount) == [1, 2])
        let counts = PacketJoin.counts(down: join, up: try Self.join([], []))
        #expect(counts["phone to watch"]?["twice"] == 1)
        #expect(counts["phone to watch"]?["sent"] == 2)
        #expect(counts["watch to phone"]?["sent"] == 0)
    }

    @Test func two_sessions_have_equal_numbers() throws {
        let join = try Self.join(
            [
                Self.packet(0, at: 100), Self.packet(0, at: 500, session: "c-d"),
                Self.packet(0, at: 600, session: "c-early"),
            ], [Self.arrival(0, at: 550, session: "c-d")])
        #expect(join.packets.map(\.fate) == [.lost, .arrived, .lost])
    }

    @Test func repair_packets_stand_in_for_lost_ones() throws {
        let join = try Self.join(
            [Self.packet(0, at: 100), Self.packet(1, at: 110)],
            [
                Self.arrival(0, at: 130, restored: true), Self.arrival(1, at: 140, restored: true),
                Self.arrival(1, at: 190),
            ])
        #expect(join.packets.map(\.fate) == [.restored, .arrived], "the second was late")
        #expect(join.packets.map(\.reached) == [130, 190])
    }

    @Test func a_repetition_holds_what_an_earlier_packet_held() throws {
        let join = try Self.join(
            [
                Self.packet(0, at: 100, records: [1, 2]), Self.packet(1, at: 110, records: [3]),
                Self.packet(2, at: 120, records: [2, 4]),
                Self.packet(3, at: 130, records: [5], offset: 0),
                Self.packet(4, at: 140, records: [5], offset: 900),
                Self.packet(5, at: 150, records: [5], offset: 900),
            ], [])
        #expect(join.packets.map(\.isRepetition) == [false, false, true, false, false, true])
    }

    @Test func what_left_before_the_other_listed_is_not_called_lost() throws {
        let sent = [Self.packet(0, at: 100), Self.packet(1, at: 190), Self.packet(2, at: 300)]
        let join = PacketJoin(
            sender: try Self.trace(sent: sent),
            receiver: try Self.trace(arrived: [Self.arrival(1, at: 210)], since: 200),
            until: 10_000)
        #expect(join.packets.map(\.sent.name.number) == [1, 2])
        #expect(join.packets.map(\.fate) == [.arrived, .lost])
    }

    @Test func a_full_list_says_nothing_of_later_packets() throws {
        let sent = (0..<4).map { Self.packet($0, at: 100 * UInt64($0 + 1)) }
        let arrived = [Self.arrival(0, at: 110), Self.arrival(2, at: 310)]
        let join = PacketJoin(
            sender: try Self.trace(sent: sent),
            receiver: try Self.trace(arrived: arrived, omitted: 7), until: 10_000)
        #expect(join.packets.map(\.fate) == [.arrived, .lost, .arrived, .underWay])
        #expect(join.omitted == 7)
    }

    @Test func a_line_that_cannot_be_read_is_given_back() {
        var trace = PacketTrace()
        let line: JSONValue = ["session": "a-b", "number": -1, "t_ns": 5]
        #expect(trace.add(["arrived": [line]]) == line)
        #expect(trace.add(["sent": [Self.arrival(0, at: 5)]]) == Self.arrival(0, at: 5))
    }
}
