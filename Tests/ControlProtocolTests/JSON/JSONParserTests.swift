import ControlProtocol
import Testing

@Suite struct JSONParserTests {
    @Test(
        arguments: [
            ("[1,[2,{\"a\":3", [1, [2, ["a": 3]]], 1), ("[1 2", [1, 2], 2),
            ("{\"a\":1x,\"b\":2}", ["a": nil, "b": 2], 1), ("[1}", [1], 1), ("[1,2]", [1, 2], 0),
        ] as [(String, JSONValue, Int)])
    func `What stands before and between faults can be examined`(
        text: String, value: JSONValue, faults: Int
    ) {
        let findings = JSONParser.examine(Array(text.utf8))
        #expect(findings.nodes.map(\.value) == [value])
        #expect(findings.errors.count == faults)
    }

    @Test(
        arguments: [
            ("null", JSONValue.null), ("true", true), (" false\r\n\t", false), ("\"\"", ""),
            ("0", 0), ("-0", .number(-0.0)), ("-17", -17), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("18446744073709551615", .unsigned(.max)),
            ("18446744073709551616", .number(18_446_744_073_709_551_616)), ("1.5e3", 1500.0),
            ("1E-2", 0.01),
            ("[]", []), ("{}", [:]), ("[1,[2,{}]]", [1, [2, [:]]]),
            (#"{"b":1,"a":[null]}"#, ["b": 1, "a": [nil]]),
            (#""a\"\\\/\b\f\n\r\t\u00e9\uD83D\uDC8A""#, "a\"\\/\u{8}\u{C}\n\r\té💊"),
            ("\"é漢💊\u{7F}\"", "é漢💊\u{7F}"),
        ] as [(String, JSONValue)])
    func `A well-formed text is read`(text: String, value: JSONValue) throws {
        #expect(try JSONParser.parse(text).value == value)
    }

    @Test(arguments: [
        ("", "1:1: expected a value, found the end of the text"),
        ("nul", "1:1: expected a value, found 'nul'"),
        ("tru e", "1:1: expected a value, found 'tru'"),
        ("01", "1:1: expected a number without leading zeros, found '01'"),
        ("-", "1:1: expected a digit after '-', found '-'"),
        ("1.", "1:1: expected a digit after '.', found '1.'"),
        ("1e+", "1:1: expected a digit in the exponent, found '1e+'"),
        ("+1", "1:1: expected a value, found '+'"), (".5", "1:1: expected a value, found '.5'"),
        ("NaN", "1:1: expected a value, found 'NaN'"),
        ("12mg", "1:1: expected a number, found '12mg'"),
        ("1e400", "1:1: expected a number of at most 1.797e308, found '1e400'"),
        ("1 2", "1:3: expected the end of the text after its one value, found '2'"),
        ("\u{FEFF}1", "1:1: expected a value, found a byte order mark (U+FEFF)"),
        ("[1,]", "1:4: expected a value after ',', found ']'"),
        ("[1 2]", "1:4: expected ',' or ']', found '2'"),
        ("[1}", "1:3: expected ',' or ']', found '}'"),
        ("[", "1:2: expected a value, found the end of the text"),
        ("[1", "1:3: expected ']' to close the array opened at 1:1, found the end of the text"),
        ("{\"a\" 1}", "1:6: expected ':' after the member's name, found '1'"),
        ("{a:1}", "1:2: expected a member's name in double quotes, found 'a'"),
        ("{\"a\":1,}", "1:8: expected a member after ',', found '}'"),
        (
            "{\"é\":\n 1",
            "2:3: expected '}' to close the object opened at 1:1, found the end of the text"
        ),
        ("\"é\u{1}\"", "1:3: expected an escape (\\u0001), found the control character U+0001"),
        ("\"a", "1:3: expected '\"' to close the string opened at 1:1, found the end of the text"),
        ("\"a\n\"", "1:3: expected '\"' to close the string opened at 1:1, found the line's end"),
        (
            #""\x41""#,
            #"1:2: expected one of \" \\ \/ \b \f \n \r \t \u, found a backslash before 'x41'"#
        ),
        (#""\u12g4""#, #"1:2: expected four hexadecimal digits after \u, found '12g4'"#),
        (#""\ud800x""#, #"1:2: expected a pair of surrogates, high then low, found \uD800 alone"#),
        (#""\udc00""#, #"1:2: expected a pair of surrogates, high then low, found \uDC00 alone"#),
        (
            #"{"a":1,"a":2}"#,
            "1:8: expected each member once, found a second 'a' (the first is at 1:2)"
        ),
    ])
    func `A fault says where, what was expected and what was found`(text: String, message: String) {
        let errors = #expect(throws: JSONErrors.self) { try JSONParser.parse(text) }
        #expect(errors?.errors.first?.description == message)
        #expect(errors?.errors.first?.description(file: "f.json") == "f.json:" + message)
    }

    @Test func `Every fault of a file is reported at once`() {
        let text = """
            {
              "name": "Metformin,
              "strength": 500mg,
              "form": tablet,
              "count": 007,
              "notes": "\\q \\ud800",
              "name": 1
              "slots": [08:00, 20,],
            }
            """
        let errors = #expect(throws: JSONErrors.self) { try JSONParser.parse(text) }
        let places = errors?.errors.map { "\($0.position) \($0.reason)" }
        #expect(
            places == [
                "2:22 controlCharacter", "3:15 invalidNumber", "4:11 unexpected",
                "5:12 invalidNumber", "6:13 invalidEscape", "6:16 loneSurrogate",
                "7:3 duplicateName", "8:3 unexpected", "8:13 invalidNumber", "8:15 unexpected",
                "8:23 unexpected", "9:1 unexpected",
            ])
    }

    @Test func `Names are the same when their bytes are`() throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2,\"K\":3,\"\u{212A}\":4}"
        let node = try JSONParser.parse(text)
        #expect(node["\u{E9}"]?.integer == 1)
        #expect(node["e\u{301}"]?.integer == 2)
        #expect(node.value["K"] == 3)
        #expect(node.value["\u{212A}"] == 4)
    }

    @Test func `A name that stands twice is marked as long as the text has it`() throws {
        let errors = #expect(throws: JSONErrors.self) {
            try JSONParser.parse(#"{"a": 1, "\u0061": 2}"#)
        }
        #expect(errors?.errors.map(\.byteCount) == [8])
    }

    @Test func `Every value knows its place`() throws {
        let node = try JSONParser.parse("{\n  \"é\": [10, \"x\"]}")
        let list = try #require(node["é"])
        #expect(list.position == JSONPosition(byteOffset: 10, line: 2, column: 8))
        #expect(list.byteCount == 9)
        #expect(list.array?[1].position.column == 13)
        #expect(node.members?[0].namePosition.column == 3)
    }

    @Test func `The elements of one member are given as they are read, and not kept`() throws {
        let text = #"{"a":[1],"list":[{"list":[2]},3,[4]],"b":{"list":[5]},"list":6}"#
        var given: [JSONNode] = []
        let chunked = ChunkedText(Array(text.utf8))
        let found = JSONParser.examine(chunked, elementsOf: "list") { node, errors in
            #expect(errors.isEmpty)
            given.append(node)
        }
        let whole = JSONParser.examine(Array(text.utf8))
        // A repeated name is a fault in either case.
        #expect(found.errors == whole.errors && found.errors.count == 1)
        #expect(given == whole.nodes[0]["list"]?.array)
        #expect(given.map(\.value) == [["list": [2]], 3, [4]])
        #expect(found.nodes[0]["list"]?.array == [])
        #expect(found.nodes[0]["a"] == whole.nodes[0]["a"])
        #expect(found.nodes[0]["b"] == whole.nodes[0]["b"])
        var counts: [Int] = []
        let damaged = ChunkedText(Array(#"{"list":[1,-,3]}"#.utf8))
        _ = JSONParser.examine(damaged, elementsOf: "list") { _, errors in
            counts.append(errors.count)
        }
        #expect(counts.last == 1)
        // A list that is no member of the text's own object is none.
        for text in [#"[[1],{"list":[2]}]"#, #"{"a":{"list":[1]}}"#] {
            _ = JSONParser.examine(ChunkedText(Array(text.utf8)), elementsOf: "list") { _, _ in
                Issue.record("given an element of \(text)")
            }
        }
    }

    @Test func `The elements of a text that is an array are given if that is asked for`() throws {
        for text in [#"[[1],{"list":[2]},[[3]]]"#, #"{"a":[0],"list":[[1],{"list":[2]},[[3]]]}"#] {
            let chunked = ChunkedText(Array(text.utf8))
            var given: [JSONValue] = []
            let found = JSONParser.examine(chunked, elementsOf: "list", orOfRoot: true) { node, _ in
                given.append(node.value)
            }
            #expect(given == [[1], ["list": [2]], [[3]]])
            #expect(found.errors.isEmpty)
        }
    }

    @Test func `A text whose pieces are read has one in memory, and reads it again`() throws {
        let list = (0..<9000).map { #"{"number":\#($0),"text":"é \#($0 * 7919)"}"# }
        let bytes = Array("[\(list.joined(separator: ",\n"))]".utf8)
        var reads: [Int] = []
        let text = ChunkedText(count: bytes.count) { place in
            reads.append(place)
            let start = place * ChunkedText.chunkBytes
            return Array(bytes[start..<min(start + ChunkedText.chunkBytes, bytes.count)])
        }
        var given: [JSONNode] = []
        let found = JSONParser.examine(text, elementsOf: "entry", orOfRoot: true) { node, _ in
            given.append(node)
        }
        #expect(found.errors.isEmpty && given == JSONParser.examine(bytes).nodes.first?.array)
        let pieces = (bytes.count - 1) / ChunkedText.chunkBytes + 1
        #expect(pieces > 4 && reads == Array(0..<pieces))
        for node in [given[8000], given[7]] {
            let again = JSONParser.examine(text, at: node.position, byteCount: node.byteCount)
            #expect(again == node)
        }
        #expect(reads.last == 0 && text.slice(0..<2) == Array("[{".utf8))
    }

    /// The pieces of a text, and the reports about it, are those of its bytes in one piece.
    @Test func `A text in pieces is read as one in one piece, and given back`() throws {
        let elements = (0..<4000).map { #"{"number":\#($0),"text":"\u00e9 é \#($0 * 7919)"}"# }
        for fault in ["", ",-", ",tru", ",\"\u{1}\""] {
            let list = elements.joined(separator: ",\n") + fault
            let bytes = Array(#"{"a":1.5,"list":[\#(list)],"b":2}"#.utf8)
            let text = ChunkedText()
            // Pieces of any size.
            for start in stride(from: 0, to: bytes.count, by: 7001) {
                text.append(bytes[start..<min(start + 7001, bytes.count)])
            }
            #expect(bytes.count > 2 * ChunkedText.chunkBytes)
            var (given, expected): ([JSONNode], [JSONNode]) = ([], [])
            let found = JSONParser.examine(text, elementsOf: "list") { node, _ in
                given.append(node)
                let first = node.position.byteOffset
                #expect(text.slice(first..<first + 1) == [bytes[first]])
            }
            let whole = JSONParser.examine(ChunkedText(bytes), elementsOf: "list") { node, _ in
                expected.append(node)
            }
            #expect(given == expected && given.count >= 4000)
            #expect(found.errors == whole.errors && found.nodes == whole.nodes)
            #expect(found.errors.isEmpty == fault.isEmpty)
            #expect(text.count == bytes.count && text.slice(5..<8) == nil)
            #expect(text.slice(bytes.count - 2..<bytes.count) == Array("2}".utf8))
        }
        let text = ChunkedText()
        let bytes = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        text.append(bytes[...])
        #expect(text.elementsEqual(bytes))
        #expect(text.takeBytes() == bytes && text.slice(149_000..<149_001) == nil)
        #expect(ChunkedText(bytes).takeBytes() == bytes && ChunkedText().takeBytes() == [])
        #expect(ChunkedText().isEmpty && ChunkedText([7]).slice(0..<1) == [7])
    }

    @Test func `Limits are held`() throws {
        let limits = JSONLimits(depth: 3, bytes: 20, errors: 2)
        #expect(throws: Never.self) { try JSONParser.parse("[[[]]]", limits: limits) }
        var errors = #expect(throws: JSONErrors.self) {
            try JSONParser.parse("[[[[]]]]", limits: limits)
        }
        #expect(errors?.errors.map(\.reason) == [.tooDeep])
        errors = #expect(throws: JSONErrors.self) {
            try JSONParser.parse("[\"123456789012345678\"]", limits: limits)
        }
        #expect(errors?.errors.map(\.reason) == [.tooLarge])
        errors = #expect(throws: JSONErrors.self) {
            try JSONParser.parse("[a,b,c,d]", limits: limits)
        }
        #expect(errors?.errors.map(\.reason) == [.unexpected, .unexpected, .tooManyErrors])
        let deep = String(repeating: "[", count: 100_000)
        errors = #expect(throws: JSONErrors.self) { try JSONParser.parse(deep) }
        #expect(errors?.errors.map(\.reason) == [.tooDeep])
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xE2, 0x82],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func `Ill-formed UTF-8 is refused`(sequence: [UInt8]) {
        let errors = #expect(throws: JSONErrors.self) {
            try JSONParser.parse([0x22] + sequence + [0x22])
        }
        #expect(errors?.errors.first?.reason == .invalidUTF8)
        #expect(errors?.errors.first?.position.byteOffset == 1)
    }

    @Test func `A text cut anywhere is refused, and no byte makes the parser stray`() throws {
        let text = Array(#"{"a":[1,-2.5e3,"x\n\ud83d\udc8aé"],"b":{"c":null,"d":true}}"#.utf8)
        for count in 0..<text.count {
            #expect(throws: JSONErrors.self) { try JSONParser.parse(Array(text[..<count])) }
        }
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[index] = byte
                guard let node = try? JSONParser.parse(changed) else { continue }
                let again = try JSONParser.parse(JSONWriter.bytes(node.value))
                #expect(again.value == node.value)
            }
        }
    }

    @Test func `Lines are read one by one, with their places in the file`() throws {
        let nodes = try JSONLines.parse(Array("{\"a\":1}\n\r\n[2]\n  3".utf8))
        #expect(nodes.map(\.value) == [["a": 1], [2], 3])
        #expect(nodes[2].position == JSONPosition(byteOffset: 16, line: 4, column: 3))
        let errors = #expect(throws: JSONErrors.self) {
            try JSONLines.parse(Array("{}\n{\"a\":}\n[1\n4".utf8))
        }
        #expect(errors?.errors.map(\.position.description) == ["2:6", "3:3"])
    }
}
