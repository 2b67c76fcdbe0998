import ControlProtocol
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
                    .line(bytes("12345678")), .tooLong(id: .null), .line(bytes("abc")),
                    .tooLong(id: .null), .line(bytes("end")),
                ], "\(size)")
        }
    }

    @Test(arguments: [
        (#"{"id":7,"cmd":"send","payload_b64":"AAAAAAAAAAAAAAAA"}"#, 7),
        (#"{"cmd":"x","id":"seven","payload_b64":"AAAAAAAAAAAAAAAA"}"#, "seven"),
        // It may go on behind the limit, stands behind it, or is of no kind that is repeated.
        (#"{"cmd":"12345678901234567890","id":123456789012345}"#, JSONValue.null),
        (#"{"cmd":"123456789012345678901234567890123456","id":7}"#, .null),
        (#"{"id":true,"cmd":"send","payload_b64":"AAAAAAAAAAAA"}"#, .null),
    ])
    func a_line_that_is_too_long_names_its_id(text: String, id: JSONValue) {
        for size in [1, 7, 100] {
            var reader = ControlLineReader(limitBytes: 40)
            var pieces: [ControlLineReader.Piece] = []
            var rest = bytes(text + "\n")[...]
            while !rest.isEmpty {
                pieces += reader.append(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(pieces == [.tooLong(id: id)], "\(size)")
        }
    }

    @Test func an_endless_line_costs_no_memory_and_is_told_at_once() {
        var reader = ControlLineReader(limitBytes: 16)
        #expect(reader.append([UInt8](repeating: 65, count: 1000)) == [.tooLong(id: .null)])
        #expect(reader.append([UInt8](repeating: 65, count: 1000)).isEmpty)
        #expect(reader.finish() == nil)
    }
}
