import Bench
import CommandLine
import ControlProtocol
import WatchProtoCore

/// A disk that fails under load, and what the simulator on it must still do.
extension CrashRun {
    /// How long a simulator is watched for work that leads nowhere, and how much of that time it
    /// may use.
    private static let watched = Duration.milliseconds(60)
    private static let usable = Duration.milliseconds(30)

    /// Bursts of load on a disk that fails, until it has; a look at the simulator; its end, and a
    /// start on a disk that is whole.
    func diskRound() throws(RigFailure) {
        let isPhone = random.next() & 1 == 0
        // It has read its file: a start meets no trouble but its own.
        try simulator(isPhone).call("status", timeout: Self.timeout)
        let trouble = disk.draw(&random)
        if isPhone { struck.phone += 1 } else { struck.watch += 1 }
        if try begin(trouble, isPhone) {
            var told: [JSONValue] = []
            let refusedBefore = disk.refused
            var bursts = 0
            while told.isEmpty, bursts < 30 {
                try burst()
                told += try simulator(isPhone).takeEvents("error")
                bursts += 1
            }
            for side in [true, false] {
                try settleReplies(of: side, mayBeMissing: false, isTroubled: side == isPhone)
            }
            if told.isEmpty, disk.refused == refusedBefore {
                try noteUnstopped(isPhone)
            } else {
                disk.stopped += 1
                try inspect(trouble, isPhone, told)
            }
            try end(isPhone)
        }
        disk.disk(isPhone)?.free()
        try start(isPhone: isPhone)
        try noteRepeats()
    }

    // MARK: Before

    /// - Returns: whether the simulator runs.
    private func begin(_ trouble: DiskTrouble, _ isPhone: Bool) throws(RigFailure) -> Bool {
        switch trouble {
        case .limited(let room):
            // The log begins anew when it has been copied; the file itself grows then.
            let path = journal(isPhone)
            let length = max(Files.size("\(path)-wal") ?? 0, Files.size(path) ?? 0)
            let simulator = try simulator(isPhone)
            try takeRoom { () throws(SystemError) in
                try simulator.limitFiles(toBytes: length + room)
            }
            return true
        case .filled(let room, fromStart: false):
            try takeRoom { () throws(SystemError) in
                try disk.disk(isPhone)?.fill(leaving: room)
            }
            return true
        case .filled(let room, fromStart: true):
            try end(isPhone)
            // Often there is no room at all.
            try takeRoom { () throws(SystemError) in
                try disk.disk(isPhone)?.fill(leaving: room % 3 == 0 ? room : 0)
            }
            return try starts(isPhone, [])
        case .planted(let fault, _):
            try end(isPhone)
            return try starts(isPhone, ["--disk-fault", fault])
        }
    }

    private func takeRoom(_ body: () throws(SystemError) -> Void) throws(RigFailure) {
        do throws(SystemError) {
            try body()
        } catch {
            throw RigFailure(.software, "Cannot take the room from a disk: \(error).")
        }
    }

    /// Starts a side on a disk that fails. One that refuses must say why.
    private func starts(_ isPhone: Bool, _ further: [String]) throws(RigFailure) -> Bool {
        let simulator = try launch(isPhone: isPhone, further)
        guard let ending = try simulator.awaitReadyOrEnd(timeout: Self.timeout) else { return true }
        disk.refusedStarts += 1
        let words = ending.lastWords.last ?? ""
        // The system refused a call, or the file cannot be written.
        if ![71, 73].contains(ending.code) || !words.hasPrefix("Error: ")
            || !words.contains(journal(isPhone))
        {
            disk.findings.append(
                "\(simulator.name) (\(further.joined(separator: " "))) \(ending.text) at its "
                    + "start and said: \(words)")
        }
        return false
    }

    // MARK: Meanwhile

