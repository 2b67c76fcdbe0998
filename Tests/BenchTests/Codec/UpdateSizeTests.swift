import Testing
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

@testable import Bench

@Suite struct UpdateSizeTests {
    /// The claim about an update, over the project's own records: the bytes that two peers sent.
    @Test func a_dose_costs_nine_bytes_on_average_and_ten_at_most() throws {
        let updates = try UpdateSizes.measure(CodecFixtures.records())
        #expect(updates.doses > 850 && updates.edits > 950)
        #expect(updates.sentWhole == 0)
        #expect(updates.dose.largest <= 10 && updates.dose.mean <= 9, "\(updates)")
        // A handle of one byte and a base of three stand in the frame beside the body.
        #expect(updates.dose.largest == updates.body.largest + 4)
        #expect(abs(updates.dose.mean - updates.body.mean - 4) < 0.05)
        // A longer text takes more than a dose, and less than the medication.
        #expect(updates.edit.mean > updates.dose.mean && updates.edit.mean < 40, "\(updates)")
        // A frame and a packet are no smaller than what they are made of.
        #expect(updates.frame.largest == updates.dose.largest + Self.headBytes)
        #expect(updates.streamPacket.mean >= updates.frame.mean + 1 + Self.tagBytes)
        #expect(updates.datagramPacket.mean >= updates.frame.mean + 5 + Self.tagBytes)
        #expect(updates.lines.last?.contains("packets are sealed") == true)
    }

    // Type, form, epoch, number, kind and length: a byte each; formerly flags as well.
    private static let headBytes = 6
    private static let tagBytes = Double(ReadableSealer.overheadBytes)

    /// Nothing of the frame is counted twice or left out.
    @Test func every_byte_of_the_frame_is_accounted_for() throws {
        let medication = try #require(CodecFixtures.records().first { $0.nextDose != nil })
        let reference = CodedSizes.reference([medication])
        let exchange = WireExchange(
            .stream, between: try SimulatedPair(seed: 1), at: reference)
        let first = try #require(exchange.send(medication))
        #expect(!first.value.isDelta, "the first value has no base")
        // The clocks of the peers are those of the coded sizes.
        let coding = Vocabulary.shared.encode([medication], reference)
        #expect(first.value.bodyBytes == coding?.count)
        let packet = try #require(exchange.send(UpdateSizes.afterDose(medication)))
        #expect(packet.frameBytes == UpdateSizes.bytes(packet) + Self.headBytes)
        #expect(packet.value.isDelta && !packet.value.hasKey && packet.value.handle == 0)
        // The seal's tag of 16 bytes, the padding up to 64, and a stream's prefix of two.
        let plaintext = packet.frameBytes + packet.otherFrameBytes + packet.paddingBytes
        #expect(plaintext == 64)
        #expect(packet.packetBytes == plaintext + ReadableSealer.overheadBytes + 2)
        #expect(ReadableSecurity.isSealed && ReadableSealer.overheadBytes == 16)
    }

    /// Every second edit is a longer instruction, every other one a longer name.
    @Test func an_edit_changes_one_text() throws {
        let medication = try #require(CodecFixtures.records().first)
        let instructions = UpdateSizes.edited(medication, 0)
        let name = UpdateSizes.edited(medication, 1)
        #expect(instructions.instructions.hasPrefix(medication.instructions))
        #expect(instructions.instructions.count > medication.instructions.count)
        #expect(instructions.name == medication.name)
        #expect(name.name.hasPrefix(medication.name) && name.name.count > medication.name.count)
        #expect(name.instructions == medication.instructions)
        #expect(name.nextDose == medication.nextDose && name.revision == medication.revision + 1)
    }

    @Test func an_update_over_a_goal_is_marked() throws {
        var updates = try UpdateSizes.measure(CodecFixtures.records(count: 20))
        updates.dose = ByteSpread([8, 10])
        #expect(updates.meetsGoals)
        #expect(!updates.lines[0].contains("over the goal"))
        updates.dose = ByteSpread([8, 11])
        #expect(!updates.meetsGoals)
        #expect(updates.lines[0].contains("mean 9.5 B (goal 9.0) over the goal, max 11 (goal 16);"))
        updates.dose = ByteSpread([1, 17])
        #expect(!updates.meetsGoals)
        #expect(updates.lines[0].contains("mean 9.0 B (goal 9.0), max 17 (goal 16) over the goal"))
        updates.dose = ByteSpread([8, 10])
        updates.sentWhole = 1
        #expect(!updates.meetsGoals)
        #expect(try !UpdateSizes.measure([]).meetsGoals, "nothing measured meets nothing")
    }

    /// New medications are measured on the packets of two peers, alone and in first
    /// synchronizations of 100.
    @Test func new_medications_are_measured_sealed_and_padded() throws {
        let records = CodecFixtures.records(count: 150)
        let new = try NewSizes.measure(records)
        let coded = CodedSizes(records)
        #expect(new.rows.map(\.carrier) == ["stream", "datagram"])
        #expect(new.lost == 0 && new.lists == 2 && new.medications == 150)
        for row in new.rows {
            // A packet has its seal, and a plaintext of a class.
            #expect(row.alone.mean > coded.aloneMean + Self.tagBytes, "\(row)")
            #expect(row.alone.largest <= 192 + ReadableSealer.overheadBytes + 16, "\(row)")
            // A first synchronization saves most of that.
            #expect(row.firstSync > coded.batchMean, "\(row)")
            #expect(row.firstSync < row.alone.mean / 1.5, "\(row)")
        }
        #expect(new.lines[1].contains("a first sync of 100"))
    }

    /// The coding saves packets, bytes and time of a first synchronization over ble.
    @Test func a_first_sync_over_ble_takes_less_with_the_coding() throws {
        let sync = try FirstSync.measure(Array(CodecFixtures.records().prefix(250)))
        #expect(sync.lost == 0 && sync.lists == 5)
        #expect(sync.after.packets < sync.before.packets, "\(sync)")
        #expect(sync.after.bytes < sync.before.bytes, "\(sync)")
        #expect(sync.after.milliseconds < sync.before.milliseconds, "\(sync)")
        #expect(sync.after.longestMilliseconds >= sync.after.milliseconds, "\(sync)")
        #expect(sync.lines[0].hasPrefix("First sync of 50 over ble, 5 lists: before "))
    }

    /// The rule of the next dose: the next slot of the day, else the first of the next day that
    /// holds.
    @Test func a_dose_moves_to_the_next_slot_of_its_schedule() throws {
        let slots = try #require(DoseSlots(minutes: [480, 1_200]))
        let daily = DoseSchedule(slots: slots)
        let wednesday = WallMinute(minutes: 480)
        #expect(UpdateSizes.following(wednesday, in: daily).minutes == 1_200)
        #expect(UpdateSizes.following(WallMinute(minutes: 1_200), in: daily).minutes == 1_920)
        let mondays = DoseSchedule(slots: slots, weekdays: .monday)
        #expect(UpdateSizes.following(wednesday, in: mondays).minutes == 5 * 1_440 + 480)
    }
}
