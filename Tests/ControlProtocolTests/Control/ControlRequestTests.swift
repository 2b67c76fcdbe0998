import ControlProtocol
import Testing

@Suite struct ControlRequestTests {
    private func request(_ text: String) throws -> ControlRequest {
        try ControlRequest(line: Array(text.utf8))
    }

    private func refusal(_ text: String) -> ControlRequest.Refusal? {
        do {
            _ = try ControlRequest(line: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    private func fault(_ body: () throws(ControlError) -> Void) -> ControlError? {
        do throws(ControlError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func what_is_no_command_is_answered_under_its_id_where_it_has_one() {
        #expect(refusal("{")?.error.code == "bad_json")
        #expect(refusal("5")?.error.details["found"] == "a number")
        #expect(refusal("{\"id\":7}")?.id == 7)
        #expect(
            refusal("{\"id\":7}")?.error == .missingField("cmd", expected: "the name of a command"))
        #expect(refusal("{\"id\":{},\"cmd\":\"x\"}")?.id == .null)
        #expect(refusal("{\"id\":\"seven\",\"cmd\":\"x\"}") == nil)
    }

    /// As of a line that is too long, the id counts that was complete before the first fault.
    @Test(arguments: [
        (#"{"id":7,"cmd":"wait","timeout_ms":1e400}"#, 7),
        (#"{"id":"seven","cmd":"status","cmd":"quit"}"#, "seven"),
        (#"{"id":7,"id":8,"cmd":"status"}"#, 7),
        (#"{"id":7} {"id":8}"#, 7), (#"{"id":7,"cmd":"send","text":"he said "no"}"#, 7),
        (#"{"id":12"#, JSONValue.null), (#"{"cmd":1e400,"id":7}"#, .null),
        (#"{"id":1e400}"#, .null), (#"{"id":tru}"#, .null), (#"[{"id":7}"#, .null),
        (#"{"in":{"id":7},"x":1e400}"#, .null),
    ])
    func a_line_that_is_no_json_is_answered_under_its_id(text: String, id: JSONValue) {
        #expect(refusal(text)?.error.code == "bad_json")
        #expect(refusal(text)?.id == id)
        let split = #"{"id":"a"# + "\u{0}" + #"b","cmd":"x"}"#
        #expect(refusal(split)?.id == .null)
    }

    @Test func fields_are_typed() throws {
        let full = try request(
            #"{"cmd":"x","s":"words","n":5,"f":true,"b":"AQI=","a":[1],"z":null}"#)
        #expect(try full.string("s") == "words")
        #expect(try full.integer("n", in: 1...5) == 5)
        #expect(try full.flag("f", default: false))
        #expect(try full.bytes("b") == [1, 2])
        #expect(try full.array("a", expected: "numbers") == [1])
        #expect(try full.optionalString("z") == nil)
        #expect(try full.flag("none", default: true))
        #expect(
            fault { () throws(ControlError) in _ = try full.string("n") }
                == .badField("n", expected: "a string", found: "5"))
        // A person's own words never get into an error.
        #expect(
            fault { () throws(ControlError) in _ = try full.integer("s", in: 0...9) }
                == .badField("s", expected: "a whole number, 0 to 9", found: "a string"))
        #expect(
            fault { () throws(ControlError) in _ = try full.integer("z", in: 0...9) }
                == .missingField("z", expected: "a whole number, 0 to 9"))
        #expect(fault { () throws(ControlError) in _ = try full.bytes("s") }?.code == "bad_field")
    }

    @Test func an_unknown_command_names_its_neighbour() {
        let error = ControlError.unknownCommand("link.sett", known: ["link.set", "send"])
        #expect(
            JSONWriter.text(ControlMessage.refusal(of: 4, error))
                == #"{"id":4,"ok":false,"error":{"code":"unknown_command","got":"link.sett","did_you_mean":"link.set"}}"#
        )
    }

    @Test func a_field_that_a_command_does_not_have_is_refused() throws {
        let request = try request(#"{"id":3,"v":1,"cmd":"send","expires_in":5}"#)
        let error = fault { () throws(ControlError) in
            try request.checkFields(["kind", "expires_in_ms"])
        }
        #expect(error == .unknownField("expires_in", known: ["expires_in_ms"]))
        #expect(error?.details["did_you_mean"] == "expires_in_ms")
        let none = fault { () throws(ControlError) in try request.checkFields(["expires_in"]) }
        #expect(none == nil)
    }

    @Test func a_content_is_bytes_or_a_text_and_an_event_shows_both() throws {
        #expect(try request(#"{"cmd":"send","text":"Grüße"}"#).payload() == Array("Grüße".utf8))
        #expect(try request(#"{"cmd":"send","payload_b64":"AAE="}"#).payload() == [0, 1])
        let two = try request(#"{"cmd":"send","text":"","payload_b64":""}"#)
        let both = fault { () throws(ControlError) in _ = try two.payload() }
        #expect(both?.details["field"] == "text" && both?.details["found"] == "both")
        func members(_ bytes: [UInt8]) -> JSONValue { .object(ControlPayload.members(of: bytes)) }
        #expect(
            members(Array("a\tb\n".utf8))
                == ["bytes": 4, "payload_b64": "YQliCg==", "text": "a\tb\n"])
        #expect(members([0x61, 0xFF]) == ["bytes": 2, "payload_b64": "Yf8="])
        #expect(members([0x61, 0]) == ["bytes": 2, "payload_b64": "YQA="])
        let largest = [UInt8](repeating: 0x61, count: ControlPayload.shownBytes)
        #expect(members(largest)["text"] != nil)
        #expect(members(largest + [0x61]) == ["bytes": .whole(largest.count + 1)])
    }

    @Test func a_condition_matches_by_name_and_members() throws {
        let condition = try EventCondition(
            request(#"{"id":3,"cmd":"wait","event":"shown","msg":17,"after":4,"timeout_ms":1500}"#))
        func event(_ members: JSONValue) -> JSONValue {
            ControlMessage.event("shown", members.object ?? JSONObject(), atNanoseconds: 5)
        }
        #expect(condition.matches(event(["msg": 17, "text": "61 bpm"])))
        #expect(!condition.matches(event(["msg": 18])))
        #expect(!condition.matches(event([:])))
        #expect(!condition.matches(["event": "other", "msg": 17]))
        #expect(condition.timeoutMilliseconds == 1500 && condition.after == 4)
    }

    @Test func events_name_themselves_first_and_carry_their_moment() {
        let event = ControlMessage.event(
            "bye", (["lost": 0] as JSONValue).object ?? JSONObject(), atNanoseconds: 9)
        #expect(JSONWriter.text(event) == #"{"event":"bye","lost":0,"t_ns":9}"#)
    }
}
