package import ControlProtocol
package import WatchProtoRecords

extension FaceContent {
    /// The content with the lines of its drawing, for programs.
    package var drawnMembers: JSONObject {
        let drawing = FaceDrawing(family, hasPicture: picture != nil)
        let shown = lines(drawing.fits).map { line -> JSONValue in
            ["place": .string("\(line.place)"), "text": .string(line.text)]
        }
        return [
            "family": .string("\(family)"), "sign": .string("\(sign)"),
            "tint": .string("\(sign.tint)"), "stale": .bool(isStale),
            "gauge": gauge.map { ["taken": .whole($0.taken), "total": .whole($0.total)] } ?? .null,
            "lines": .array(shown), "accessibility": .string(accessibility),
        ]
    }
}
