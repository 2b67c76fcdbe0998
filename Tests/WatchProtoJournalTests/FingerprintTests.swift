import Testing
import WatchProtoCore

@testable import WatchProtoJournal

/// The fingerprint behind a value in clear.
struct FingerprintTests {
    private let bodies: [[UInt8]] = [
        [], [7], Array(0..<7), Array(0..<8), Array(0..<9), Array(0..<250),
        [UInt8](repeating: 0, count: 64),
    ]
    private let place = SealedPlace.row(9, of: PairingID(rawValue: 3))

    private func opened(_ value: [UInt8], _ place: [UInt8]) -> [UInt8]? {
        try? UnsealedPayloads().open(value, associatedData: place)
    }

    @Test func every_altered_bit_every_length_and_every_other_place_is_noticed() {
        for body in bodies {
            let value = UnsealedPayloads().seal(body, associatedData: place)
            #expect(opened(value, place) == body)
            #expect(opened(value, SealedPlace.row(9, of: PairingID(rawValue: 4))) == nil)
            #expect(opened(value, SealedPlace.row(8, of: PairingID(rawValue: 3))) == nil)
            #expect(opened(value + [0], place) == nil)
            #expect(opened(Array(value.dropLast()), place) == nil)
            for bit in 0..<(8 * value.count) {
                var altered = value
                altered[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(opened(altered, place) == nil, "bit \(bit)")
            }
        }
    }
}
