import Simulation
import WatchProtoCore
package import WatchProtoRecords
package import WatchProtoSecurity

/// The first synchronization of a list over Bluetooth Low Energy: packets, bytes and time, of two
/// peers over the link model of the profile `ble`.
///
/// *Before* is the protocol without a table of words: each medication leaves in its canonical
/// encoding, in a frame of its own. *After* is the product.
package struct FirstSync: Hashable, Sendable {
    /// Means over all lists.
    package struct Row: Hashable, Sendable {
        /// Packets of both sides, until the list is settled.
        package var packets: Double
        /// Their bytes.
        package var bytes: Double
        /// From the moment when the list is there until the watch has all of it in its journal.
        package var milliseconds: Double
        /// The longest of these times.
        package var longestMilliseconds: Double
    }

    /// Medications of a list.
    package static let listLength = 50
    /// Bytes of the largest datagram.
    package static let datagramBytes = 244

    /// Without the coding.
    package var before: Row
    /// With the coding.
    package var after: Row
    /// Lists measured each way; less than 50 medications only if there are no more.
    package var lists: Int
    /// Lists that did not arrive: a fault of the peers.
    package var lost: Int

    /// Measures lists of `medications`; those over the byte budget are left out. Each pair has an
    /// idle session of some seconds, and each list is sent to a watch that has nothing.
    ///
    /// - Throws: `PairingFailure` without memory for keys; the system is at fault.
    package static func measure(
        _ medications: [LightweightMedication]
    ) throws(PairingFailure) -> FirstSync {
        let devices = try SimulatedPair(seed: 1)
        let fitting = medications.filter { (try? $0.encoded()) != nil }
        let clock = WallClock(CodedSizes.reference(fitting))
        let lists = stride(from: 0, to: fitting.count, by: listLength).map {
            Array(fitting[$0..<min(fitting.count, $0 + listLength)])
        }
        func trials(_ kinds: RecordKinds) -> [Trial] {
            lists.enumerated().compactMap { number, list in
                trial(list, kinds, clock, seed: UInt64(number + 1), devices)
            }
        }
        var plain = RecordKinds.product
        plain.codingTable = nil
        let (before, after) = (trials(plain), trials(.product))
        return FirstSync(
            before: row(before), after: row(after), lists: lists.count,
            lost: 2 * lists.count - before.count - after.count)
    }

    private struct Trial {
        var tally: PairTally
        var time: Duration
    }

    private static func trial(
        _ list: [LightweightMedication], _ kinds: RecordKinds, _ clock: WallClock, seed: UInt64,
        _ devices: SimulatedPair
    ) -> Trial? {
        guard let profile = LinkProfile.named("ble") else { return nil }
        var options = PairOptions(
            BaselineSettings(profile).conditions, datagramBytes: datagramBytes, seed: seed)
        (options.kinds, options.clock) = (kinds, clock)
        let pair = PeerPair(options) { devices.security(of: $0, life: seed) }
        pair.connect(seed: seed)
        // The list is there at any moment of a connection interval.
        var random = SeededGenerator(seed: seed)
        pair.run(for: .milliseconds(5_000) + .microseconds(Int64(random.next() % 30_000)))
        _ = pair.takeObservations()
        let start = (at: pair.now, tallies: pair.sides.map(\.tally))
        var missing: Set<RecordID> = []
        for medication in list {
            let draft = RecordDraft(
                channel: .context, kind: .medication, key: medication.recordKey,
                payload: (try? medication.encoded()) ?? [])
            guard let id = pair.phone.send(draft, at: pair.now) else { return nil }
            missing.insert(id)
        }
        pair.drain(pair.phone)
        let end = start.at.advanced(by: .seconds(60))
        while !missing.isEmpty, pair.step(until: end) {
            for case .durable(1, let id) in pair.takeObservations() { missing.remove(id) }
        }
        guard missing.isEmpty else { return nil }
        let time = start.at.duration(to: pair.now)
        // The answers to the last packets count as well.
        pair.run(for: .seconds(1))
        guard pair.phone.outstanding() == 0 else { return nil }
        var tally = PairTally()
        for (side, before) in zip(pair.sides, start.tallies) { tally += side.tally - before }
        return Trial(tally: tally, time: time)
    }

    private static func row(_ trials: [Trial]) -> Row {
        let count = Double(max(1, trials.count))
        let times = trials.map { Double($0.time.nanosecondsClamped) / 1_000_000 }
        return Row(
            packets: trials.reduce(0) { $0 + Double($1.tally.packets) } / count,
            bytes: trials.reduce(0) { $0 + Double($1.tally.bytes) } / count,
            milliseconds: times.reduce(0, +) / count, longestMilliseconds: times.max() ?? 0)
    }

    /// The rows of the report.
    var lines: [String] {
        let tenths = CodecReport.tenths
        func figures(_ row: Row) -> String {
            "\(tenths(row.packets)) packets, \(Int(row.bytes.rounded())) B, "
                + "\(tenths(row.milliseconds)) ms (longest \(tenths(row.longestMilliseconds)))"
        }
        return [
            "First sync of \(Self.listLength) over ble, \(lists) lists: before "
                + "\(figures(before)); after \(figures(after))"
                + (lost > 0 ? "; LOST: \(lost)" : ""),
            "           before: no table of words; both ways, with the acknowledgements; the time "
                + "is until the last is durable on the watch; datagrams of "
                + "\(Self.datagramBytes) B",
        ]
    }
}
