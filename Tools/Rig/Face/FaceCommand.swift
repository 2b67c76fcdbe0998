import CommandLine
import ControlProtocol
import Glibc
import Reports
import WatchProtoCore
import WatchProtoRecords

/// `rig face`: what a watch's face shows, drawn in the terminal and as SVG.
struct FaceCommand {
    let file = CommandArgument<String>(
        "file", optional: true, completion: .file,
        help: "A list of medications, or the reply of WatchSim to the command 'face'; without it, "
            + "the built-in list.")
    let doses = CommandOption<String>(
        "doses", value: "file",
        help: "The doses of the list's medications, as dose.export writes them (FHIR).")
    let at = CommandOption<LocalMinute>(
        "at", value: "time",
        help: "The local time of the face: 08:15 of today, or 2026-11-27T08:15; without it, now, "
            + "and 09:30 for --state.")
    let zone = CommandOption<ZoneArgument>(
        "zone", value: "offset",
        help: "The offset of local time from UTC, for example +01:00; without it, this machine's.")
    let checked = CommandOption<CheckArgument>(
        "checked", value: "time",
        help: "When the ledgers of the devices were compared, or never; without it, at the time of "
            + "the face. Doses that fell due later are shown as not checked.")
    let family = CommandOption<FamilyChoice>(
        "family", value: "name", default: .all,
        help: "circular, rectangular, inline, corner, or all of them.")
    let mode = CommandOption<FaceMode>(
        "mode", value: "name",
        help: "light, dark, tinted or always-on; without it, dark in the terminal and all of them "
            + "in files.")
    let tint = CommandOption<ColorArgument>(
        "tint", value: "colour", help: "The wearer's colour of the tinted mode, such as '#64D2FF'.")
    let state = CommandOption<StateChoice>(
        "state", value: "name",
        help: "An invented state in place of a list: "
            + "\(StateChoice.choices.joined(separator: ", ")).")
    let locked = CommandFlag(
        "locked", help: "Show the face of a watch that is locked or off the wrist.")
    let color = OutputOptions().color

    /// An invented state, or all of them.
    enum StateChoice: ArgumentValue {
        case all
        case one(FaceState)

        static var choices: [String] { FaceState.choices + ["all"] }

        init(argument: String) throws(ArgumentFault) {
            if argument == "all" {
                self = .all
            } else if let state = FaceState(rawValue: argument) {
                self = .one(state)
            } else {
                let hint = Spelling.nearest(to: argument, among: Self.choices)
                    .map { "; did you mean '\($0)'?" }
                throw ArgumentFault("it must be \(WordList.either(Self.choices))" + (hint ?? ""))
            }
        }

        var argumentText: String {
            switch self {
            case .all: "all"
            case .one(let state): state.rawValue
            }
        }

        /// The states.
        var states: [FaceState] {
            switch self {
            case .all: FaceState.allCases
            case .one(let state): [state]
            }
        }
    }

    var verb: Verb {
        var verb = Verb("face", overview: "Draws the face of a watch, in four families.")
        verb.discussion = [
            "The face follows a list of medications, its doses and the clock, as the watch's own "
                + "does. A strength is shown whole or not at all, and names cannot change the "
                + "direction of the text beside them. The line below the drawings is what a screen "
                + "reader says.",
            "With --out, the directory gets FAMILY-MODE.svg for each family and mode, face.html "
                + "with all of them, face.txt and face.json.",
        ]
        verb.add(file)
        verb.add(doses)
        verb.add(at)
        verb.add(zone)
        verb.add(checked)
        verb.add(family)
        verb.add(mode)
        verb.add(tint)
        verb.add(state)
        verb.add(locked)
        RunFiles.add(to: &verb)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        verb.add(color)
        verb.examples = [
            CommandExample("rig face", "the built-in list, now"),
            CommandExample("rig face list.json --at 08:15 --zone +01:00", "a list, at a moment"),
            CommandExample("rig face --state all --out out/faces", "every state, to look at"),
            CommandExample("rig face --state due --family circular --locked", "without names"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let faces = try FaceInput(self, invocation).rows()
        let families = (invocation[family] ?? .all).families
        let accent = invocation[tint].map { FaceColor($0.bits) }
        func palette(_ mode: FaceMode) -> FacePalette {
            accent.map { FacePalette(mode, accent: $0) } ?? FacePalette(mode)
        }
        let modes = invocation[mode].map { [$0] } ?? FaceMode.allCases
        let files = try RunFiles("face", invocation)
        let shown = invocation[mode] ?? .dark
        let stream: Int32 = invocation[SharedOptions.json] ? 2 : 1
        let style = TerminalStyle(
            invocation[color] ?? .auto, isTerminal: isatty(stream) == 1,
            environment: Files.environment)
        let console = Console(invocation)
        try console.show(Self.text(faces, families, shown, style))
        let json = Self.json(faces, families, shown)
        try console.give(json)
        var drawings: [(name: String, text: String)] = []
        for mode in modes {
            for family in families {
                for face in faces {
                    let content = FaceContent(family, face.scene.seen(in: mode))
                    let state = faces.count > 1 ? "\(face.name)-" : ""
                    drawings.append(
                        (
                            "\(state)\(family)-\(mode.rawValue).svg",
                            FaceSVG.draw(content, palette(mode))
                        ))
                }
            }
        }
        drawings.append(("face.html", FacePage.html(faces, families, modes.map(palette))))
        try files.write(Self.text(faces, families, shown, .plain), json, drawings)
        return .done
    }

    /// The drawings for a terminal.
    private static func text(
        _ faces: [FacePage.Row], _ families: [FaceFamily], _ mode: FaceMode,
        _ style: TerminalStyle
    ) -> String {
        var lines: [String] = []
        for face in faces {
            lines.append("\(face.name), \(mode.rawValue)")
            let scene = face.scene.seen(in: mode)
            for family in families {
                lines.append("\(family):")
                lines += FaceTerminal.draw(FaceContent(family, scene), mode, style)
            }
            lines += [FaceContent(.rectangular, scene).accessibility, ""]
        }
        return lines.dropLast().map { $0 + "\n" }.joined()
    }

    /// The contents for programs: the lines have the room of the drawings.
    private static func json(
        _ faces: [FacePage.Row], _ families: [FaceFamily], _ mode: FaceMode
    ) -> JSONValue {
        var rows: [JSONValue] = []
        for face in faces {
            for family in families {
                var row = FaceContent(family, face.scene.seen(in: mode)).drawnMembers
                row["name"] = .string(face.name)
                row["mode"] = .string(mode.rawValue)
                rows.append(.object(row))
            }
        }
        return ["schema": "rig.face/1", "faces": .array(rows)]
    }
}
