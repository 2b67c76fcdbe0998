import ControlProtocol
import ReferenceDevice
import WatchProtoCore
import WatchProtoRecords

extension FuzzTarget {
    /// A parsed value is written as text that parses to the same value, in both layouts.
    static let json = FuzzTarget("json") { bytes in
        let value: JSONValue
        do throws(JSONErrors) {
            value = try JSONParser.parse(bytes).value
        } catch {
            return faultComplaint(error.errors, bytes.count)
        }
        for layout in [JSONWriter.Layout.compact, .pretty] {
            let text = JSONWriter.bytes(value, layout: layout)
            guard let again = try? JSONParser.parse(text).value else {
                return "written as text that is no JSON: \(text)"
            }
            guard again == value, JSONWriter.bytes(again, layout: layout) == text else {
                return "written as the text of another value: \(text)"
            }
        }
        return nil
    }

    /// A file of medications is refused with its faults, or each record it brings fits the watch.
    ///
    /// Input: a byte of which bit 0 says a file of lines, then the file.
    static let fhir = FuzzTarget("fhir") { input in
        guard let first = input.first else { return nil }
        let bytes = [UInt8](input[1...])
        let summary: ImportSummary
        do throws(ImportRefusal) {
            summary = try MedicationImporter.read(
                bytes, file: first & 1 == 0 ? "a.json" : "a.ndjson",
                now: WallTime(milliseconds: 1_600_000_000_000))
        } catch {
            guard !error.description(source: bytes).isEmpty else { return "refused without a word" }
            return faultComplaint(error.errors, bytes.count)
        }
        // The words for a person are made of the file's text as well.
        guard !summary.description.isEmpty, !summary.details.isEmpty else {
            return "imported without a word"
        }
        guard Set(summary.medications.map(\.id)).count == summary.medications.count else {
            return "two records with one identity: the watch would hold one of them"
        }
        for medication in summary.medications {
            for nextDose in [nil, WallMinute(minutes: 0)] {
                do throws(ProjectionRefusal) {
                    let record = try MedicationProjection.project(medication, nextDose: nextDose)
                    guard let encoded = try? record.encoded() else {
                        return "\(medication.name): projected, but does not encode"
                    }
                    if let wrong = roundTripComplaint(
                        encoded, LightweightMedication.init(decoding:))
                    {
                        return "\(medication.name): \(wrong)"
                    }
                } catch {
                    return "\(medication.name): imported, but does not fit: \(error)"
                }
            }
        }
        return nil
    }

    /// Lines do not depend on how they arrive; each is a command, or is refused under an id.
    ///
    /// Input: a byte of which bit 7 says the longest line (64 bytes or as long as the protocol has
    /// it) and the rest the length of a chunk, then the bytes of the channel.
    static let control = FuzzTarget("control") { input in
        guard let first = input.first else { return nil }
        let limit = first & 0x80 == 0 ? JSONLimits.line.bytes : 64
        let bytes = input[1...]
        let pieces = pieces(bytes, limit, chunk: bytes.count)
        guard pieces == Self.pieces(bytes, limit, chunk: Int(first & 0x7F)) else {
            return "other lines in other chunks"
        }
        for case .line(let line) in pieces {
            guard line.count <= limit else { return "a line of \(line.count) bytes" }
            if let wrong = requestComplaint(line) { return wrong }
        }
        return nil
    }

    private static func pieces(
        _ bytes: ArraySlice<UInt8>, _ limit: Int, chunk: Int
    ) -> [ControlLineReader.Piece] {
        var reader = ControlLineReader(limitBytes: limit)
        var pieces: [ControlLineReader.Piece] = []
        var rest = bytes
        while !rest.isEmpty {
            pieces += reader.append(rest.prefix(max(chunk, 1)))
            rest = rest.dropFirst(max(chunk, 1))
        }
        if let last = reader.finish() { pieces.append(last) }
        return pieces
    }

    private static func requestComplaint(_ line: [UInt8]) -> String? {
        do throws(ControlRequest.Refusal) {
            let request = try ControlRequest(line: line)
            _ = try? EventCondition(request)
            for member in request.fields.members {
                _ = try? request.string(member.name)
                _ = try? request.integer(member.name, in: 0...Int64.max)
                _ = try? request.optionalUnsigned(member.name)
                _ = try? request.flag(member.name, default: false)
                _ = try? request.array(member.name, expected: "a list")
                if let bytes = try? request.bytes(member.name),
                    member.value.string != Base64.encode(bytes)
                {
                    return "base 64 that has another form was taken: \(member.value)"
                }
            }
            return replyComplaint(ControlMessage.reply(to: request.id, [:]), request.id)
        } catch {
            return replyComplaint(ControlMessage.refusal(of: error.id, error.error), error.id)
        }
    }

    /// A reply is one line of JSON that repeats the id.
    private static func replyComplaint(_ reply: JSONValue, _ id: JSONValue) -> String? {
        let line = JSONWriter.line(reply)
        guard line.firstIndex(of: UInt8(ascii: "\n")) == line.count - 1 else {
            return "a reply of several lines"
        }
        guard let again = try? JSONParser.parse(line).value else { return "a reply is no JSON" }
        return (again["id"] ?? .null) == id ? nil : "a reply lost its id"
    }

    /// The complaint about a refusal that names no fault, or a place outside the text; nil for
    /// none.
    static func faultComplaint(_ errors: [JSONError], _ count: Int) -> String? {
        guard !errors.isEmpty else { return "refused without a fault" }
        for error in errors {
            let start = error.position.byteOffset
            guard start >= 0, error.byteCount >= 0, start + error.byteCount <= count else {
                return "a fault outside the text: \(error)"
            }
            guard !error.description.isEmpty else { return "a fault without words" }
        }
        return nil
    }
}
