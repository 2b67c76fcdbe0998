import Bench
import CommandLine
import ControlProtocol
import NetworkEmulation
import Reports

extension DemoRun {
    /// Measures the age of the watch's face and the peak memory of its process.
    func measureProcesses() throws(RigFailure) {
        try measureFace()
        let (_, watch) = try both()
        if let peak = watch.peakMemoryBytes {
            // The target speaks of any scenario; this is one.
            found("watch.memory", Double(peak), "in this demo")
            found("watch.memory.wear", Double(peak), "in this demo")
        }
    }

    /// The ages of the doses when the watch's face showed them.
    func measureFace() throws(RigFailure) {
        let (_, watch) = try both()
        let face = try watch.call("face", timeout: options.timeout)
        guard let ages = face["ages"], let p99 = ages["p99_ns"]?.unsigned,
            let count = ages["count"]?.unsigned
        else { return }
        found("face.stale", ages["stale_ns"]?.unsigned.map { Double($0) })
        func milliseconds(_ name: String) -> UInt64 { (ages[name]?.unsigned ?? 0) / 1_000_000 }
        // The watch keeps the last thousand.
        found(
            "face.age", Double(p99), samples: min(count, 1000),
            "from the tap on either device; p50 \(milliseconds("p50_ns")) ms, "
                + "max \(milliseconds("max_ns")) ms")
    }

    /// The store's queries and migrations, on a file of their own beside the simulators'.
    func measureStore() throws(RigFailure) {
        let bench = try StoreCommand.measure(
            list.medications, options.storeCount, progress, in: directoryPath)
        measured += bench.measured
        notes += bench.notes
        cautions += StoreCommand.remark(options.storeCount)
    }

    /// Cold starts of the watch from the journal that this demo leaves, once both have ended.
    func measureStarts(_ failure: inout RigFailure?) {
        var bench = LaunchBench(
            executable: options.watchPath,
            arguments: [
                "--link", "unix:\(directoryPath)/link.sock", "--control", "stdio", "--seed",
                "\(options.seed)",
            ] + (options.isUnsealed ? ["--unsealed"] : []),
            journal: "\(directoryPath)/WatchSim.journal", timeout: options.timeout)
        do throws(RigFailure) {
            try bench.run(progress)
            measured += bench.measured
            notes.append(LaunchBench.note())
        } catch {
            failure = error
        }
    }

    /// The findings as a report with every target.
    func report() -> Report {
        var report = Report(
            verb: "demo", link: options.linkName, seed: options.seed,
            version: Program.version)
        report.startedAt = startedAt
        report.durationNanoseconds = MonotonicClock.nowNanoseconds - start
        report.load = [
            "\(options.rate.meaning) of each kind (open loop, \(options.duration.meaning))"
        ]
        report.addRows(for: TargetTable.all, measured: measured, notDurable: !isDurable)
        report.latencies = series
        report.detail = detail
        report.cautions = cautions + Program.buildNotes(of: simulatorBuild ?? Program.build)
        if !isDurable {
            report.cautions.append(
                "'not durable yet': measured until the change was visible; stores are in memory")
        } else if journalsAreInMemory {
            report.cautions.append(
                "the temporary directory is IN MEMORY: commits wait for no disk there; name one on "
                    + "a disk by TMPDIR")
        }
        if isSealed != true {
            report.cautions.append(
                "the link is UNSEALED (wire version 0, for development): nothing on it is "
                    + "encrypted or authenticated")
        }
        if options.conditions.hasEffect { report.notes = options.conditions.meaning }
        report.notes += [list.summary] + notes + (detail?.stageNotes ?? [])
        if isDurable {
            report.notes.append(
                "syncs are measured until the change was visible and committed, with the store's "
                    + "own rows, in the journals of both sides; messages and complications until "
                    + "they were visible")
        }
        if isSealed == true {
            report.notes.append(
                "the link is sealed (wire version 1): paired by a code, Noise_KKpsk0 for each "
                    + "link, ChaCha20-Poly1305, packets padded to size classes")
        }
        report.notes += report.cautions
        options.alerts?.addRows(to: &report, health)
        report.counts = counts
        report.host = Program.host(
            build: simulatorBuild ?? Program.build, executable: options.phonePath)
        report.host["conditions"] = options.conditions.hasEffect ? options.conditions.json : .null
        report.host["placement"] = .string(options.placement.rawValue)
        report.host["sealed"] = .bool(isSealed == true)
        report.repeatCommand = options.repeatCommand
        return report
    }
}
