import WatchProtoCore
import WatchProtoRecords

extension FuzzTarget {
    /// A medication's coding decoded, and a medication coded.
    ///
    /// Input: the length of the base, or 0 for none, the base, and then bytes taken once as a
    /// coding and once as a medication.
    static let coding = FuzzTarget("coding") { bytes in
        guard let length = bytes.first, bytes.count > Int(length) else { return nil }
        let base = try? LightweightMedication(decoding: Array(bytes[1..<(1 + Int(length))]))
        guard length == 0 || base != nil else { return nil }
        let rest = Array(bytes[(1 + Int(length))...])
        return decodedComplaint(rest, base) ?? codedComplaint(rest, base)
    }

    private static let reference = CodingReference(minute: 3_600_000, offset: 120)

    private static func decode(
        _ coding: [UInt8], _ base: LightweightMedication?
    ) throws(WireError) -> LightweightMedication {
        let table = Vocabulary.shared
        if let base { return try table.decode(coding, from: base, reference) }
        let id = MedicationID(rawValue: 1)
        return try table.decode(coding, [id], reference)[0]
    }

    private static func encode(
        _ medication: LightweightMedication, _ base: LightweightMedication?
    ) -> [UInt8]? {
        let table = Vocabulary.shared
        return base.map { table.encode(medication, from: $0, reference) }
            ?? table.encode([medication], reference)
    }

    private static func decodedComplaint(
        _ coding: [UInt8], _ base: LightweightMedication?
    ) -> String? {
        do throws(WireError) {
            let medication = try decode(coding, base)
            guard (try? medication.encoded()) != nil else { return "no canonical encoding" }
            return returnComplaint(medication, base)
        } catch {
            return offsetComplaint(error, coding.count)
        }
    }

    private static func codedComplaint(
        _ payload: [UInt8], _ base: LightweightMedication?
    ) -> String? {
        guard var medication = try? LightweightMedication(decoding: payload) else { return nil }
        medication.id = base?.id ?? MedicationID(rawValue: 1)
        return returnComplaint(medication, base)
    }

    /// The reason why a medication does not come back from its coding; nil if it does.
    private static func returnComplaint(
        _ medication: LightweightMedication, _ base: LightweightMedication?
    ) -> String? {
        guard let coding = encode(medication, base) else { return nil }
        guard let back = try? decode(coding, base) else { return "its own coding is refused" }
        return (try? back.encoded()) == (try? medication.encoded())
            ? nil : "another medication came back"
    }
}
