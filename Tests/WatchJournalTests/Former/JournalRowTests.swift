import Testing
import WatchProto

@testable import WatchJournal

/// The fingerprint in front of what rows hold.
struct JournalRowTests {
    private let bodies: [[UInt8]] = [
        [], [7], Array(0..<7), Array(0..<8), Array(0..<9), Array(0..<250),
        [UInt8](repeating: 0, count: 64),
    ]

    @Test func every_altered_bit_every_length_and_every_other_place_is_noticed() throws {
        for body in bodies {
            let row = JournalRow.seal(body, pairing: 3, sequence: 9)
            #expect(JournalRow.open(row, pairing: 3, sequence: 9) == body)
            #expect(JournalRow.open(row, pairing: 4, sequence: 9) == nil)
            #expect(JournalRow.open(row, pairing: 3, sequence: 8) == nil)
            #expect(JournalRow.open(row + [0], pairing: 3, sequence: 9) == nil)
            #expect(JournalRow.open(Array(row.dropLast()), pairing: 3, sequence: 9) == nil)
            for bit in 0..<(8 * row.count) {
                var altered = row
                altered[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(JournalRow.open(altered, pairing: 3, sequence: 9) == nil, "bit \(bit)")
            }
        }
    }

    @Test func rows_of_the_first_schema_are_read() {
        for body in bodies {
            var writer = WireWriter()
            writer.uint64(JournalRow.firstMark(body, 3, 9))
            writer.append(body)
            #expect(JournalRow.open(writer.bytes, pairing: 3, sequence: 9) == body)
            #expect(JournalRow.open(writer.bytes, pairing: 3, sequence: 8) == nil)
        }
    }

    /// Counted by hand, as the article on the file describes both.
    @Test func the_fingerprints_are_those_that_are_described() {
        let body = Array("The file's article".utf8)
        let today: [UInt8] = [5, 212, 51, 145, 67, 30, 240, 169]
        let first: [UInt8] = [172, 53, 155, 77, 132, 106, 234, 15]
        #expect(JournalRow.seal(body, pairing: 3, sequence: 9) == today + body)
        #expect(JournalRow.open(first + body, pairing: 3, sequence: 9) == body)
    }
}
