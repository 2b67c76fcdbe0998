import CommandLine
import ControlProtocol
import Pictures
import WatchProtoCore
import WatchProtoRecords

/// The reply of WatchSim to the command `face`.
struct FaceReply {
    private let complication: JSONNode
    private let timeline: JSONNode?

    /// Reads a reply, or its member `complication` alone; nil for anything else.
    init?(_ node: JSONNode) {
        if let shown = node["complication"] {
            complication = shown
            timeline = node["timeline"]
        } else if node["text"] != nil, node["taken"] != nil, node["total"] != nil {
            complication = node
            timeline = nil
        } else {
            return nil
        }
    }

    private static let counts = [
        "taken", "total", "overdue", "due", "skipped", "snoozed", "not_logged", "conflicting",
        "unchecked",
    ]
    private static let phases = ["upcoming", "due", "overdue", "snoozed"]

    /// The members that are not what they should be: a count that is not read would be a 0 on the
    /// face.
    var faults: [JSONError] {
        guard !complication.isNull else { return [] }
        var faults: [JSONError] = []
        func check(_ node: JSONNode?, _ expected: String, _ isWell: (JSONNode) -> Bool) {
            guard let node, !node.isNull, !isWell(node) else { return }
            faults.append(
                JSONError(
                    .unexpected, at: node.position, byteCount: node.byteCount, expected: expected,
                    found: node.string.map { "'\(Excerpt.of($0))'" } ?? node.kindName))
        }
        for name in Self.counts {
            check(complication[name], "a count of doses, 0 to 65535") { node in
                node.integer.map { (0...65_535).contains($0) } ?? false
            }
        }
        for name in ["text", "amount"] {
            check(complication[name], "a string") { $0.string != nil }
        }
        let dose = complication["dose"]
        let minutes = [
            complication["next_minute"], complication["as_of_minute"], dose?["due_minute"],
            timeline?["end_minute"], timeline?["checked_minute"],
        ]
        for minute in minutes {
            check(minute, "a minute since 2020, as a whole number") { node in
                node.integer.map { Int32(exactly: $0) != nil } ?? false
            }
        }
        let jpeg = complication["picture"]?["jpeg_b64"]
        check(jpeg, "a baseline JPEG of at most 8,000 bytes in base 64") {
            Self.jpeg($0) != nil
        }
        let words = WordList.either(Self.phases.map { "'\($0)'" })
        check(dose?["phase"], words) { Self.phases.contains($0.string ?? "") }
        for name in ["unchecked", "date_skipped"] {
            check(dose?[name], "true or false") { $0.bool != nil }
        }
        return faults
    }

    /// The face at a moment.
    func scene(
        _ file: String, at now: WallMinute, _ zone: ZoneTimeline
    ) throws(RigFailure) -> FaceScene {
        guard !complication.isNull else {
            throw RigFailure(
                .badInput, "The watch of '\(file)' shows nothing yet.",
                details: ["Try: sync a list first, and ask for 'face' again."])
        }
        var entry = FaceEntry(at: now)
        entry.taken = count("taken")
        entry.total = count("total")
        entry.overdue = count("overdue")
        entry.due = count("due")
        entry.skipped = count("skipped")
        entry.snoozed = count("snoozed")
        entry.notLogged = count("not_logged")
        entry.conflicting = count("conflicting")
        entry.unchecked = count("unchecked")
        let next = minute(complication["next_minute"])
        if let dose = complication["dose"], !dose.isNull {
            entry.headline = headline(dose, next ?? now)
        } else if let next {
            let phase: DoseDisplay.Phase =
                entry.overdue > 0 ? .overdue : next <= now ? .due : .upcoming
            entry.headline = FaceDose(slot: Self.slot, due: next, phase: phase)
        }
        let end = minute(timeline?["end_minute"])
        let asOf = minute(complication["as_of_minute"]) ?? end.flatMap { $0 <= now ? $0 : nil }
        // A text of the phone's application is no name of the watch's own dose.
        let hasOwnDose = complication["dose"].map { !$0.isNull } ?? false
        let isText = hasOwnDose && complication["source"]?.string == "phone"
        let name = isText ? "" : complication["text"]?.string ?? ""
        let amount = complication["amount"]?.string ?? ""
        let checked = minute(timeline?["checked_minute"])
        let age = checked.map { (Int(now.minutes) - Int($0.minutes)) * 60 }
        var drug = name.isEmpty ? nil : FaceDrug(name: name, strength: amount)
        drug?.picture = complication["picture"]?["jpeg_b64"].flatMap(Self.jpeg)
        return FaceScene(
            ShownFace(entry, asOf: asOf), drug: drug, checked: checked, now: now, zone: zone,
            age: age.flatMap { $0 > 0 ? $0 : nil })
    }

    /// A thumbnail in base 64; nil if it is none.
    private static func jpeg(_ node: JSONNode) -> [UInt8]? {
        guard let text = node.string, let bytes = try? Base64.decode(text),
            bytes.count <= PictureSize.thumbnail.mostBytes,
            (try? BaselineDecoder.decode(bytes, fitting: PictureSize.thumbnail.shownSide)) != nil
        else { return nil }
        return bytes
    }

    private func headline(_ dose: JSONNode, _ next: WallMinute) -> FaceDose {
        let phase: DoseDisplay.Phase =
            switch dose["phase"]?.string {
            case "overdue": .overdue
            case "due": .due
            case "snoozed": .snoozed(next)
            default: .upcoming
            }
        return FaceDose(
            slot: Self.slot, due: minute(dose["due_minute"]) ?? next, phase: phase,
            isUnchecked: dose["unchecked"]?.bool == true,
            isDateSkipped: dose["date_skipped"]?.bool == true)
    }

    private static let slot = DoseSlot(medication: MedicationID(rawValue: 0), entry: 0, day: 0)

    private func count(_ name: String) -> UInt16 {
        UInt16(clamping: complication[name]?.integer ?? 0)
    }

    private func minute(_ node: JSONNode?) -> WallMinute? {
        node?.integer.map { WallMinute(minutes: Int32(clamping: $0)) }
    }
}
