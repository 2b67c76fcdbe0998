import WatchProtoCore
import WatchProtoRecords

/// The bytes of medications that are coded against the table of words, with the 16 bytes of the
/// identity of each.
package struct CodedSizes: Hashable, Sendable {
    /// The most bytes that are wanted, in the mean, of a list that was generated.
    package static let generatedGoals = (alone: 44.0, batch: 38.0)
    /// The most bytes that are wanted, in the mean, of a list of real names.
    package static let realGoals = (alone: 60.0, batch: 52.0)

    /// The mean of medications that are coded alone.
    package var aloneMean: Double
    /// The largest of them.
    package var largest: Int
    /// The mean of medications in batches of 100.
    package var batchMean: Double

    /// Measures the sizes.
    init(_ medications: [LightweightMedication]) {
        let table = Vocabulary.shared
        let reference = Self.reference(medications)
        let alone = medications.map { Self.size(table.encode([$0], reference), [$0]) }
        largest = alone.max() ?? 0
        aloneMean = ByteSpread(alone).mean
        var batches = 0
        for start in stride(from: 0, to: medications.count, by: Vocabulary.largestBatch) {
            let end = min(medications.count, start + Vocabulary.largestBatch)
            let batch = Array(medications[start..<end])
            batches += Self.size(table.encode(batch, reference), batch)
        }
        batchMean = Double(batches) / Double(max(1, medications.count))
    }

    /// The clock at which the list is coded: the median of the next doses, or else the newest edit.
    static func reference(_ medications: [LightweightMedication]) -> CodingReference {
        let doses = medications.compactMap(\.nextDose).sorted()
        let newest = medications.map(\.updatedAt).max() ?? WallTime(milliseconds: 0)
        let present = doses.isEmpty ? WallMinute(newest) : doses[doses.count / 2]
        return CodingReference(minute: present.minutes)
    }

    /// The bytes of a coding with the identities, or of the plain encodings.
    private static func size(_ coding: [UInt8]?, _ medications: [LightweightMedication]) -> Int {
        coding.map { $0.count + 16 * medications.count }
            ?? medications.reduce(0) { $0 + $1.encodedSize }
    }
}

extension WallClock {
    /// The clock of a side whose reference it is.
    init(_ reference: CodingReference) {
        self.init(
            time: WallMinute(minutes: reference.minute).wallTime,
            zoneOffsetMinutes: reference.offset)
    }
}
