import ControlProtocol
import Testing

@Suite struct JSONWriterTests {
    private let sample: JSONValue = [
        "b": [1, -2.5, .unsigned(.max), nil, true], "a": ["x": "q\"\\\u{1}\u{1F}\n\té💊"], "e": [],
        "o": [:],
    ]

    @Test func `Compact text keeps the order and escapes what must be`() {
        #expect(
            JSONWriter.text(sample)
                == #"{"b":[1,-2.5,18446744073709551615,null,true],"#
                + #""a":{"x":"q\"\\\u0001\u001f\n\té💊"},"e":[],"o":{}}"#)
        #expect(JSONWriter.line(["a": "\n"]) == Array("{\"a\":\"\\n\"}\n".utf8))
    }

    @Test func `Pretty text puts one member on a line`() {
        let text = JSONWriter.text(["a": [1, [:]], "b": []], layout: .pretty)
        #expect(text == "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}")
    }

    @Test func `What is written reads back the same`() throws {
        for layout in [JSONWriter.Layout.compact, .pretty] {
            #expect(try JSONParser.parse(JSONWriter.bytes(sample, layout: layout)).value == sample)
        }
        for number: Double in [
            0.1, 1e300, -.leastNonzeroMagnitude, 1e16, 123456789.125, 2.2250738585072014e-308,
        ] {
            let text = JSONWriter.text(.number(number))
            #expect(try JSONParser.parse(text).number == number)
        }
        #expect(JSONWriter.text(.number(.nan)) == "null")
    }

    @Test func `Members are set, replaced and removed in place`() {
        var object = JSONObject()
        object["a"] = 1
        object["b"] = 2
        object["a"] = 3
        #expect(object.members.map(\.name) == ["a", "b"])
        object["a"] = nil
        #expect(JSONWriter.text(.object(object)) == "{\"b\":2}")
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `Base 64 follows the vectors of RFC 4648`(plain: String, coded: String) throws {
        #expect(Base64.encode(Array(plain.utf8)) == coded)
        #expect(try Base64.decode(coded) == Array(plain.utf8))
    }

    @Test(arguments: [
        ("Zg", Base64.Failure.length(2)), ("Zg=", .length(3)), ("Zh==", .trailingBits),
        ("Zm9=", .trailingBits), ("Z===", .character(offset: 1)), ("====", .character(offset: 0)),
        ("Zg==Zg==", .character(offset: 2)), ("Zm-_", .character(offset: 2)),
        ("Zm9\n", .character(offset: 3)),
    ])
    func `Base 64 that is not the one text of its bytes is refused`(
        text: String, failure: Base64.Failure
    ) {
        #expect(throws: failure) { try Base64.decode(text) }
    }
}