    /// The journal goes on: the fault was not met, or in tidying, which was put off.
    private func noteUnstopped(_ isPhone: Bool) throws(RigFailure) {
        let status = try simulator(isPhone).call("status", timeout: Self.timeout)
        let met = status["counters"]?["disk_faults"]?.unsigned ?? 0
        if met > 0 { disk.borne += 1 } else { disk.unmet += 1 }
    }

    /// Looks at a simulator whose journal has stopped: it has said so, once and clearly; it takes
    /// nothing more until it has opened the journal again; it does nothing; and the other side
    /// lives.
    private func inspect(
        _ trouble: DiskTrouble, _ isPhone: Bool, _ told: [JSONValue]
    ) throws(RigFailure) {
        let simulator = try simulator(isPhone)
        var told = told
        if told.isEmpty { told.append(try simulator.event("error", timeout: Self.timeout)) }
        if random.uniform(in: 0...1) == 0 {
            disk.disk(isPhone)?.free()
            if case .limited = trouble {
                try takeRoom { () throws(SystemError) in try simulator.limitFiles(toBytes: nil) }
            }
        }
        let refusedBefore = disk.refused
        for side in [true, false] {
            try ask(isPhone: side)
            try settleReplies(of: side, mayBeMissing: false, isTroubled: side == isPhone)
        }
        func find(_ text: String) { disk.findings.append("\(simulator.name), \(trouble): \(text)") }
        let took = disk.refused == refusedBefore
        try noteWork(of: simulator, find)
        try simulator.call("status", timeout: Self.timeout)
        // A file that is opened again may have some room, and fail once more.
        var reopened = simulator.takeEvents("journal.reopened").count
        // It takes commands as soon as its journal is open, and reports that after reading it.
        if took, reopened == 0 {
            do throws(RigFailure) {
                _ = try simulator.event("journal.reopened", timeout: .seconds(5))
                reopened = 1
            } catch {
                find("it took a command after its journal had stopped")
            }
        }
        told += simulator.takeEvents("error")
        // The advice comes last; the observation, and its place, come before it.
        let errors = told.compactMap { $0["error"]?["detail"]?.string }
        let advice = trouble.isFull ? "Free some space, then open" : "then open"
        for detail in errors
        where !detail.contains("journal '\(journal(isPhone))': ")
            || !detail.contains("SQLite code ") || !detail.hasSuffix("\(advice) the journal again.")
        {
            find("it does not say what happened, where, and what to do: \(detail)")
        }
        if errors.isEmpty || errors.count > reopened + 1 {
            find(
                "it told \(errors.count) times that its journal stopped, and \(reopened) times "
                    + "that it takes records again")
        }
    }

    private func noteWork(
        of simulator: SimulatorProcess, _ find: (String) -> Void
    ) throws(RigFailure) {
        try supervisor.rest(.milliseconds(20))
        // It may try to open its journal once, but not again and again.
        var least: Duration?
        for _ in 0..<3 where least.map({ $0 > Self.usable }) ?? true {
            let before = simulator.processorTime
            try supervisor.rest(Self.watched)
            guard let before, let after = simulator.processorTime else { return }
            least = min(least ?? .seconds(60), after - before)
        }
        guard let used = least else { return }
        disk.mostWork = max(disk.mostWork, used)
        if used > Self.usable {
            find("it worked \(used) of \(Self.watched) although it could do nothing")
        }
    }

    // MARK: Afterwards

    /// Ends a side: as asked, which must succeed, or by SIGKILL.
    private func end(_ isPhone: Bool) throws(RigFailure) {
        let simulator = try simulator(isPhone)
        defer { noteRepeats(of: simulator) }
        guard random.uniform(in: 0...1) == 0 else { return try simulator.kill() }
        let ending = try simulator.leave(timeout: Self.timeout)
        if ending.code != 0 {
            disk.findings.append(
                "\(simulator.name) \(ending.text) when it was asked to leave: "
                    + (ending.lastWords.last ?? "without a word"))
        }
    }
}
