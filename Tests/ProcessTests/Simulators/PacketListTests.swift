import ControlProtocol
import Testing

/// The lists of packets that the simulators keep on demand.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PacketListTests {
    private let bench = Bench()

    private func name(_ packet: JSONValue) -> String {
        "\(packet["session"]?.string ?? "?") \(packet["number"]?.integer ?? -1)"
    }

    @Test func both_sides_list_the_same_packets() throws {
        let pair = try Pair(bench)
        for program in [pair.phone, pair.watch] {
            let before = try program.call("packets.dump")
            #expect(before["sent"] == [] && before["arrived"] == [] && before["next"] == .null)
            try program.call("packets.stop")
            try program.call("packets.start")
        }
        let sent = try pair.phone.call("send", ["kind": "user_info", "payload_b64": "AQID"])
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        let stopped = try [pair.phone, pair.watch].map { program in
            try program.call("packets.stop")
            return try program.call("packets.dump")
        }
        let (phone, watch) = (stopped[0], stopped[1])
        let down = phone["sent"]?.array ?? []
        let up = watch["sent"]?.array ?? []
        // The phone's list began and ended first.
        for (sent, arrived) in [(down, watch["arrived"]), (up, phone["arrived"])] {
            let left = sent.map(name)
            let came = arrived?.array?.map(name) ?? []
            let both = Set(left).intersection(came)
            #expect(!both.isEmpty && left.filter(both.contains) == came.filter(both.contains))
        }
        let last = down.last { $0["records"] != nil }
        #expect(watch["arrived"]?.array?.map(name).contains(last.map(name) ?? "") == true)
        let record = last?["records"]?.array?.first
        #expect(record?["number"] == sent["msg"] && record?["epoch"] == sent["epoch"])
        #expect(last?["frames"]?.array?.contains("record") == true)
        let there = watch["arrived"]?.array?.first { name($0) == last.map(name) }
        #expect(last?["t_ns"]?.integer ?? .max <= there?["t_ns"]?.integer ?? 0)
        #expect(down.allSatisfy { $0["t_ns"]?.integer ?? 0 >= phone["since_ns"]?.integer ?? .max })
        // A stopped list stays as it is, and a list begun anew is empty.
        try pair.phone.call("send", ["kind": "user_info", "payload_b64": "AQID"])
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        #expect(try pair.phone.call("packets.dump")["sent"]?.array?.count == down.count)
        try pair.phone.call("packets.start", ["limit": 1])
        #expect(try pair.phone.call("packets.dump")["sent"] == [])
        for _ in 0..<3 {
            try pair.phone.call("send", ["kind": "user_info", "payload_b64": "AQID"])
            try pair.phone.poll("status") { $0["outstanding"] == 0 }
        }
        let full = try pair.phone.call("packets.dump")
        #expect(full["sent"]?.array?.count == 1 && full["omitted"]?.integer ?? 0 >= 4)
    }
}
