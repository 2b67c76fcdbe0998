import ControlProtocol
import Testing

@testable import Reports

@Suite struct PacketColumnsTests {
    /// A run of records a millisecond apart, each in a packet of its own; every tenth packet is
    /// lost where `isLossy`, and its record leaves again.
    private static func detail(_ count: Int, isLossy: Bool = false) throws -> RunDetail {
        var detail = HTMLReportTests.detail(count)
        let start: UInt64 = 1_000_000_000
        var sent: [JSONValue] = []
        var arrived: [JSONValue] = []
        for place in 0..<count {
            let moment = start + UInt64(place) * 1_000_000 + 500_000
            let isLost = isLossy && place % 10 == 0
            sent.append(
                packet(sent.count, at: moment, epoch: "0", record: place + 1))
            if !isLost {
                arrived.append(PacketJoinTests.arrival(sent.count - 1, at: moment + 2_000_000))
                continue
            }
            sent.append(packet(sent.count, at: moment + 100_000, epoch: "0", record: place + 1))
            arrived.append(PacketJoinTests.arrival(sent.count - 1, at: moment + 1_900_000))
        }
        let join = PacketJoin(
            sender: try PacketJoinTests.trace(sent: sent),
            receiver: try PacketJoinTests.trace(arrived: arrived),
            until: start + UInt64(count + 10) * 1_000_000)
        detail.addPackets(join, isFromWatch: false)
        return detail
    }

    private static func packet(
        _ number: Int, at moment: UInt64, epoch: String, record: Int
    ) -> JSONValue {
        [
            "session": "a-b", "number": .whole(number), "t_ns": .whole(moment), "bytes": 85,
            "frames": ["record"],
            "records": [["epoch": .string(epoch), "channel": "context", "number": .whole(record)]],
        ]
    }

    private static func page(_ detail: RunDetail?) -> String {
        var report = ReportTests.sample()
        report.detail = detail
        return HTMLReport.text(of: report)
    }

    @Test func few_packets_are_all_there() throws {
        let detail = try Self.detail(3, isLossy: true)
        let columns = RecordColumns(detail)
        let packets = try #require(columns.packets)
        #expect(packets.kept == 4 && packets.total == 4 && packets.notice == "")
        let json = packets.json
        // 4: lost; 2: repeats; each with its session and frames.
        #expect(json["looks"] == [[4, "1", "record"], [2, "1", "record"], [0, "1", "record"]])
        #expect(json["look"] == "0,1,2,2")
        // 500 µs after the begin, 100, 900 and 1000 µs later.
        #expect(json["sent"] == "dw,2s,p0,rs")
        #expect(json["number"] == ",,,")
        #expect(json["bytes"] == "2d,2d,2d,2d")
        #expect(json["air"] == ",1e0,1jk,1jk")
        // The first record twice, then the next and the next.
        #expect(json["records"] == "0,0,1,1")
        #expect(json["twice"] == [:])
    }

    @Test func a_run_of_very_many_stays_below_a_megabyte_and_keeps_what_matters() throws {
        let detail = try Self.detail(60_000, isLossy: true)
        #expect(detail.packets.count == 66_000)
        let page = Self.page(detail)
        #expect(page.utf8.count < 1_000_000)
        let kept = try #require(page.firstMatch(of: /([0-9]+) of 66000 packets are drawn/))
        let count = try #require(Int(kept.1))
        #expect((5000...PacketColumns.mostPackets).contains(count))
        let packets = try #require(RecordColumns(detail).packets)
        let looks = try #require(packets.json["look"]?.string).split(separator: ",")
        #expect(looks.count == count)
        // Of a fifth of the packets that matter, half of the room is full.
        let special = looks.count { $0 != "2" }
        #expect(special >= count / 2 - 1)
    }

    @Test func what_left_with_the_slowest_is_kept() throws {
        var detail = try Self.detail(30_000)
        let slow = try #require(detail.slowest(1).first)
        let near = detail.packets.filter {
            (slow.intended...(slow.reached ?? 0)).contains($0.sent)
        }
        let packets = try #require(RecordColumns(detail).packets)
        #expect(packets.kept < 30_000 && !near.isEmpty)
        // Steps of the column are moments again.
        var moment: UInt64 = 0
        let steps = try #require(packets.json["sent"]?.string).split(separator: ",")
        let moments = Set(
            steps.compactMap { UInt64($0, radix: 36) }.map { step in
                moment += step
                return moment
            })
        #expect(near.allSatisfy { moments.contains($0.sent / 1000) })
        detail = try Self.detail(10)
        #expect(RecordColumns(detail).packets?.kept == 10)
    }

    /// The script looks for these names.
    @Test func the_script_finds_who_sends_a_series() {
        #expect(Self.page(HTMLReportTests.detail(5)).contains(#""isFromWatch":false}"#))
        #expect(HTMLScript.text.contains("series.isFromWatch"))
    }

    @Test func a_run_without_a_list_says_so() throws {
        let page = Self.page(HTMLReportTests.detail(5))
        #expect(page.contains("The lines show records; no list of packets was kept."))
        #expect(page.contains("<h2>Records on their way</h2>"))
        #expect(!page.contains("\"packets\":"))
        let other = Self.page(try Self.detail(5))
        #expect(!other.contains("no list of packets was kept"))
        #expect(other.contains("<h2>Records and packets on their way</h2>"))
        var empty = HTMLReportTests.detail(5)
        empty.addPackets(
            PacketJoin(sender: PacketTrace(), receiver: PacketTrace(), until: 0),
            isFromWatch: false)
        #expect(Self.page(empty).contains("\"look\":\"\""))
    }

    @Test func lines_without_room_are_told() throws {
        var detail = HTMLReportTests.detail(5)
        let full = PacketJoin(
            sender: try PacketJoinTests.trace(omitted: 12), receiver: PacketTrace(), until: 0)
        detail.addPackets(full, isFromWatch: true)
        #expect(
            Self.page(detail).contains(
                "The simulators had no room for 12 further lines of their lists."))
    }

    @Test func the_table_has_every_packet() throws {
        var report = ReportTests.sample()
        #expect(PacketTable.text(of: report) == nil)
        report.detail = try Self.detail(2, isLossy: true)
        let text = try #require(PacketTable.text(of: report))
        let lines = text.split(separator: "\n")
        #expect(
            lines.map(String.init) == [
                "way,session,packet,sent_ns,bytes,frames,fate,air_ns,came,repeats,records,sealed",
                #"up,1,0,500000,85,record,lost,,0,no,"medication, context 1","#,
                #"up,1,1,600000,85,record,arrived,1800000,1,yes,"medication, context 1","#,
                #"up,1,2,1500000,85,record,arrived,2000000,1,no,"medication, context 2","#,
            ])
        report.detail?.addPackets(
            PacketJoin(
                sender: try PacketJoinTests.trace(
                    sent: [Self.packet(7, at: 1_000_000_000, epoch: "0", record: 1)]),
                receiver: PacketTrace(), until: 2_000_000_000), isFromWatch: true)
        #expect(PacketTable.text(of: report)?.contains("\ndown,") == true)
        for (isSealed, word) in [(true, "yes"), (false, "no")] {
            report.host["sealed"] = .bool(isSealed)
            let rows = try #require(PacketTable.text(of: report)).split(separator: "\n").dropFirst()
            #expect(rows.allSatisfy { $0.hasSuffix(",\(word)") })
        }
    }
}
