import ControlProtocol

/// The values that the watch's face showed, in few bytes: columns of numbers in base 36, in
/// microseconds.
enum FaceColumns {
    /// How many values a page holds at most.
    static let mostSpans = 8000

    /// All of `spans`, or of each so many neighbours the one that grew oldest.
    static func sample(_ spans: [RunDetail.FaceSpan]) -> [RunDetail.FaceSpan] {
        guard spans.count > mostSpans else { return spans }
        return (0..<mostSpans).compactMap { bucket in
            let neighbours =
                bucket * spans.count / mostSpans..<(bucket + 1) * spans.count / mostSpans
            return spans[neighbours].max { age($0) < age($1) }
        }
    }

    private static func age(_ span: RunDetail.FaceSpan) -> UInt64 {
        span.replaced - min(span.made, span.replaced)
    }

    /// The columns, for the page's script.
    static func json(_ spans: [RunDetail.FaceSpan]) -> JSONValue {
        var names = NameColumn()
        var columns = [[String]](repeating: [], count: 4)
        var previous: Int64 = 0
        for span in spans {
            names.append(span.name)
            let made = Int64(clamping: span.made / 1000)
            let shown = Int64(clamping: span.shown / 1000)
            let values: [Int64?] = [
                made - previous, span.outdated.map { Int64(clamping: $0 / 1000) - made },
                shown - made, Int64(clamping: span.replaced / 1000) - shown,
            ]
            previous = made
            for (place, value) in values.enumerated() {
                columns[place].append(value.map { String($0, radix: 36) } ?? "")
            }
        }
        return [
            "prefixes": names.prefixes, "names": names.column,
            "made": NameColumn.joined(columns[0]), "outdated": NameColumn.joined(columns[1]),
            "shown": NameColumn.joined(columns[2]), "stayed": NameColumn.joined(columns[3]),
        ]
    }
}
