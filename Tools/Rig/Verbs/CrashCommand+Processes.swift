import CommandLine
import ControlProtocol

/// The options of campaigns with real processes.
struct CrashProcessOptions {
    /// With more the oldest doses would leave the stores, which keep 262,144.
    private static let mostKills = 5_000
    let kills = CommandOption<Int>(
        "kills", value: "n", default: 50, in: 1...Self.mostKills,
        help: "How often a simulator is ended by SIGKILL.")
    let faults = CommandOption<Int>(
        "faults", value: "n", default: 40, in: 1...1_000,
        help: "How often the disk of a simulator fails.")
    let simulators = SharedOptions.simulators
    let sealed = CommandFlag("sealed", help: "Seal both journals at rest with a key file.")
    let unsealed = CommandFlag(
        "unsealed",
        help: "For development: the simulators do not pair, and nothing on their link is encrypted "
            + "or authenticated. The report says so.")
    let plantLoss = CommandFlag(
        "plant-loss",
        help: "Count a dose as acknowledged that no device kept, to see the loss found.")
    let plantChange = CommandFlag(
        "plant-change",
        help: "Make a medication stronger in PhoneSim's file between two starts, to see it found.")
    let plantTwice = CommandFlag(
        "plant-twice",
        help: "Queue an acknowledged dose on the watch once more between two starts, to see it "
            + "come twice.")
    let plantOlder = CommandFlag(
        "plant-older",
        help: "Queue a medication on the phone once more in an older revision between two starts, "
            + "to see it come after the newer one.")
    let directory = CommandOption<String>(
        "directory", value: "path",
        help: "Where the files go; without it, the directory for temporary files.")
}

/// `rig lab crash kill` and `rig lab crash disk`: faults of PhoneSim and WatchSim as processes.
extension CrashCommand {
    var killVerb: Verb {
        var kill = Verb(
            "kill", overview: "Ends PhoneSim and WatchSim with SIGKILL under load, and looks.")
        kill.discussion = [
            "Both run as real processes with journals. While doses are recorded on both and "
                + "medications changed on the phone, one of them (at times both) is ended at a "
                + "random moment, also of its start, and started again on its file. Every 25 "
                + "kills both come to rest: each dose that was acknowledged must be on both "
                + "sides, once; what was under way, on both or on neither; nothing else on "
                + "either; each change on the watch. Ends with exit code 1 when it is not so, "
                + "and keeps the files."
        ]
        kill.add(processes.kills)
        add(to: &kill)
        kill.examples = [
            CommandExample("rig lab crash kill --kills 500", "less than a minute")
        ]
        return kill
    }

    var diskVerb: Verb {
        var disk = Verb(
            "disk",
            overview: "Lets the disk of PhoneSim or WatchSim fail or fill under load, and looks.")
        disk.discussion = [
            "Both run as real processes with journals, under the load of 'rig lab crash kill'. The "
                + "disk of one of them fails: a random call, planted by its option --disk-fault, "
                + "ends with an I/O error or for want of space, once or from then on; its files "
                + "may not grow (setrlimit); or its file system, a small one in memory, is full. "
                + "The last needs the right to mount, and is left out, with the reason, where "
                + "this process has none. The journals run as they are shipped: also what they "
                + "write ahead of need meets the faults.",
            "The simulator must refuse its start, or say once what happened, where and what to "
                + "do, take nothing more, use no processor time, and leave when asked; the other "
                + "side must go on. Then it is started on a disk that is whole. Every 25 faults "
                + "both come to rest and are compared as by 'rig lab crash kill': what was "
                + "acknowledged is there, once. Ends with exit code 1 when anything of this does "
                + "not hold, and keeps the files.",
        ]
        disk.add(processes.faults)
        add(to: &disk)
        disk.examples = [
            CommandExample("rig lab crash disk --faults 200", "some 50 s"),
            CommandExample("rig lab crash disk --faults 5 --plant-loss", "a loss, to see it found"),
        ]
        return disk
    }

    private func add(to verb: inout Verb) {
        verb.add(seed)
        verb.add(processes.sealed)
        verb.add(processes.unsealed)
        verb.add(processes.plantLoss)
        verb.add(processes.plantChange)
        verb.add(processes.plantTwice)
        verb.add(processes.plantOlder)
        verb.add(processes.simulators)
        verb.add(processes.directory)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        Progress.add(to: &verb)
    }

    private func plant(_ invocation: Invocation) throws(RigFailure) -> CrashRun.Plant? {
        let plants: [(CommandFlag, CrashRun.Plant)] = [
            (processes.plantLoss, .loss), (processes.plantChange, .change),
            (processes.plantTwice, .twice), (processes.plantOlder, .older),
        ]
        let asked = plants.filter { invocation[$0.0] }
        guard asked.count < 2 else {
            let names = asked.map { "--\($0.0.name)" }.joined(separator: " and ")
            throw RigFailure(.usage, "\(names) exclude each other.")
        }
        return asked.first?.1
    }

    func processes(
        _ trouble: CrashRun.Trouble, _ invocation: Invocation
    ) throws(RigFailure) -> ExitCode {
        let count: Int
        switch trouble {
        case .kills:
            count = invocation[processes.kills] ?? 50
        case .disk:
            count = invocation[processes.faults] ?? 40
        }
        let run = try CrashRun(
            CrashRun.Options(
                trouble: trouble, count: count, seed: invocation[seed] ?? 1,
                programs: invocation[processes.simulators] ?? DemoOptions.ownDirectory,
                directory: invocation[processes.directory],
                isSealed: invocation[processes.sealed],
                isUnsealed: invocation[processes.unsealed],
                plant: try plant(invocation)),
            progress: try Progress("crash", invocation))
        let findings = try run.perform()
        let console = Console(invocation)
        try console.show(run.summary + "\n")
        for finding in findings { try console.show(finding + "\n") }
        try console.give(
            [
                "schema": "rig.crash-processes/1", "passed": .bool(findings.isEmpty),
                "summary": .string(run.summary),
                "findings": .array(findings.map { .string($0) }),
                "directory": findings.isEmpty ? .null : .string(run.directory),
            ])
        try console.show(
            findings.isEmpty
                ? "nothing acknowledged was lost, and nothing came twice\n"
                : "the files are kept in \(run.directory)\n")
        return findings.isEmpty ? .done : .assertionFailed
    }
}
