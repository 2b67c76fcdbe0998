package import WatchProtoCore
import WatchProtoRecords

/// The payloads that the simulated applications send, and their reading of payloads received.
package enum Payloads {
    /// `count` bytes that name their own number, so that no two long enough ones are alike.
    static func numbered(_ number: UInt64, count: Int) -> [UInt8] {
        var bytes = [UInt8]()
        bytes.reserveCapacity(count)
        for index in 0..<min(count, 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
        }
        var filler = LinkDraws.mixed(number)
        while bytes.count < count {
            filler = filler &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes.append(UInt8(truncatingIfNeeded: filler >> 56))
        }
        return bytes
    }

    /// State `value` of a complication; equal values are equal bytes.
    static func complication(_ value: UInt64) -> [UInt8] {
        value < states.count ? states[Int(value)] : state(value)
    }

    /// The highest number of a state of a complication in a written scenario.
    package static let mostStates: UInt64 = 64

    /// The number of the state that a complication shows; nil for something else.
    package static func number(ofState payload: [UInt8]) -> UInt64? {
        (0...mostStates).first { complication($0) == payload }
    }

    private static let states = (0...mostStates).map { state($0) }

    /// The state that a face shows, in its canonical encoding: most neighbours differ in little.
    private static func state(_ value: UInt64) -> [UInt8] {
        let state = ComplicationState(
            name: value % 4 == 3 ? "Metoprolol" : "Lisinopril", amountText: "1 × 10 mg",
            nextDose: WallMinute(minutes: Int32(truncatingIfNeeded: 3_000_000 + 480 * value)),
            taken: UInt8(value % 5), total: 5, active: 3)
        guard let bytes = try? state.encoded() else { preconditionFailure("a state of no size") }
        return bytes
    }

    /// The state with this fingerprint, out of the few there are.
    static func complication(of fingerprint: UInt64) -> [UInt8]? {
        for value in UInt64(1)...mostStates {
            let state = complication(value)
            if ContentHash.of(state) == fingerprint { return state }
        }
        return nil
    }

    /// The fingerprint by which the checkers know a value: 0 for a removal.
    package static func fingerprint(_ kind: ContentKind, _ payload: [UInt8]) -> UInt64 {
        kind.isRemoval ? 0 : ContentHash.of(payload)
    }
}
