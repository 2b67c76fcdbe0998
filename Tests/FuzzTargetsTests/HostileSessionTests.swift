import Testing
import WatchProtoCore
import WatchProtoSecurity

@testable import FuzzTargets

@Suite struct HostileSessionTests {
    /// Records of both sides arrive, so that a session shows something.
    @Test(arguments: [true, false]) func two_peers_alone_deliver(isStream: Bool) throws {
        for options in [UInt8](0...15) {
            var session = try #require(
                HostileSession([options, 2, 3, 2, 4, 7, 3, 5 | 8 << 3, 2, 4], isStream: isStream))
            #expect(session.run() == nil, "options \(options)")
            #expect(session.delivered == 5)
        }
    }

    /// The attacker's bytes reach the victim: on a stream they end the link, and on datagrams they
    /// are dropped and counted.
    @Test(arguments: [true, false]) func an_attacker_is_heard_and_believed_nothing(
        isStream: Bool
    ) throws {
        let garbage: [UInt8] = [0, 12] + [UInt8](repeating: 0, count: 12)
        let altered: [UInt8] = [1, 2, 30, 0x55]
        var session = try #require(
            HostileSession([0, 2, 4] + garbage + [3, 4] + altered + [2, 4], isStream: isStream))
        #expect(session.run() == nil)
        #expect(session.delivered == 3)
        let counters = session.victimCounters
        let dropped = [
            counters.packetsDropped, counters.forgedInitiations, counters.packetsNotAuthentic,
            counters.unknownConnectionIDs,
        ]
        #expect(isStream ? dropped[2] > 0 : dropped.reduce(0, +) > 1, "\(dropped)")
    }

    /// The check of dropped packets can fail: here the peer was not drained before.
    @Test func output_behind_a_dropped_packet_is_found() throws {
        let devices = try SimulatedPair(seed: 5)
        let carrier = CarrierTraits(framing: .datagram(largestBytes: 512), isLossy: true)
        let pair = FuzzPair(devices, carrier, victim: .phone)
        pair.connect(withOther: true)
        pair.runUntilIdle()
        let stray: [UInt8] = [PacketKind.transport.rawValue, 1, 2, 3, 4]
        pair.victim.receive(stray, on: carrier, at: pair.now)
        #expect(!pair.victim.hasHiddenOutput)
        let draft = RecordDraft(channel: .background, kind: .opaque, payload: [1])
        _ = try pair.victim.peer.send(draft, at: pair.now)
        pair.victim.receive(stray, on: carrier, at: pair.now)
        #expect(pair.victim.hasHiddenOutput)
    }

    /// The check of what was delivered can fail.
    @Test func a_record_that_is_not_delivered_is_found() throws {
        let devices = try SimulatedPair(seed: 5)
        let pair = FuzzPair(devices, .stream, victim: .phone)
        let id = try #require(pair.victim.accept(.background, 1, at: pair.now))
        #expect(
            HostileSession.complaint(on: [id], of: pair.victim, at: pair.other)
                == "1 records were sent, and these delivered: []")
        pair.connect(withOther: true)
        pair.runUntilIdle()
        pair.advance(by: .seconds(1))
        #expect(HostileSession.complaint(on: [id], of: pair.victim, at: pair.other) == nil)
        #expect(HostileSession.complaint(on: [], of: pair.victim, at: pair.other) != nil)
    }
}
