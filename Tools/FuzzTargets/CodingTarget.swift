import WatchProtoCore
import WatchProtoRecords

extension FuzzTarget {
    /// Codings of medications decoded, one with its base or up to 100 together, and medications
    /// coded.
    ///
    /// Input: how many medications there are, modulo 101; the minute (4 bytes) and the offset (2)
    /// of the reference; of none the length of a base and the base, else the identity of the first
    /// medication (16). Numbers have the highest byte first. The rest is taken once as a coding
    /// and once as a medication.
    static let coding = FuzzTarget("coding") { bytes in
        var rest = bytes[...]
        guard let coding = FuzzedCoding(&rest) else { return nil }
        return coding.decodedComplaint(Array(rest)) ?? coding.codedComplaint(Array(rest))
    }
}

/// Medications with these identities, or a later state of a base, at this clock.
struct FuzzedCoding {
    private let reference: CodingReference
    private var identities: [MedicationID] = []
    private var base: LightweightMedication?

    /// Takes all but the coding from `bytes`; nil if they are too few or have no base.
    init?(_ bytes: inout ArraySlice<UInt8>) {
        guard let count = Self.number(1, &bytes), let minute = Self.number(4, &bytes),
            let offset = Self.number(2, &bytes)
        else { return nil }
        reference = CodingReference(
            minute: Int32(truncatingIfNeeded: minute), offset: Int16(truncatingIfNeeded: offset))
        guard count % 101 == 0 else {
            guard let first = Self.number(16, &bytes) else { return nil }
            identities = (0..<(count % 101)).map { MedicationID(rawValue: first &+ $0) }
            return
        }
        guard let length = Self.number(1, &bytes), bytes.count >= length,
            let base = try? LightweightMedication(decoding: Array(bytes.prefix(Int(length))))
        else { return nil }
        self.base = base
        identities = [base.id]
        bytes = bytes.dropFirst(Int(length))
    }

    private static func number(_ count: Int, _ bytes: inout ArraySlice<UInt8>) -> UInt128? {
        guard bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count).reduce(0) { $0 << 8 | UInt128($1) }
    }

    func decode(_ coding: [UInt8]) throws(WireError) -> [LightweightMedication] {
        let table = Vocabulary.shared
        if let base { return [try table.decode(coding, from: base, reference)] }
        return try table.decode(coding, identities, reference)
    }

    private func encode(_ medications: [LightweightMedication]) -> [UInt8]? {
        let table = Vocabulary.shared
        return base.map { table.encode(medications[0], from: $0, reference) }
            ?? table.encode(medications, reference)
    }

    func decodedComplaint(_ coding: [UInt8]) -> String? {
        do throws(WireError) {
            let medications = try decode(coding)
            guard encodings(medications) != nil else { return "no canonical encoding" }
            return returnComplaint(medications)
        } catch {
            return FuzzTarget.offsetComplaint(error, coding.count)
        }
    }

    /// Codes as many medications as there are identities: alike, but with further revisions, so
    /// that they have texts in common.
    func codedComplaint(_ payload: [UInt8]) -> String? {
        guard let medication = try? LightweightMedication(decoding: payload) else { return nil }
        return returnComplaint(
            identities.indices.map { place in
                var next = medication
                next.id = identities[place]
                next.revision &+= UInt32(place)
                return next
            })
    }

    private func encodings(_ medications: [LightweightMedication]) -> [[UInt8]]? {
        try? medications.map { try $0.encoded() }
    }

    /// The reason why medications do not come back from their coding; nil if they do.
    private func returnComplaint(_ medications: [LightweightMedication]) -> String? {
        guard let coding = encode(medications) else { return nil }
        guard let back = try? decode(coding) else { return "its own coding is refused" }
        return encodings(back) == encodings(medications)
            ? nil : "other medications came back"
    }
}
