import Bench
import Simulation
import Testing
import WatchProtoCore

/// The ledger of a watch's radio, and the run of four hours.
@Suite struct RadioLedgerTests {
    private static func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test("A packet after 5 s of silence is a wake-up, and counts for its class")
    func wakeUps() throws {
        var ledger = RadioLedger()
        ledger.add(.complication, bytes: 100, isSent: false, at: Self.at(10_000))
        ledger.add(nil, bytes: 20, isSent: true, at: Self.at(14_900))
        ledger.add(.context, bytes: 200, isSent: false, at: Self.at(19_900))
        #expect(ledger.total.wakeUps == 2 && ledger.total.packets == 3)
        #expect(ledger.total.bytes == 320)
        let face = ledger.sum { $0.channel == .complication }
        #expect(face.wakeUps == 1 && face.bytes == 100)
        #expect(ledger.sum { $0.channel == nil }.wakeUps == 0)
        #expect(ledger.sum { $0.channel == .context }.wakeUps == 1)
        #expect(ledger.wakeTime == .milliseconds(4900 + 30 + 30))
        #expect(face.wakeTime == .milliseconds(4930))
        #expect(ledger.sum { $0.channel == .context }.wakeTime == .milliseconds(30))
    }

    @Test("The energy is that of the model, by hand")
    func energy() throws {
        var ledger = RadioLedger()
        ledger.add(.context, bytes: 79, isSent: false, at: Self.at(30))
        // 100 bytes received, 10 sent, two pauses; an event; a wake-up.
        let packet: Double = (3680 + 384 + 1380) * 3 / 1e6
        let event: Double = 900 * 3.3 * 3 / 1e6
        #expect(abs(ledger.total.millijoules - (packet + event + 6)) < 1e-9)
        // A packet of the same event costs no second one; two packets are needed for 245 bytes.
        var other = RadioLedger()
        other.add(.context, bytes: 79, isSent: false, at: Self.at(30))
        other.add(.context, bytes: 245, isSent: true, at: Self.at(59))
        // 287 bytes sent, 20 received, four pauses.
        let (sent, received): (Double, Double) = (2296 * 4.8, 760 * 4.6)
        let long: Double = (sent + received) * 3 / 1e6
        #expect(abs(other.total.millijoules - ledger.total.millijoules - long) < 1e-9)
        #expect(abs(ledger.percent(of: 4104) - 0.1) < 1e-9)
        // An empty packet each way every two seconds, without a wake-up.
        let (asked, answered): (Double, Double) = (168 * 4.8, 380 * 4.6)
        let idle: Double = event + (asked + answered) * 3 / 1e6
        #expect(abs(ledger.maintenance(for: .seconds(3600)) - 1800 * idle) < 1e-6)
    }

    @Test("Advertising and the set-up of a connection, by hand")
    func otherModes() {
        var ledger = RadioLedger()
        let event: Double = 900 * 3.3 * 3 / 1e6
        let sent: Double = 3 * 376 * 4.8
        let advertising: Double = event + (sent + 3 * 350 * 4.6) * 3 / 1e6
        #expect(abs(ledger.advertising(for: .milliseconds(10_220)) - 10 * advertising) < 1e-9)
        let (asked, answered): (Double, Double) = (168 * 4.8, 380 * 4.6)
        let idle: Double = event + (asked + answered) * 3 / 1e6
        let listening: Double = 30_000 * 4.6 * 3 / 1e6
        ledger.addSetUp()
        let setUp: Double = advertising + listening + 6 * idle
        #expect(abs(ledger.total.millijoules - setUp) < 1e-9)
        #expect(ledger.sum { $0.cause == .opening }.millijoules == ledger.total.millijoules)
        #expect(ledger.total.wakeUps == 0)
    }

    @Test("Four hours in the background: gathered changes cost a fraction of single ones")
    func background() throws {
        let profile = try #require(LinkProfile.all.first { $0.name == "ble" })
        let gathered = BackgroundRun(profile.options(.reliableDatagram), gathers: true, seed: 1)
        let single = BackgroundRun(profile.options(.reliableDatagram), gathers: false, seed: 1)
        #expect(gathered.isSettled && single.isSettled)
        #expect(single.ledger.total.wakeUps >= 200)
        // A sync every quarter of an hour, four doses, and the pushes between.
        #expect((16...40).contains(gathered.ledger.total.wakeUps))
        let share = gathered.ledger.total.millijoules / single.ledger.total.millijoules
        #expect(share < 0.25, "\(share)")
        #expect(
            gathered.pushesLeft >= 40
                && gathered.ledger.sum { $0.channel == .complication }.packets > 0)
        // A packet is of one cause, and nothing is repeated on a link without loss.
        let answers = gathered.ledger.sum { $0.cause == .answer }
        let records = gathered.ledger.sum { $0.cause == .record }
        #expect(
            answers.packets > 0
                && answers.packets + records.packets == gathered.ledger.total.packets)
    }
}
