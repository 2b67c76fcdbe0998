import Testing
import WatchProto
import WatchProtoRecords
import WatchSecurity

@Suite struct LivenessTests {
    static let carriers: [CarrierTraits] = [.stream, .lossyDatagram]

    @Test(arguments: carriers)
    func silence_with_data_outstanding_is_suspect_then_a_stall(_ carrier: CarrierTraits) throws {
        let box = PairInABox(carrier)
        box.connect()
        box.advance(by: .seconds(30))
        box.loses = { _ in true }
        _ = try box.phone.peer.send(userInfo("x"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .milliseconds(1_900))
        #expect(box.phone.isReachable)
        box.advance(by: .milliseconds(200))
        #expect(!box.phone.isReachable)
        #expect(box.phone.host.events.contains(.reachability(false, .silence)))
        #expect(box.phone.activationState == .activated)
        box.advance(by: .seconds(8))
        #expect(box.phone.host.events.contains(.linkClosed(.stalled)))
        #expect(box.phone.activationState == .inactive)
    }

    /// What arrived in an earlier session, and was not committed, is owed its receipt, though
    /// nothing of it left in this one. (Sealed seed 6101526.)
    @Test(arguments: carriers)
    func a_commit_that_is_not_told_is_owed(_ carrier: CarrierTraits) throws {
        let box = PairInABox(carrier)
        box.connect()
        box.watch.commitsAtOnce = false
        _ = try box.phone.peer.send(userInfo("x"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.cut()
        box.connect()
        box.advance(by: .seconds(1))
        #expect(box.phone.isReachable)
        #expect(box.phone.peer.outstandingTransfers.count == 1)
        box.phone.host.events = []
        box.loses = { _ in true }
        box.advance(by: .seconds(12))
        #expect(box.phone.host.events.contains(.reachability(false, .silence)))
        #expect(box.phone.host.events.contains(.linkClosed(.stalled)))
    }

    /// Nobody owes an answer, and yet the rest of a packet never comes: its length was damaged.
    /// (Seed 1363, sealed.)
    @Test func a_packet_that_does_not_end_is_a_stall() throws {
        let box = PairInABox(.stream)
        box.connect()
        box.advance(by: .seconds(30))
        // The beginning of 500 bytes of frames.
        let beginning: [UInt8] = [0xD0, 0x0F, 0]
        box.phone.peer.receive(beginning.span, at: box.now)
        box.phone.drain(at: box.now)
        box.advance(by: .seconds(9))
        #expect(box.phone.activationState == .activated)
        box.advance(by: .seconds(2))
        #expect(box.phone.host.events.contains(.linkClosed(.stalled)))
    }

    /// Who asks what the other side holds is owed an answer, though no record is under way: on a
    /// stream the packet that brings it may be damaged so that it is none of the session's. (Seed
    /// 268017, sealed.)
    @Test(arguments: carriers)
    func a_question_about_values_that_is_not_answered_is_a_stall(_ carrier: CarrierTraits) throws {
        for last in 1...12 {
            let box = PairInABox(carrier)
            box.connect()
            _ = try box.phone.send(context(1, "shown"), at: box.now)
            box.phone.drain(at: box.now)
            box.settle()
            box.cut()
            box.restart(.phone, epoch: 0x3333, keepsJournal: false)
            var came = 0
            box.arrivals = { role, bytes in
                guard role == .watch else { return [bytes] }
                came += 1
                return came <= last ? [bytes] : []
            }
            box.connect()
            box.advance(by: .seconds(30))
            let isWaiting =
                box.phone.activationState == .activated && box.phone.peer.isReconciling
            #expect(!isWaiting, "nothing came after packet \(last)")
        }
    }

    @Test(arguments: carriers) func a_word_ends_the_suspicion(_ carrier: CarrierTraits) throws {
        let box = PairInABox(carrier)
        box.connect()
        box.advance(by: .seconds(30))
        box.loses = { _ in true }
        _ = try box.phone.peer.send(userInfo("x"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(3))
        #expect(!box.phone.isReachable)
        box.loses = { _ in false }
        _ = try box.watch.peer.send(userInfo("y"), at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        #expect(box.phone.isReachable)
    }

    @Test(arguments: carriers) func an_idle_link_is_never_stalled(_ carrier: CarrierTraits) {
        let box = PairInABox(carrier)
        box.connect()
        box.advance(by: .seconds(3_600))
        #expect(box.phone.isReachable && box.watch.isReachable)
        #expect(box.phone.counters.timersFired == 0)
    }

    /// A carrier that takes nothing cannot carry what is owed, however often the host wakes.
    @Test func an_acknowledgement_behind_a_packet_that_waits_for_the_carrier_wakes_nobody()
        throws
    {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.advance(by: .seconds(5))
        box.phone.host.transmitLimit = 0
        _ = try box.phone.peer.send(userInfo("stuck"), at: box.now)
        box.phone.drain(at: box.now)
        box.phone.host.disposition = { _ in .pending }
        _ = try box.watch.peer.send(userInfo("owed an answer"), at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        #expect(box.phone.host.delivered.count == 1)
        box.now = box.now.advanced(by: .milliseconds(50))
        box.phone.peer.wake(at: box.now)
        box.phone.drain(at: box.now)
        let deadline = try #require(box.phone.nextDeadline)
        #expect(deadline > box.now)
        box.phone.host.transmitLimit = .max
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.outstanding.count == 1)
    }

    @Test func interactive_messages_need_a_reachable_counterpart() throws {
        let box = PairInABox()
        let message = RecordDraft(lane: .interactive, kind: .message, payload: [1])
        #expect(throws: SendRefusal.notReachable) { try box.phone.send(message, at: box.now) }
        box.connect()
        _ = try box.phone.peer.send(message, at: box.now)
    }

    @Test func a_cut_tells_what_is_known_of_messages() throws {
        let box = PairInABox()
        box.connect()
        let message = RecordDraft(lane: .interactive, kind: .message, payload: [1])
        let sent = try box.phone.peer.send(message, at: box.now)
        box.phone.drain(at: box.now)
        let unsent = try box.phone.peer.send(message, at: box.now)
        box.cut()
        #expect(box.phone.host.events.contains(.settled(sent, .outcomeUnknown)))
        #expect(box.phone.host.events.contains(.settled(unsent, .notDelivered)))
    }

    @Test func closing_says_why() {
        let box = PairInABox()
        box.connect()
        box.phone.peer.deactivate(.suspending, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.events.contains(.linkClosed(.counterpart(.suspending))))
        #expect(box.watch.host.events.contains(.reachability(false, .counterpartSaidSo)))
        #expect(box.phone.activationState == .notActivated)
        #expect(box.phone.nextDeadline == nil)
    }

    @Test func a_journal_that_fails_stops_the_peer_and_acknowledges_nothing() throws {
        let box = PairInABox()
        box.connect()
        box.watch.commitsAtOnce = false
        _ = try box.phone.peer.send(userInfo("x"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.phone.outstanding.count == 1)
        let receipt = try #require(box.watch.host.entries.first?.0)
        box.watch.peer.failed(receipt, at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.events.contains(.journalFailed))
        #expect(throws: SendRefusal.journalFailed) {
            try box.watch.send(userInfo("y"), at: box.now)
        }
        #expect(box.phone.outstanding.count == 1)
    }
}
