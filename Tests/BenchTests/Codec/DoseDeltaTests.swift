import Testing
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

@testable import Bench

@Suite struct DoseDeltaTests {
    /// The claim about a delta, over the project's own records: the bytes that two peers sent.
    @Test func a_dose_costs_twelve_bytes_at_most() throws {
        let doses = try DoseDeltas.measure(CodecFixtures.records())
        #expect(doses.doses > 850)
        #expect(doses.sentWhole == 0)
        #expect(doses.delta.largest <= 12, "\(doses)")
        #expect(doses.meetsGoal)
        // A frame and a packet are no smaller than what they are made of.
        #expect(doses.frame.largest == doses.delta.largest + Self.headBytes)
        #expect(doses.streamPacket.mean >= doses.frame.mean + 1 + Self.tagBytes)
        #expect(doses.datagramPacket.mean >= doses.frame.mean + 5 + Self.tagBytes)
        #expect(doses.lines { "\($0)" }.last?.contains("packets are sealed") == true)
    }

    // Type, form, epoch, number, kind and length: a byte each; formerly flags as well.
    private static let headBytes = 6
    private static let tagBytes = Double(ReadableSealer.overheadBytes)

    /// Nothing of the frame is counted twice or left out.
    @Test func every_byte_of_the_frame_is_accounted_for() throws {
        let exchange = DoseExchange(.stream, between: try SimulatedPair(seed: 1))
        let medication = try #require(CodecFixtures.records().first { $0.nextDose != nil })
        #expect(exchange.send(medication) == nil, "the first value has no base")
        let packet = try #require(exchange.send(DoseDeltas.afterDose(medication)))
        #expect(packet.frameBytes == DoseDeltas.claimedBytes(packet) + Self.headBytes)
        #expect(!packet.delta.hasKey && packet.delta.handle == 0)
        // The seal's tag of 16 bytes, the padding up to 64, and a stream's prefix of two.
        let plaintext = packet.frameBytes + packet.otherFrameBytes + packet.paddingBytes
        #expect(plaintext == 64)
        #expect(packet.packetBytes == plaintext + ReadableSealer.overheadBytes + 2)
        #expect(ReadableSecurity.isSealed && ReadableSealer.overheadBytes == 16)
    }

    @Test func a_delta_over_the_goal_is_told() throws {
        var doses = try DoseDeltas.measure(CodecFixtures.records(count: 20))
        #expect(doses.meetsGoal)
        doses.delta = DoseDeltas.Spread([9, 13])
        #expect(!doses.meetsGoal)
        #expect(doses.lines { "\($0)" }[0].contains("over the goal"))
        doses.delta = DoseDeltas.Spread([9, 12])
        doses.sentWhole = 1
        #expect(!doses.meetsGoal)
        #expect(try !DoseDeltas.measure([]).meetsGoal, "nothing measured meets nothing")
    }

    /// The rule of the next dose: the next slot of the day, else the first of the next day that
    /// holds.
    @Test func a_dose_moves_to_the_next_slot_of_its_schedule() throws {
        let slots = try #require(DoseSlots(minutes: [480, 1_200]))
        let daily = DoseSchedule(slots: slots)
        let wednesday = WallMinute(minutes: 480)
        #expect(DoseDeltas.following(wednesday, in: daily).minutes == 1_200)
        #expect(DoseDeltas.following(WallMinute(minutes: 1_200), in: daily).minutes == 1_920)
        let mondays = DoseSchedule(slots: slots, weekdays: .monday)
        #expect(DoseDeltas.following(wednesday, in: mondays).minutes == 5 * 1_440 + 480)
    }
}
