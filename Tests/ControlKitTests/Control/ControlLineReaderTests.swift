import ControlKit
import Testing

@Suite struct ControlLineReaderTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func lines_come_out_whole_however_the_bytes_arrive() {
        let text = "one\r\n\n  \ntwo\nthree"
        for size in 1...text.utf8.count {
            var reader = ControlLineReader(limitBytes: 8)
            var pieces: [ControlLineReader.Piece] = []
            var rest = bytes(text)[...]
            while !rest.isEmpty {
                pieces += reader.append(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(pieces == [.line(bytes("one")), .line(bytes("two"))])
            #expect(reader.finish() == .line(bytes("three")))
            #expect(reader.finish() == nil)
        }
    }

    @Test func a_line_that_is_too_long_is_told_once_and_skipped() {
        let text = "12345678\n123456789\r\nabc\n" + String(repeating: "x", count: 100) + "\nend\n"
        for size in 1...40 {
            var reader = ControlLineReader(limitBytes: 8)
            var pieces: [ControlLineReader.Piece] = []
            var rest = bytes(text)[...]
            while !rest.isEmpty {
                pieces += reader.append(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(
                pieces == [
                    .line(bytes("12345678")), .tooLong, .line(bytes("abc")), .tooLong,
                    .line(bytes("end")),
                ], "\(size)")
        }
    }

    @Test func an_endless_line_costs_no_memory_and_is_told_at_once() {
        var reader = ControlLineReader(limitBytes: 16)
        #expect(reader.append([UInt8](repeating: 65, count: 1000)) == [.tooLong])
        #expect(reader.append([UInt8](repeating: 65, count: 1000)).isEmpty)
        #expect(reader.finish() == nil)
    }
}
