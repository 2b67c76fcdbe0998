import ControlKit
import CrashKit
import Glibc
import RigKit

/// `rig crash`: the journal's real file, crashed at every point and given a disk that fails.
struct CrashCommand {
    let family = CommandOption<FamilyChoice>(
        "family", value: "family", default: FamilyChoice(families: CrashFamily.allCases),
        help: "The work that is crashed: all, or "
            + CrashFamily.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    let states = CommandOption<Int>(
        "states", value: "n", default: 2_000,
        help: "States of the disk to recover from, in each family.")
    let seed = CommandOption<UInt64>(
        "seed", value: "n", default: 1, help: "The first run's seed.")
    let directory = CommandOption<String>(
        "directory", value: "path",
        help: "Where the files go; without it, a file system in memory if there is one.")
    let kills = CommandOption<Int>(
        "kills", value: "n", default: 50, help: "How often a simulator is ended by SIGKILL.")
    let simulators = CommandOption<String>(
        "simulators", value: "dir",
        help: "Where PhoneSim and WatchSim are; without it, beside rig.")
    let sealed = CommandFlag("sealed", help: "Seal both journals at rest with a key file.")
    let plantLoss = CommandFlag(
        "plant-loss",
        help: "Delete PhoneSim's file before its second start, to see the loss found.")
    let quiet = CommandFlag("quiet", help: "Print no progress.")

    /// One family, or all.
    struct FamilyChoice: ArgumentValue {
        var families: [CrashFamily]

        init(families: [CrashFamily]) { self.families = families }

        init(argument: String) throws(ArgumentFault) {
            if argument == "all" {
                families = CrashFamily.allCases
            } else if let one = CrashFamily(rawValue: argument) {
                families = [one]
            } else {
                let names = CrashFamily.allCases.map(\.rawValue) + ["all"]
                let hint = Spelling.nearest(to: argument, among: names)
                throw ArgumentFault(
                    "it must be one of \(names.joined(separator: ", "))"
                        + (hint.map { "; did you mean '\($0)'?" } ?? ""))
            }
        }

        var argumentText: String {
            families.count == 1 ? families[0].rawValue : "all"
        }
    }

    var verb: Verb {
        var states = Verb(
            "states", overview: "Cuts the power at every call of the disk, and recovers.")
        states.discussion = [
            "A run of the journal is recorded call by call. After each call, what no sync had "
                + "covered is kept, dropped, or torn at sectors of 512 bytes; then the journal is "
                + "opened, and must hold everything that was acknowledged, and nothing by halves. "
                + "Ends with exit code 1 when it does not."
        ]
        states.add(family)
        states.add(self.states)
        states.add(seed)
        states.add(directory)
        states.add(quiet)
        states.examples = [
            CommandExample("rig crash states --states 20000", "twenty thousand for each family"),
            CommandExample("rig crash states --family fold --seed 7", "one family"),
        ]
        var faults = Verb("faults", overview: "Lets each call of the disk fail, and recovers.")
        faults.discussion = [
            "Each call of a run fails in turn: once, and from then on; with an I/O error, and for "
                + "want of space. Then the disk is whole again, the journal is opened, and must "
                + "hold everything that was acknowledged. Ends with exit code 1 when it does not."
        ]
        faults.add(family)
        faults.add(seed)
        faults.add(directory)
        faults.add(quiet)
        var kill = Verb(
            "kill", overview: "Ends PhoneSim and WatchSim with SIGKILL under load, and looks.")
        kill.discussion = [
            "Both run as real processes with journals. While doses are recorded on the watch and "
                + "medications changed on the phone, one of them (at times both) is ended at a "
                + "random moment and started again on its file. Every 25 kills both come to rest: "
                + "each dose that was acknowledged must be on both sides, once; each change on "
                + "the watch. Ends with exit code 1 when it is not, and keeps the files."
        ]
        kill.add(kills)
        kill.add(seed)
        kill.add(sealed)
        kill.add(plantLoss)
        kill.add(simulators)
        kill.add(directory)
        kill.add(quiet)
        kill.examples = [
            CommandExample("rig crash kill --kills 500", "some 20 s; 100 s in a debug build")
        ]
        var verb = Verb("crash", overview: "Crashes the journal and looks at what is left.")
        verb.verbs = [states, faults, kill]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        if invocation.path.dropFirst().first == "kill" { return try kill(invocation) }
        let families = (invocation[family] ?? FamilyChoice(families: CrashFamily.allCases)).families
        let place =
            invocation[directory] ?? (unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
        let first = invocation[seed] ?? 1
        let progress = Progress("crash", isOn: !invocation[quiet])
        var findings = 0
        for family in families {
            let begin = MonotonicClock.nowNanoseconds
            var text: String
            do {
                if invocation.path.dropFirst().first == "faults" {
                    text = try faults(family, first, place, progress, &findings)
                } else {
                    let count = invocation[states] ?? 2_000
                    guard (1...100_000_000).contains(count) else {
                        throw RigFailure(.usage, "--states \(count) must be 1 to 100000000.")
                    }
                    text = try states(family, count, first, place, progress, &findings)
                }
            } catch let failure as RigFailure {
                progress.finish()
                throw failure
            } catch {
                progress.finish()
                throw RigFailure(
                    .cannotWrite, "The campaign could not work: \(error)",
                    details: ["Try: another --directory."])
            }
            progress.finish()
            let seconds = Double(MonotonicClock.nowNanoseconds - begin) / 1e9
            text += ", \(Decimals.fixed(seconds, decimals: 1)) s\n"
            try ExploreCommand.print(text)
        }
        try ExploreCommand.print(
            findings == 0
                ? "nothing acknowledged was lost, and nothing was there by halves\n"
                : "\(findings) findings\n")
        return findings == 0 ? .done : .assertionFailed
    }

    private func kill(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let count = invocation[kills] ?? 50
        guard (1...100_000).contains(count) else {
            throw RigFailure(.usage, "--kills \(count) must be 1 to 100000.")
        }
        let programs = invocation[simulators] ?? DemoOptions.ownDirectory
        let run = try KillRun(
            kills: count, seed: invocation[seed] ?? 1, programs: programs,
            directory: invocation[directory], isSealed: invocation[sealed],
            plantsLoss: invocation[plantLoss],
            progress: Progress("crash", isOn: !invocation[quiet]))
        let findings = try run.perform()
        try ExploreCommand.print(run.summary + "\n")
        for finding in findings { try ExploreCommand.print(finding + "\n") }
        try ExploreCommand.print(
            findings.isEmpty
                ? "nothing acknowledged was lost, and nothing came twice\n"
                : "the files are kept in \(run.directory)\n")
        return findings.isEmpty ? .done : .assertionFailed
    }

    private func states(
        _ family: CrashFamily, _ count: Int, _ seed: UInt64, _ place: String,
        _ progress: Progress, _ findings: inout Int
    ) throws -> String {
        let campaign = CrashCampaign(family: family, states: count, seed: seed, directory: place)
        let summary = try campaign.run { done in
            progress.count(
                UInt64(min(done, count)), of: UInt64(count), "states of \(family.rawValue)",
                failing: findings)
        }
        findings += summary.findings.count
        return summary.findings.map { "\($0.description)\n" }.joined()
            + "\(family.rawValue): \(summary.states) states of \(summary.runs) runs, "
            + "\(summary.calls) calls, \(summary.commits) commits, \(summary.folds) folds, "
            + "\(summary.checkpoints) checkpoints: \(summary.findings.count) findings"
    }

    private func faults(
        _ family: CrashFamily, _ seed: UInt64, _ place: String, _ progress: Progress,
        _ findings: inout Int
    ) throws -> String {
        let campaign = FaultCampaign(family: family, seed: seed, directory: place)
        let summary = try campaign.run()
        findings += summary.findings.count
        return summary.findings.map { "\($0.description)\n" }.joined()
            + "\(family.rawValue): \(summary.runs) faults, \(summary.stopped) stopped the "
            + "journal, \(summary.wentOn) did not: \(summary.findings.count) findings"
    }
}
