internal import Glibc
internal import WatchProtoCore
package import WatchProtoRecords
package import WatchProtoSecurity

/// The leak and the cost of classes of packet sizes: how much the sizes of the packets of an action
/// tell about it, and how much it costs to hide that.
///
/// Two peers perform actions on the medications of a list, over a stream; nothing is lost, and
/// nothing else happens for a second. An observer sees the size and the direction of each packet,
/// and all actions are equally likely.
package struct PaddingTable: Hashable, Sendable {
    /// The actions that are told apart.
    package static let actions = [
        "dose taken", "dose skipped", "next dose moved", "new medication", "face", "message",
    ]

    /// One choice of classes.
    package struct Row: Hashable, Sendable {
        /// The classes.
        package var name: String
        /// The mean bytes of an action, both ways, sealed and framed.
        package var bytes: Double
        /// The mutual information of action and sizes, in bits.
        package var bits: Double
        /// The entropy of the sizes of a new medication, in bits: so much they tell of which one
        /// it is.
        package var medicationBits: Double
        /// The share of actions that are guessed by their sizes, from half of the samples for the
        /// other half.
        package var guessed: Double
        /// Whether the product has them.
        package var isInUse: Bool
    }

    /// The choices, from the most bits to the most bytes.
    package var rows: [Row]
    /// Samples of each action.
    package var samples: Int

    private typealias Sizes = [Int]

    /// Measures on medications; those over the byte budget are left out.
    ///
    /// - Throws: `PairingFailure` without memory for keys; the system is at fault.
    package static func measure(
        _ medications: [LightweightMedication]
    ) throws(PairingFailure) -> PaddingTable {
        let pair = try SimulatedPair(seed: 1)
        let due = medications.filter {
            $0.nextDose != nil && (try? $0.encoded()) != nil
                && (try? UpdateSizes.afterDose($0).encoded()) != nil
        }
        var found = [[Sizes]](repeating: [], count: actions.count)
        let reference = CodedSizes.reference(due)
        var random = SeededGenerator(seed: 5)
        for start in stride(from: 0, to: due.count, by: UpdateSizes.listLength) {
            let exchange = WireExchange(.stream, between: pair, at: reference)
            let list = due[start..<min(due.count, start + UpdateSizes.listLength)]
            for medication in list {
                found[3].append(exchange.sizes(of: value(medication), from: .phone))
            }
            for medication in list {
                for (action, status) in [(0, DoseStatus.taken), (1, .skipped)] {
                    found[action].append(
                        exchange.sizes(of: dose(medication, status, &random), from: .watch))
                }
                let moved = UpdateSizes.afterDose(medication)
                found[2].append(exchange.sizes(of: value(moved), from: .phone))
                found[4].append(exchange.sizes(of: face(moved), from: .phone))
                let text = (0..<(10 + random.next() % 150)).map { _ in UInt8(0x61) }
                let message = RecordDraft(channel: .interactive, kind: .message, payload: text)
                found[5].append(exchange.sizes(of: message, from: .phone))
            }
        }
        let rows = choices.map { name, classes, isInUse in
            row(name, found.map { $0.map { $0.map { padded($0, classes) } } }, isInUse)
        }
        return PaddingTable(rows: rows, samples: found[0].count)
    }

    // MARK: Actions

    private static func value(_ medication: LightweightMedication) -> RecordDraft {
        RecordDraft(
            channel: .context, kind: .medication,
            key: RecordKey(rawValue: medication.id.rawValue),
            payload: (try? medication.encoded()) ?? [])
    }

    /// A planned dose, with all that `session.doses.now` tells of the time.
    static func dose(
        _ medication: LightweightMedication, _ status: DoseStatus,
        _ random: inout SeededGenerator
    ) -> RecordDraft {
        let event = DoseEvent(
            id: DoseEventID(rawValue: UInt128(random.next()) << 64 | UInt128(random.next())),
            medication: medication.id,
            planned: PlannedDose(
                day: UInt16(2_000 + random.next() % 400), minute: Int(random.next() % 1_440)),
            status: status,
            time: DoseTime(
                medication.updatedAt, device: UInt32(truncatingIfNeeded: random.next()),
                uptime: DoseUptime(
                    boot: UInt32(truncatingIfNeeded: random.next()),
                    milliseconds: random.next() % 1_000_000_000),
                phoneOffset: Int32(random.next() % 2_000)))
        return RecordDraft(
            channel: .urgent, kind: .doseEvent, payload: (try? event.encoded()) ?? [],
            idempotencyKey: event.id.rawValue)
    }

    private static func face(_ medication: LightweightMedication) -> RecordDraft {
        let state = ComplicationState(
            name: medication.name, amountText: "1 tablet", color: medication.color,
            nextDose: medication.nextDose, taken: 1, total: 3, active: 8)
        return RecordDraft(
            channel: .complication, kind: .complication, key: ComplicationID.main.recordKey,
            payload: (try? state.encoded()) ?? [])
    }

    // MARK: Classes

    private static var choices: [(String, PaddingClasses, isInUse: Bool)] {
        func even(_ step: Int) -> PaddingClasses {
            PaddingClasses(rows: [
                .init(limit: max(256, step), step: step), .init(limit: 2_048, step: 256),
                .init(limit: 8_192, step: 1_024), .init(limit: 1 << 16, step: 4_096),
            ])
        }
        func steps(_ limits: [Int]) -> PaddingClasses {
            let lengths = zip(limits, [0] + limits)
            return PaddingClasses(
                rows: lengths.map { .init(limit: $0, step: $0 - $1) } + even(256).rows.dropFirst())
        }
        return [("none", .off, false)]
            + [16, 32].map { ("multiples of \($0)", even($0), false) }
            + [("multiples of 64", .standard, true), ("multiples of 128", even(128), false)]
            + [
                ("64 and 256", steps([64, 256]), false), ("256", even(256), false),
                ("1,024", even(1_024), false),
            ]
    }

    private static func padded(_ bytes: Int, _ classes: PaddingClasses) -> Int {
        let length = classes.paddedLength(of: abs(bytes))
        return bytes < 0 ? -length : length
    }

    // MARK: Figures

    private static func row(_ name: String, _ shapes: [[Sizes]], _ isInUse: Bool) -> Row {
        let all = shapes.joined()
        let count = Double(max(1, all.count))
        // Each packet has the tag of its seal and the length in front of it.
        let bytes = all.reduce(0) { sum, sizes in
            sizes.reduce(sum) { $0 + abs($1) + SessionSealer.overheadBytes + 2 }
        }
        return Row(
            name: name, bytes: Double(bytes) / count, bits: information(shapes),
            medicationBits: entropy(shapes[3]), guessed: guessed(shapes), isInUse: isInUse)
    }

    /// The entropy of actions less that of actions whose sizes are known.
    private static func information(_ shapes: [[Sizes]]) -> Double {
        var joint: [Sizes: [Double]] = [:]
        for (action, samples) in shapes.enumerated() {
            for sizes in samples {
                joint[sizes, default: [Double](repeating: 0, count: shapes.count)][action] +=
                    1 / Double(samples.count * shapes.count)
            }
        }
        let known = joint.values.reduce(0.0) { sum, shares in
            let whole = shares.reduce(0, +)
            return shares.reduce(sum) { $1 > 0 ? $0 - $1 * log2($1 / whole) : $0 }
        }
        return log2(Double(shapes.count)) - known
    }

    private static func entropy(_ samples: [Sizes]) -> Double {
        var counts: [Sizes: Double] = [:]
        for sizes in samples { counts[sizes, default: 0] += 1 / Double(samples.count) }
        return counts.values.reduce(0) { $0 - $1 * log2($1) }
    }

    private static func guessed(_ shapes: [[Sizes]]) -> Double {
        var seen: [Sizes: [Int]] = [:]
        for (action, samples) in shapes.enumerated() {
            for place in stride(from: 0, to: samples.count, by: 2) {
                seen[samples[place], default: [Int](repeating: 0, count: shapes.count)][action] += 1
            }
        }
        let best = seen.mapValues { counts in
            counts.indices.max { (counts[$0], -$0) < (counts[$1], -$1) } ?? 0
        }
        // A shape that was not seen is taken for the one with the nearest sum.
        let totals = best.map { (total: $0.key.reduce(0) { $0 + abs($1) }, action: $0.value) }
            .sorted { $0 < $1 }
        var (right, count) = (0, 0)
        for (action, samples) in shapes.enumerated() {
            for place in stride(from: 1, to: samples.count, by: 2) {
                let total = samples[place].reduce(0) { $0 + abs($1) }
                let guess =
                    best[samples[place]]
                    ?? totals.min { abs($0.total - total) < abs($1.total - total) }?.action
                right += guess == action ? 1 : 0
                count += 1
            }
        }
        return Double(right) / Double(max(1, count))
    }

    /// The lines of the report.
    var lines: [String] {
        let tenths = CodecReport.tenths
        return [
            "Padding    the sizes of packets tell of \(Self.actions.count) actions "
                + "(\(Self.actions.joined(separator: ", "))), of \(samples) samples each, so many "
                + "of \(tenths(log2(Double(Self.actions.count)))) bits:"
        ]
            + rows.map { row in
                "           \(row.name)\(row.isInUse ? " (in use)" : ""): \(tenths(row.bits)) "
                    + "bits, \(tenths(100 * row.guessed)) % guessed, of a new medication "
                    + "\(tenths(row.medicationBits)) bits; \(tenths(row.bytes)) B an action"
            }
    }
}
