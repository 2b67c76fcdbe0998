import CommandLine
import ControlProtocol
import FaultInjection

/// `rig lab crash states` and `rig lab crash faults`: the journal's real file, crashed at every
/// point and given a disk that fails.
struct JournalCrashCommand {
    let family = CommandOption<FamilyChoice>(
        "family", value: "family", default: FamilyChoice(families: CrashFamily.allCases),
        help: "The work that is crashed: all, or "
            + CrashFamily.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    let states = CommandOption<Int>(
        "states", value: "n", default: 2_000, in: 1...100_000_000,
        help: "States of the disk to recover from, in each family; the run under way is finished.")
    let runs = CommandOption<Int>(
        "runs", value: "n", default: 1, in: 1...100_000_000,
        help: "Runs whose every call fails, in each family.")
    let seed = SharedOptions.seed(default: 1)
    let directory = CommandOption<String>(
        "directory", value: "path",
        help: "Where the files go; without it, a file system in memory if there is one.")
    let place = CommandOption<PlaceText>(
        "at", value: "place",
        help: "With one --family, and --seed: show this one place again, as a finding names it.")
    let shards = ShardOptions(of: "runs")

    /// One family, or all.
    struct FamilyChoice: ArgumentValue {
        var families: [CrashFamily]

        static let choices = CrashFamily.allCases.map(\.rawValue) + ["all"]

        init(families: [CrashFamily]) { self.families = families }

        init(argument: String) throws(ArgumentFault) {
            if argument == "all" {
                families = CrashFamily.allCases
            } else if let one = CrashFamily(rawValue: argument) {
                families = [one]
            } else {
                let hint = Spelling.nearest(to: argument, among: Self.choices)
                throw ArgumentFault(
                    "it must be one of \(Self.choices.joined(separator: ", "))"
                        + (hint.map { "; did you mean '\($0)'?" } ?? ""))
            }
        }

        var argumentText: String {
            families.count == 1 ? families[0].rawValue : "all"
        }
    }

    /// The text of a `CrashPlace`.
    struct PlaceText: ArgumentValue {
        var place: CrashPlace

        init(argument: String) throws(ArgumentFault) {
            guard let place = CrashPlace(argument) else {
                throw ArgumentFault(
                    "it must read like 87:drop, 87:tear=1f3a,12:keep or io:any:13:forever,13:drop")
            }
            self.place = place
        }

        var argumentText: String { "\(place)" }
    }

    var verbs: [Verb] { [statesVerb, faultsVerb] }

    private var statesVerb: Verb {
        var states = Verb(
            "states", overview: "Cuts the power at every call of the disk, and recovers.")
        states.discussion = [
            "A run of the journal is recorded call by call. After each call, what no sync had "
                + "covered is kept, dropped, or torn at sectors of 512 bytes; then the journal is "
                + "opened, and must hold everything that was acknowledged, and nothing by halves. "
                + "The file alone, without its log, must hold as much or be refused; in clear "
                + "stands nothing that is sealed, and no more of a pairing that is forgotten. "
                + "Of every fourth state, and of every one of the family 'recover', the recovery "
                + "is crashed as well, of some at each of its calls. Ends with exit code 1 when "
                + "anything is wrong, with the command that shows it again."
        ]
        states.add(family)
        states.add(self.states)
        addCommon(to: &states)
        states.examples = [
            CommandExample(
                "rig lab crash states --states 20000", "twenty thousand for each family"),
            CommandExample("rig lab crash states --family fold --seed 7", "one family"),
            CommandExample(
                "rig lab crash states --family fold --seed 7 --at 87:drop",
                "one state again: 87 calls, and what was not synced is gone"),
            CommandExample(
                "rig lab crash states --states 20000 --shard 1/2 --state a.json",
                "half of the runs, to be gone on with at any time"),
            CommandExample("rig lab crash states --merge a.json,b.json", "what both halves found"),
        ]
        return states
    }

    private var faultsVerb: Verb {
        var faults = Verb("faults", overview: "Lets each call of the disk fail, and recovers.")
        faults.discussion = [
            "Each call of a run fails in turn: once, and from then on; with an I/O error, and for "
                + "want of space. Then the disk is whole again, the journal is opened, and must "
                + "hold everything that was acknowledged; and so it must be when the power went "
                + "later, at a moment after the fault and at the end. Ends with exit code 1 when "
                + "anything is wrong, with the command that shows it again."
        ]
        faults.add(family)
        faults.add(runs)
        addCommon(to: &faults)
        faults.examples = [
            CommandExample(
                "rig lab crash faults --runs 10", "every call of ten runs of each family"),
            CommandExample(
                "rig lab crash faults --family accept --at io:any:21,57:drop",
                "one again: call 21 fails once, and after call 57 the power goes"),
        ]
        return faults
    }

    private func addCommon(to verb: inout Verb) {
        verb.add(seed)
        verb.add(place)
        shards.add(to: &verb)
        verb.add(directory)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        Progress.add(to: &verb)
    }
}
