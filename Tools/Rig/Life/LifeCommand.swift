import Bench
import CommandLine
import ControlProtocol
import ReferenceDevice
import WatchProtoRecords

/// `rig lab life`: days of a wearer's life in virtual time, one life for each seed.
struct LifeCommand {
    let seeds = CommandOption<SeedRange>(
        "seeds", value: "range", default: SeedRange(1...100),
        help: "The seeds of the lives, for example 1..100.")
    let importFile = CommandOption<String>(
        "import", value: "file",
        help: "The medications from which each life draws its list: FHIR JSON or NDJSON, or the "
            + "plain list. Without it, the list that comes with the package.")
    let days = CommandOption<Int>(
        "days", value: "n", default: 30, in: LifeOptions.allowedDays,
        help: "The days of each life.")
    let pushes = CommandOption<Int>(
        "pushes", value: "n", default: 50, in: LifeOptions.allowedPushes,
        help: "The pushes that the platform allows in 24 hours.")
    let clockError = CommandOption<Int>(
        "clock-error", value: "minutes", default: 0, in: LifeOptions.allowedClockErrors,
        help: "How far the watch's clock is ahead of the phone's; less than 0 is behind.")
    let zone = CommandOption<Int>(
        "zone", value: "minutes", default: 60, in: LifeOptions.allowedZones,
        help: "The offset of home from UTC in winter.")
    let fault = CommandOption<FaultChoice>(
        "fault", value: "name", completion: .words(FaultChoice.names),
        help: "Plant a known bug, and expect that a promise breaks: \(FaultChoice.text).")
    let jobs = CommandOption<Int>(
        "jobs", value: "n", in: 1...256,
        help: "How many lives to run at once; without it, one per processor.")

    /// A planted bug by its name.
    struct FaultChoice: ArgumentValue {
        let fault: LifeOptions.Fault

        static var names: [String] { LifeOptions.Fault.allCases.map(\.rawValue) }
        static var text: String { WordList.either(names) }

        init(argument: String) throws(ArgumentFault) {
            guard let fault = LifeOptions.Fault(rawValue: argument) else {
                throw ArgumentFault("it must be \(Self.text)")
            }
            self.fault = fault
        }

        var argumentText: String { fault.rawValue }
    }

    /// The lives between two reports of progress.
    private static let blockSize: UInt64 = 10

    var verb: Verb {
        var verb = Verb(
            "life", overview: "Simulates days of a wearer's life, and checks the face's promises.")
        verb.discussion = [
            "Each life has sleep, work, gym, a journey, a change of daylight saving, a phone that "
                + "is dead a tenth of the time, and a day on which the list is entered anew. "
                + "Planner, account, timeline and dose events are the product's; wearer, link and "
                + "energy are models.",
            "Each life is repeated without planning and without the watch's timeline. Ends with "
                + "exit code 1 if a promise breaks, or if a planted bug is not caught.",
        ]
        verb.add(seeds)
        verb.add(importFile)
        verb.add(days)
        RunFiles.add(to: &verb)
        verb.add(pushes)
        verb.add(clockError)
        verb.add(zone)
        verb.add(fault)
        verb.add(jobs)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        Progress.add(to: &verb)
        verb.examples = [
            CommandExample("rig lab life --seeds 1..100", "a hundred lives of 30 days"),
            CommandExample("rig lab life --seeds 7 --days 7 --json", "a week of one, for programs"),
            CommandExample("rig lab life --seeds 1..5 --fault keeps-timeline", "is it caught?"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let seeds = (invocation[self.seeds] ?? SeedRange(1...100)).seeds
        var options = LifeOptions(seed: seeds.lowerBound)
        options.days = invocation[days] ?? 30
        options.pushes = invocation[pushes] ?? 50
        options.clockError = invocation[clockError] ?? 0
        options.zone = invocation[zone] ?? 60
        options.fault = invocation[fault]?.fault
        options.medications = try medications(invocation)
        let files = try RunFiles("life", invocation)
        let campaign = try live(seeds, options, invocation)
        let (text, json) = (LifeText.text(campaign), campaign.json)
        let console = Console(invocation)
        try console.show(text)
        try console.give(json)
        try files.write(text, json)
        return campaign.passes ? .done : .assertionFailed
    }

    /// The medications of the given file that a watch can hold.
    private func medications(
        _ invocation: Invocation
    ) throws(RigFailure) -> [LightweightMedication] {
        let list: DemoList
        if let path = invocation[importFile] {
            list = try DemoList(path: path, name: path)
        } else {
            let path = try DemoOptions.givenBuiltInList()
            list = try DemoList(path: path, name: DemoOptions.builtInName)
        }
        let records = list.medications.compactMap { try? MedicationProjection.project($0) }
        guard records.contains(where: { !$0.entries.list.isEmpty }) else {
            throw RigFailure(
                .badInput, "No medication of the list has times of the day.",
                details: ["Try: a file with planned doses, or no --import."])
        }
        return records
    }

    private func live(
        _ seeds: ClosedRange<UInt64>, _ options: LifeOptions, _ invocation: Invocation
    ) throws(RigFailure) -> LifeCampaign {
        let workers = invocation[jobs] ?? Files.processorCount
        let progress = try Progress("life", invocation)
        var campaign = LifeCampaign(options)
        var first = seeds.lowerBound
        while true {
            let size = max(Self.blockSize, UInt64(workers))
            let last = first + min(size - 1, seeds.upperBound - first)
            let (before, block) = (campaign, first...last)
            campaign = try Blocking.wait { () async in
                var next = before
                await next.add(block, workers: workers)
                return next
            }
            progress.count(
                UInt64(campaign.results.count),
                of: max(1, seeds.upperBound - seeds.lowerBound &+ 1),
                failing: campaign.broken.count)
            guard last < seeds.upperBound else { break }
            first = last + 1
        }
        progress.finish()
        return campaign
    }
}
