import WatchProtoCore
package import WatchProtoRecords
package import WatchProtoSecurity

/// The bytes of an update: all that stands in its frame for the key, the base and the change.
/// Measured on the bytes that two peers exchange.
///
/// Two updates are measured. A dose was taken: the next dose moves on, the overdue flag goes,
/// revision and time stamp advance. A text was edited: instructions or name have become longer.
package struct UpdateSizes: Hashable, Sendable {
    /// The most bytes of a dose taken that are wanted: in the mean, and ever.
    package static let goals = (mean: 9.0, largest: 16)
    /// Medications in each list. A handle below 128 takes one byte; in a longer list it takes two.
    package static let listLength = 50
    /// A base: the low byte of its version, and the low two bytes of its fingerprint (F-22).
    static let baseBytes = 3

    /// Doses measured.
    package var doses: Int
    /// Texts edited.
    package var edits: Int
    /// Updates that left whole instead: a fault of the peer.
    package var sentWhole: Int
    /// A dose taken: handle, base and body. This is evaluated.
    package var dose: ByteSpread
    /// The body of it alone.
    package var body: ByteSpread
    /// A text edited: handle, base and body.
    package var edit: ByteSpread
    /// The whole frame of a dose: with its type, form, address, kind and length.
    package var frame: ByteSpread
    /// The packet of a dose on a stream: with the prefix, whatever frames left in it, padding and
    /// seal, too.
    package var streamPacket: ByteSpread
    /// The packet of a dose on a datagram carrier that can lose: with the header, other frames,
    /// padding and seal.
    package var datagramPacket: ByteSpread
    /// Other frames in those packets, mostly receipts, watermarks and acknowledgements.
    package var streamOthers: ByteSpread
    /// The same in datagrams.
    package var datagramOthers: ByteSpread
    /// The padding of those packets up to their size class.
    package var streamPadding: ByteSpread
    /// The same in datagrams.
    package var datagramPadding: ByteSpread

    /// Whether the doses kept to both goals and no update left whole.
    package var meetsGoals: Bool {
        doses > 0 && sentWhole == 0 && dose.mean <= Self.goals.mean
            && dose.largest <= Self.goals.largest
    }

    /// Measures one dose of each of `medications` that has a next dose, and one edit of each, in
    /// lists of ``listLength``; those over the byte budget are left out. The two peers are paired,
    /// and their sessions sealed.
    ///
    /// - Throws: `PairingFailure` without memory for keys; the system is at fault.
    package static func measure(
        _ medications: [LightweightMedication]
    ) throws(PairingFailure) -> UpdateSizes {
        let pair = try SimulatedPair(seed: 1)
        let due = medications.filter { $0.nextDose != nil }
        let dosesByCarrier = NewSizes.carriers.map { _, carrier in
            exchange(due.map { ($0, afterDose($0)) }, over: carrier, between: pair)
        }
        let edits = exchange(
            medications.enumerated().map { ($1, edited($1, $0)) }, over: .stream, between: pair)
        let (stream, datagram) = (dosesByCarrier[0].deltas, dosesByCarrier[1].deltas)
        return UpdateSizes(
            doses: dosesByCarrier[0].count, edits: edits.count,
            sentWhole: dosesByCarrier.reduce(edits.count - edits.deltas.count) {
                $0 + $1.count - $1.deltas.count
            },
            dose: ByteSpread((stream + datagram).map(bytes)),
            body: ByteSpread(stream.map(\.value.bodyBytes)),
            edit: ByteSpread(edits.deltas.map(bytes)),
            frame: ByteSpread(stream.map(\.frameBytes)),
            streamPacket: ByteSpread(stream.map(\.packetBytes)),
            datagramPacket: ByteSpread(datagram.map(\.packetBytes)),
            streamOthers: ByteSpread(stream.map(\.otherFrameBytes)),
            datagramOthers: ByteSpread(datagram.map(\.otherFrameBytes)),
            streamPadding: ByteSpread(stream.map(\.paddingBytes)),
            datagramPadding: ByteSpread(datagram.map(\.paddingBytes)))
    }

    private typealias Update = (before: LightweightMedication, after: LightweightMedication)

    /// Sends each update to a watch that holds the values before.
    ///
    /// - Returns: how many updates fit the byte budget, before and after, and those of them that
    ///   left as a delta.
    private static func exchange(
        _ updates: [Update], over carrier: CarrierTraits, between pair: SimulatedPair
    ) -> (count: Int, deltas: [WireExchange.Packet]) {
        let fitting = updates.filter {
            (try? $0.before.encoded()) != nil && (try? $0.after.encoded()) != nil
        }
        let reference = CodedSizes.reference(fitting.map(\.before))
        var packets: [WireExchange.Packet] = []
        for start in stride(from: 0, to: fitting.count, by: listLength) {
            let exchange = WireExchange(carrier, between: pair, at: reference)
            let list = fitting[start..<min(fitting.count, start + listLength)]
            for update in list { _ = exchange.send(update.before) }
            packets += list.compactMap { exchange.send($0.after) }
        }
        return (fitting.count, packets.filter(\.value.isDelta))
    }

    /// The bytes of a delta's frame for the value: handle, key, base and body.
    static func bytes(_ packet: WireExchange.Packet) -> Int {
        let value = packet.value
        let handle = value.handle.map { WireWriter.varintSize($0) } ?? 0
        let key = value.hasKey ? 16 : 0
        return handle + key + (value.isDelta ? baseBytes : 0) + value.bodyBytes
    }

    /// The medication with a longer text, an hour later: a sentence more in the instructions of an
    /// even one, a word more in the name of an odd one, each the next of ``FixtureWords``.
    static func edited(_ medication: LightweightMedication, _ index: Int) -> LightweightMedication {
        var next = medication
        let words = FixtureWords.english
        if index.isMultiple(of: 2) {
            let sentence = words.instructions[index / 2 % words.instructions.count]
            next.instructions += (next.instructions.isEmpty ? "" : ". ") + sentence
        } else {
            let suffixes = words.suffixes.filter { !$0.isEmpty }
            next.name += suffixes[index / 2 % suffixes.count]
        }
        next.revision += 1
        next.updatedAt.milliseconds += 3_661_234
        return next
    }

    /// The medication once its dose was taken, a minute late.
    static func afterDose(_ medication: LightweightMedication) -> LightweightMedication {
        guard let due = medication.nextDose else { return medication }
        var next = medication
        let following = following(due, in: medication.schedule)
        next.nextDose = following
        next.flags.remove(.isOverdue)
        next.revision += 1
        next.updatedAt.milliseconds += Int64(following.minutes - due.minutes) * 60_000 + 61_234
        return next
    }

    /// The next dose after `due` that the schedule asks for.
    static func following(_ due: WallMinute, in schedule: DoseSchedule) -> WallMinute {
        // Minutes count from 1 January 2020, a Wednesday.
        let minutesOfDay: Int32 = 1_440
        let day = due.minutes / minutesOfDay
        let minute = Int(due.minutes % minutesOfDay)
        for ahead in Int32(0)...7 {
            let weekday = (Int(day + ahead) + 2) % 7
            guard schedule.weekdays.rawValue >> UInt8(weekday) & 1 == 1 else { continue }
            for slot in schedule.slots.minutes.sorted() where ahead > 0 || slot > minute {
                return WallMinute(minutes: (day + ahead) * minutesOfDay + Int32(slot))
            }
        }
        return WallMinute(minutes: due.minutes + 7 * minutesOfDay)
    }

    /// The rows of the report.
    var lines: [String] {
        let tenths = CodecReport.tenths
        func row(_ spread: ByteSpread) -> String {
            "mean \(tenths(spread.mean)) B, max \(spread.largest)"
        }
        let goals = Self.goals
        return [
            "Update     a dose taken: mean "
                + CodecReport.figure(dose.mean, goal: goals.mean) + ", max \(dose.largest) "
                + CodecReport.goal("\(goals.largest)", isMet: dose.largest <= goals.largest)
                + "; of that the body \(row(body))",
            "           a longer text: \(row(edit)); \(edits) edits",
            "           counted: what stands in the frame for it, handle 1, base "
                + "\(Self.baseBytes), body; \(doses) doses in lists of \(Self.listLength)"
                + (sentWhole > 0 ? "; SENT WHOLE: \(sentWhole)" : ""),
            "           frame of a dose \(row(frame)): with type, form, epoch, number, kind, "
                + "length",
            "           packet, stream \(row(streamPacket)): with prefix, other frames "
                + "(\(tenths(streamOthers.mean)) B), padding (\(tenths(streamPadding.mean)) B), "
                + "tag",
            "           packet, datagram \(row(datagramPacket)): with header, acknowledgement and "
                + "others (\(tenths(datagramOthers.mean)) B), padding "
                + "(\(tenths(datagramPadding.mean)) B), tag",
            "           packets are sealed, and padded up to size classes",
        ]
    }
}
