/// The families of places that a face has for an app.
package enum FaceFamily: UInt8, CaseIterable, Hashable, Sendable {
    /// A disc: a sign, a word and a time, within a ring.
    case circular
    /// Three lines and a bar.
    case rectangular
    /// One line of text.
    case inline
    /// A corner of the display: a time, and a line along the edge.
    case corner
}

/// The place of a line within its family.
package enum FacePlace: UInt8, CaseIterable, Hashable, Sendable {
    /// The word above the value of a disc, or along the edge of a corner.
    case label
    /// The large text of a disc or of a corner.
    case value
    /// The first line, or the only one.
    case headline
    /// The second line.
    case body
    /// The third line.
    case detail
}

/// A line at its place.
package struct FaceLine: Hashable, Sendable {
    /// The place.
    package var place: FacePlace
    /// The same text with ever fewer words. The first one that fits is shown.
    package var texts: [FaceText]

    /// The longest form that fits; nil for none.
    func fitted(_ fits: (FacePlace, String) -> Bool) -> String? {
        for text in texts {
            if let shown = text.fitted({ fits(place, $0) }) { return shown }
        }
        return nil
    }
}

/// A line as it is shown.
package struct ShownLine: Hashable, Sendable {
    /// The place.
    package var place: FacePlace
    /// The text, with the marks of direction around names and strengths.
    package var text: String
}

/// The content of one family, as plain values: a renderer needs nothing else.
package struct FaceContent: Hashable, Sendable {
    /// The family.
    package let family: FaceFamily
    /// The sign.
    package let sign: FaceSign
    /// The progress of the day; nil without doses today, and in a line of text.
    package let gauge: FaceGauge?
    /// The medication's colour; nil if the face names none.
    package let color: UInt32?
    /// The medication's thumbnail as a JPEG, in place of its colour; nil in a family without room
    /// for it, and if the face names no medication.
    package let picture: [UInt8]?
    /// Whether the content may be out of date. Every layout says so in words.
    package let isStale: Bool
    /// Sentences for a screen reader. They say everything that the face shows.
    package let accessibility: String
    /// The same content with ever fewer lines. The first layout that fits is shown.
    package let layouts: [[FaceLine]]

    /// The lines of the first layout of which every line fits. If none fits, there are no lines:
    /// the sign and the gauge remain.
    ///
    /// - Parameter fits: whether a text has room at a place.
    package func lines(_ fits: (FacePlace, String) -> Bool) -> [ShownLine] {
        for layout in layouts {
            var lines: [ShownLine] = []
            for line in layout {
                guard let text = line.fitted(fits) else { break }
                lines.append(ShownLine(place: line.place, text: text))
            }
            if lines.count == layout.count { return lines }
        }
        return []
    }

    /// The content of a family.
    package init(_ family: FaceFamily, _ scene: FaceScene) {
        let words = FaceWords(scene)
        self.family = family
        sign = scene.sign
        let entry = scene.shown.entry
        gauge =
            family == .inline || entry.total == 0
            ? nil : FaceGauge(taken: Int(entry.taken), total: Int(entry.total))
        color = family == .circular ? nil : words.drug?.color
        picture = family == .rectangular ? words.drug?.picture : nil
        isStale = scene.shown.asOf != nil
        accessibility = words.sentences
        layouts =
            switch family {
            case .circular: words.circular
            case .rectangular: words.rectangular
            case .inline: words.inline
            case .corner: words.corner
            }
    }
}
