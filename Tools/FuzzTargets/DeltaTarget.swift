import WatchProtoCore
import WatchProtoRecords

extension FuzzTarget {
    /// A delta applied, and a delta made.
    ///
    /// Input: a byte of which bit 0 says medication (0) or complication (1), the length of the
    /// base, the base, and then bytes taken once as a delta and once as a next state.
    static let delta = FuzzTarget("delta") { bytes in
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return nil }
        let kind: ContentKind = bytes[0] & 1 == 0 ? .medication : .complication
        let base = [UInt8](bytes[2..<(2 + Int(bytes[1]))])
        let rest = [UInt8](bytes[(2 + Int(bytes[1]))...])
        return appliedComplaint(kind, rest, base) ?? madeComplaint(kind, base, rest)
    }

    private static func appliedComplaint(
        _ kind: ContentKind, _ delta: [UInt8], _ base: [UInt8]
    ) -> String? {
        do throws(WireError) {
            let next = try RecordDelta.apply(kind: kind, delta: delta.span, to: base)
            guard RecordDelta.make(kind: kind, base: base, next: next) == delta else {
                return "a delta was taken that is not the one between base and result"
            }
            guard isCanonical(kind, next) else { return "the result is no encoding" }
            return nil
        } catch {
            return offsetComplaint(error, max(delta.count, base.count))
        }
    }

    private static func madeComplaint(
        _ kind: ContentKind, _ base: [UInt8], _ next: [UInt8]
    ) -> String? {
        guard let delta = RecordDelta.make(kind: kind, base: base, next: next) else { return nil }
        guard delta.count < next.count else { return "a delta that saves nothing" }
        let result = try? RecordDelta.apply(kind: kind, delta: delta.span, to: base)
        return result == next ? nil : "a delta does not lead where it was made to lead"
    }

    private static func isCanonical(_ kind: ContentKind, _ bytes: [UInt8]) -> Bool {
        kind == .medication
            ? (try? LightweightMedication(decoding: bytes).encoded()) == bytes
            : (try? ComplicationState(decoding: bytes).encoded()) == bytes
    }
}
