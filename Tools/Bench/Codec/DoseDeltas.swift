import WatchProtoCore
package import WatchProtoRecords
package import WatchProtoSecurity

/// The bytes that tell the watch that a dose was taken: the next dose moves on, the overdue flag
/// goes, revision and time stamp advance. Measured on the packets that two peers exchange.
package struct DoseDeltas: Hashable, Sendable {
    /// Bytes of one thing over all doses.
    package struct Spread: Hashable, Sendable {
        /// The mean, in bytes.
        package var mean: Double
        /// The most, in bytes.
        package var largest: Int

        init(_ sizes: [Int]) {
            mean = Double(sizes.reduce(0, +)) / Double(max(1, sizes.count))
            largest = sizes.max() ?? 0
        }
    }

    /// The most bytes a delta may take with its handle, base reference and hash.
    package static let goalBytes = 12
    /// Medications in each list. A handle below 128 takes one byte; in a longer list a handle takes
    /// two, and a weekly dose, whose next is over 5.7 days away, 13 in all.
    package static let listLength = 50
    /// A base reference: the low byte of the base's number.
    static let baseReferenceBytes = 1
    /// The low half of the base's 32-bit fingerprint.
    static let hashBytes = 2

    /// Doses measured.
    package var doses: Int
    /// Doses that left whole instead: a fault of the peer.
    package var sentWhole: Int
    /// The bytes evaluated: session handle, base reference, two-byte hash and the delta's body.
    package var delta: Spread
    /// The delta's body alone.
    package var body: Spread
    /// The whole record frame: with its type, form, flags, address, kind and length.
    package var frame: Spread
    /// The packet on a stream: with the prefix, all frames that left in it, padding and seal, too.
    package var streamPacket: Spread
    /// The packet on a datagram carrier that can lose: with the header, other frames, padding and
    /// seal.
    package var datagramPacket: Spread
    /// Other frames in those packets, mostly receipts, watermarks and acknowledgements.
    package var streamOthers: Spread
    /// The same in datagrams.
    package var datagramOthers: Spread
    /// The bytes that fill those packets up to their size class.
    package var streamPadding: Spread
    /// The same in datagrams.
    package var datagramPadding: Spread

    /// Whether every delta kept to the goal and none left whole.
    package var meetsGoal: Bool {
        doses > 0 && sentWhole == 0 && delta.largest <= Self.goalBytes
    }

    /// Measures one dose of each of `medications` that has a next dose, in lists of
    /// ``listLength``; those over the byte budget are left out. The two peers are paired, and their
    /// sessions sealed.
    ///
    /// - Throws: `PairingFailure` without memory for keys; the system is at fault.
    package static func measure(
        _ medications: [LightweightMedication]
    ) throws(PairingFailure) -> DoseDeltas {
        let pair = try SimulatedPair(seed: 1)
        // A record over the byte budget never leaves the phone, before its dose or after it.
        let due = medications.filter {
            $0.nextDose != nil && (try? $0.encoded()) != nil
                && (try? afterDose($0).encoded()) != nil
        }
        var packets: [DoseExchange.Packet] = []
        var datagrams: [DoseExchange.Packet] = []
        for start in stride(from: 0, to: due.count, by: listLength) {
            let list = due[start..<min(due.count, start + listLength)]
            packets += exchange(list, over: .stream, between: pair)
            datagrams += exchange(
                list,
                over: CarrierTraits(framing: .datagram(largestBytes: 1_200), isLossy: true),
                between: pair)
        }
        return DoseDeltas(
            doses: due.count, sentWhole: 2 * due.count - packets.count - datagrams.count,
            delta: Spread((packets + datagrams).map(claimedBytes)),
            body: Spread(packets.map(\.delta.bodyBytes)),
            frame: Spread(packets.map(\.frameBytes)),
            streamPacket: Spread(packets.map(\.packetBytes)),
            datagramPacket: Spread(datagrams.map(\.packetBytes)),
            streamOthers: Spread(packets.map(\.otherFrameBytes)),
            datagramOthers: Spread(datagrams.map(\.otherFrameBytes)),
            streamPadding: Spread(packets.map(\.paddingBytes)),
            datagramPadding: Spread(datagrams.map(\.paddingBytes)))
    }

    private static func exchange(
        _ list: ArraySlice<LightweightMedication>, over carrier: CarrierTraits,
        between pair: SimulatedPair
    ) -> [DoseExchange.Packet] {
        let exchange = DoseExchange(carrier, between: pair)
        for medication in list { _ = exchange.send(medication) }
        return list.compactMap { exchange.send(afterDose($0)) }
    }

    /// Handle, base reference, hash and body of a delta.
    static func claimedBytes(_ packet: DoseExchange.Packet) -> Int {
        let delta = packet.delta
        let handle = delta.handle.map { WireWriter.varintSize($0) } ?? 0
        let key = delta.hasKey ? 16 : 0
        return handle + key + baseReferenceBytes + hashBytes + delta.bodyBytes
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
    func lines(_ tenths: (Double) -> String) -> [String] {
        func row(_ spread: Spread) -> String {
            "mean \(tenths(spread.mean)) B, max \(spread.largest)"
        }
        return [
            "Dose delta \(row(delta)) (goal \(Self.goalBytes))"
                + (meetsGoal ? "" : "  over the goal") + "; of that the body \(row(body))",
            "           counted: session handle, base reference \(Self.baseReferenceBytes), "
                + "hash \(Self.hashBytes), body; \(doses) doses in lists of \(Self.listLength)"
                + (sentWhole > 0 ? "; SENT WHOLE: \(sentWhole)" : ""),
            "           frame \(row(frame)): with type, form, epoch, number, kind, length",
            "           packet, stream \(row(streamPacket)): with prefix, other frames "
                + "(\(tenths(streamOthers.mean)) B), padding (\(tenths(streamPadding.mean)) B), "
                + "tag",
            "           packet, datagram \(row(datagramPacket)): with header, acknowledgement and "
                + "others (\(tenths(datagramOthers.mean)) B), padding "
                + "(\(tenths(datagramPadding.mean)) B), tag",
            "           packets are sealed, and filled up to size classes",
        ]
    }
}
