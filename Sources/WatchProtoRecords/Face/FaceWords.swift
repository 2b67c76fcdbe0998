/// The words of a face: the phrases of which the families make their lines.
struct FaceWords {
    let scene: FaceScene
    let sign: FaceSign
    /// The medication that the face names; nil if it names none.
    let drug: FaceDrug?

    init(_ scene: FaceScene) {
        self.scene = scene
        sign = scene.sign
        switch sign {
        case .nothing, .done, .conflicting: drug = nil
        case .upcoming, .snoozed, .due, .unchecked, .overdue:
            drug = scene.isPrivate || scene.shown.entry.headline == nil ? nil : scene.drug
        }
    }

    var entry: FaceEntry { scene.shown.entry }

    func time(_ minute: WallMinute) -> FaceTime { FaceTime(minute, now: scene.now, scene.zone) }

    /// The moment of the dose: the end of a snooze, or the minute at which it is due.
    var moment: FaceTime? { entry.headline.map { time($0.minute) } }

    /// Whether the dose that the sign is about is past the grace period.
    private var isOverdue: Bool { entry.headline?.phase == .overdue }

    // MARK: The state

    /// The state in one word or two.
    var word: String {
        switch sign {
        case .nothing: "no doses"
        case .done: entry.taken == entry.total ? "all taken" : "done"
        case .upcoming: "next"
        case .snoozed: "snoozed"
        case .due: entry.due > 1 ? "\(entry.due) due" : "due"
        case .unchecked: isOverdue ? "overdue?" : "due?"
        case .overdue: entry.overdue > 1 ? "\(entry.overdue) overdue" : "overdue"
        case .conflicting: entry.conflicting > 1 ? "\(entry.conflicting) conflicts" : "conflict"
        }
    }

    /// The state in one word, without a count.
    var plainWord: String {
        switch sign {
        case .due: "due"
        case .overdue: "overdue"
        case .nothing, .done, .upcoming, .snoozed, .unchecked, .conflicting: word
        }
    }

    /// The state with its time, short.
    var shortPhrase: String {
        let text = moment?.text ?? ""
        return switch sign {
        case .nothing, .done, .conflicting: phrase
        case .upcoming: "Next \(text)"
        case .snoozed: "Snoozed to \(text)"
        case .due: "Due \(text)"
        case .unchecked: isOverdue ? "Overdue? \(text)" : "Due? \(text)"
        case .overdue: "Overdue \(text)"
        }
    }

    /// The state with its time.
    var phrase: String {
        let text = moment?.text ?? ""
        return switch sign {
        case .nothing: "No doses planned"
        case .done: entry.taken == entry.total ? "All doses taken" : "No more doses"
        case .upcoming: "Next dose \(text)"
        case .snoozed: "Snoozed until \(text)"
        case .due: "Due since \(text)"
        case .unchecked: isOverdue ? "Overdue since \(text)?" : "Due since \(text)?"
        case .overdue: "Overdue since \(text)"
        case .conflicting:
            entry.conflicting > 1 ? "\(entry.conflicting) doses conflict" : "A dose conflicts"
        }
    }

    // MARK: Marks

    /// The moment up to which the content was right.
    var asOf: FaceTime? { scene.shown.asOf.map(time) }

    /// Whether a dose is due that another device may have closed.
    var isUnchecked: Bool { entry.unchecked > 0 || entry.headline?.isUnchecked == true }

    /// The marks that no layout leaves out.
    var marks: [String] {
        var marks: [String] = []
        if let asOf { marks.append("as of \(asOf.text)") }
        if isUnchecked { marks.append(uncheckedMark) }
        if entry.headline?.isDateSkipped == true { marks.append("date skipped by travel") }
        return marks
    }

    /// The same in the fewest words. *As of* covers the others.
    var shortMarks: [String] {
        if let asOf { return ["as of \(asOf.text)"] }
        if isUnchecked { return ["not checked"] }
        return entry.headline?.isDateSkipped == true ? ["date skipped"] : []
    }

    /// The time of the last comparison of the ledgers.
    var uncheckedMark: String {
        scene.checked.map { "not checked since \(time($0).text)" } ?? "never checked"
    }

    // MARK: Counts

    /// The doses taken, of those of the day; nil without doses.
    var taken: String? { entry.total > 0 ? "\(entry.taken) of \(entry.total) taken" : nil }

    /// The doses beside the one that the face is about.
    var others: [String] {
        let isOfOverdue = isOverdue
        let isOfDue = entry.headline?.phase == .due
        let counts: [(UInt16, String)] = [
            (entry.overdue - (isOfOverdue && entry.overdue > 0 ? 1 : 0), "overdue"),
            (entry.due - (isOfDue && entry.due > 0 ? 1 : 0), "due"),
        ]
        var texts = counts.filter { $0.0 > 0 }.map { "\($0.0) more \($0.1)" }
        if sign != .conflicting, entry.conflicting > 0 {
            texts.append(entry.conflicting > 1 ? "\(entry.conflicting) conflicts" : "1 conflict")
        }
        if entry.notLogged > 0 { texts.append("\(entry.notLogged) not logged") }
        if entry.skipped > 0 { texts.append("\(entry.skipped) skipped") }
        return texts
    }

    /// How old the content is. On a dimmed display it is a time, since an age in seconds would
    /// change within the minute.
    var age: String? {
        guard let age = scene.age, asOf == nil, !isUnchecked else { return nil }
        if scene.isDimmed {
            let minute = scene.now.advanced(by: -(max(0, age) / 60))
            return "checked \(time(minute).text)"
        }
        return "checked \(Self.span(age)) ago"
    }

    private static func span(_ seconds: Int) -> String {
        switch max(0, seconds) {
        case ..<60: "\(max(0, seconds)) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
