import Articles
import ControlProtocol
import WatchProtoCore
import WatchProtoRecords

/// One vector as a line of a fixture: canonical bytes, and what they stand for.
struct RecordVector {
    var kind: String
    var name: String
    /// The fields of the value, or the base and result of a delta.
    var value: JSONValue
    var bytes: [UInt8]

    var json: JSONValue {
        [
            "kind": .string(kind), "name": .string(name), "value": value,
            "hex": .string(Hex.string(bytes)),
        ]
    }

    /// All golden vectors, in the order of the fixture.
    static func golden() throws -> [RecordVector] {
        var list: [RecordVector] = []
        for (name, value) in RecordExamples.medications {
            list.append(
                RecordVector(
                    kind: "medication", name: name, value: RecordJSON.value(value),
                    bytes: try value.encoded()))
        }
        for (name, value) in RecordExamples.doseEvents {
            list.append(
                RecordVector(
                    kind: "doseEvent", name: name, value: RecordJSON.value(value),
                    bytes: try value.encoded()))
        }
        for (name, value) in RecordExamples.complications {
            list.append(
                RecordVector(
                    kind: "complication", name: name, value: RecordJSON.value(value),
                    bytes: try value.encoded()))
        }
        for kind in ["medication", "complication"] {
            let states = list.filter { $0.kind == kind && !$0.name.hasPrefix("seed") }
            for next in states.dropFirst() {
                let made = RecordDelta.make(
                    kind: contentKind(kind), base: states[0].bytes, next: next.bytes)
                guard let made else { continue }
                list.append(
                    RecordVector(
                        kind: kind + "Delta", name: "to " + next.name,
                        value: [
                            "base": .string(Hex.string(states[0].bytes)),
                            "next": .string(Hex.string(next.bytes)),
                        ],
                        bytes: made))
            }
        }
        return list
    }

    static func contentKind(_ name: String) -> ContentKind {
        switch name {
        case "medication", "medicationDelta": .medication
        case "complication", "complicationDelta": .complication
        default: .doseEvent
        }
    }

    /// The lines of a fixture, written anew first where that was asked for.
    static func fixture(_ name: String, _ lines: [JSONValue]) throws -> [JSONValue] {
        try FixtureFiles.vectors("records/" + name, lines)
    }
}
