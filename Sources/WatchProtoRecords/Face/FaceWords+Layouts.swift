/// The layouts of the families.
extension FaceWords {
    private static let comma = ", "
    private static let dot = " · "

    private func joined(_ texts: [String], _ separator: String = comma) -> String {
        var joined = ""
        for text in texts where !text.isEmpty {
            joined += joined.isEmpty ? text : separator + text
        }
        return joined
    }

    /// The face's own words as alternatives.
    private static func words(_ texts: String...) -> [FaceText] { texts.map { FaceText($0) } }

    // MARK: Circular

    /// A word above a time. A disc names no medication, and shows no strength.
    var circular: [[FaceLine]] {
        func disc(_ labels: [String], _ value: String) -> [[FaceLine]] {
            [
                [
                    FaceLine(place: .label, texts: labels.map { FaceText($0) }),
                    FaceLine(place: .value, texts: [FaceText(value)]),
                ]
            ]
        }
        if let asOf {
            return disc([joined(["as of", asOf.day], " ")], asOf.clock)
        }
        let label = isUnchecked ? shortMarks : [word]
        switch sign {
        case .nothing: return disc(label, "today")
        case .done: return disc(label, "\(entry.taken)/\(entry.total)")
        case .conflicting: return disc(label, "check")
        default: break
        }
        guard let moment else { return disc([word], "–") }
        let said = sign == .snoozed ? "snoozed to" : word
        if moment.day.isEmpty {
            return disc(shortMarks.isEmpty ? [said, word, plainWord] : shortMarks, moment.clock)
        }
        // A time of another date is never shown without that date.
        return shortMarks.isEmpty
            ? disc([joined([said, moment.day], " "), moment.day], moment.clock)
            : disc(shortMarks, moment.text)
    }

    // MARK: Corner

    /// A time, and along the edge the state with the medication.
    var corner: [[FaceLine]] {
        let value =
            switch sign {
            case .nothing: "none"
            case .done: "\(entry.taken)/\(entry.total)"
            case .conflicting: "check"
            default: moment?.clock ?? "–"
            }
        let state = hasMomentAsValue ? joined([word, moment?.day ?? ""], " ") : word
        let marked = joined([state] + shortMarks)
        var labels: [FaceText] = []
        if let drug {
            for line in [drug.line(isWhole: true), drug.line(isWhole: false)] {
                labels.append(FaceText(marked + Self.dot) + line)
            }
        }
        if hasMomentAsValue, let day = moment?.day, !day.isEmpty {
            // A time of another date is never shown without that date.
            labels += Self.words(marked, joined([day] + shortMarks))
        } else {
            labels += Self.words(marked, joined([word] + shortMarks))
            if let mark = shortMarks.first { labels.append(FaceText(mark)) }
        }
        return [
            [
                FaceLine(place: .value, texts: [FaceText(value)]),
                FaceLine(place: .label, texts: labels),
            ]
        ]
    }

    private var hasMomentAsValue: Bool { sign != .done && sign != .conflicting }

    // MARK: Inline

    /// One line: the state first, since a system may cut the end of a line.
    var inline: [[FaceLine]] {
        let whole = joined([phrase] + marks)
        let short = joined([shortPhrase] + shortMarks)
        let least = joined([word] + shortMarks)
        var texts: [FaceText] = []
        if let drug {
            for line in [drug.line(isWhole: true, hasAmount: true), drug.line(isWhole: true)] {
                texts.append(FaceText(whole + Self.dot) + line)
            }
            for isWhole in [true, false] {
                texts.append(FaceText(short + Self.dot) + drug.line(isWhole: isWhole))
            }
            for isWhole in [true, false] {
                texts.append(FaceText(least + Self.dot) + drug.line(isWhole: isWhole))
            }
        } else if let taken {
            texts.append(FaceText(joined([whole] + others + [taken])))
            texts.append(FaceText(joined([whole, taken])))
        }
        texts += Self.words(whole, short, least)
        if let mark = shortMarks.first { texts.append(FaceText(mark)) }
        return [[FaceLine(place: .headline, texts: texts)]]
    }

    // MARK: Rectangular

    /// The state, the medication, and the marks or else the counts.
    var rectangular: [[FaceLine]] {
        let state = FaceLine(place: .headline, texts: Self.words(phrase, shortPhrase, word))
        guard let drug else { return [[state] + plainLines] }
        let marked = Self.words(
            joined([phrase] + marks), joined([phrase] + shortMarks),
            joined([shortPhrase] + shortMarks), joined([word] + shortMarks))
        return [
            [state, FaceLine(place: .body, texts: drug.lines)] + detail,
            [
                FaceLine(place: .headline, texts: marked),
                FaceLine(place: .body, texts: [drug.nameAlone]),
                FaceLine(place: .detail, texts: [drug.quantities]),
            ],
            [state, FaceLine(place: .body, texts: Self.words("See the app"))] + detail,
        ].filter { layout in !layout.contains { $0.texts.contains { $0.isEmpty } } }
    }

    /// The lines below the state, without a medication to name.
    private var plainLines: [FaceLine] {
        var bodies: [String] = []
        switch sign {
        case .done: if let moment { bodies = ["Next dose \(moment.text)", "Next \(moment.text)"] }
        case .conflicting: bodies = ["See the app"]
        case .upcoming, .snoozed, .due, .unchecked, .overdue:
            bodies = scene.isPrivate ? ["Unlock to see it"] : ["See the app"]
        case .nothing: break
        }
        let body = FaceLine(place: .body, texts: bodies.map { FaceText($0) })
        return (bodies.isEmpty ? [] : [body]) + detail
    }

    /// The third line, if there is anything to say. The marks come first, and the last alternative
    /// still has one.
    private var detail: [FaceLine] {
        let counts = others + [taken ?? ""]
        let texts =
            marks.isEmpty
            ? [
                joined(counts + [age ?? ""]), joined(counts), joined(others),
                joined(Array(others.prefix(2))), others.first ?? "",
                joined([taken ?? "", age ?? ""]), taken ?? "", age ?? "",
            ]
            : [
                joined(marks + counts), joined(marks + [taken ?? ""]), joined(marks),
                joined(shortMarks), marks[0],
            ]
        let said = texts.filter { !$0.isEmpty }.map { FaceText($0) }
        return said.isEmpty ? [] : [FaceLine(place: .detail, texts: said)]
    }
}
