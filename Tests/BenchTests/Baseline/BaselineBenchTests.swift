import ControlProtocol
import Reports
import Simulation
import Testing
import WatchProtoCore
import WatchProtoSecurity

@testable import Bench

@Suite(.timeLimit(.minutes(5))) struct BaselineBenchTests {
    static let bench: BaselineBench = {
        guard let devices = try? SimulatedPair(seed: 1) else { preconditionFailure("no memory") }
        return BaselineBench { role, life in devices.security(of: role, life: life) }
    }()

    /// 50 ms each way, 1 Mbit/s.
    private func settings(loss: Double = 0) -> BaselineSettings {
        BaselineSettings(
            LinkProfile(
                name: "test", latency: .milliseconds(100), rateBitsPerSecond: 1_000_000,
                loss: loss))
    }

    private func run(
        _ cell: BaselineCell, _ settings: BaselineSettings, _ trials: Int, jobs: Int = 2
    ) async -> BaselineSamples {
        await Self.bench.run(cell, settings, trials: trials, jobs: jobs)
    }

    @Test func an_update_without_loss_takes_what_its_packet_takes() async {
        let samples = await run(.complication, settings(), 50)
        #expect(samples.ours == samples.ideal)
        #expect(samples.ours == samples.limit)
        #expect(samples.busyLines == 0)
        // One packet to the watch, and what it comes to: 8 µs a byte and 50 ms.
        #expect(samples.idealPackets == 50)
        let each = samples.idealBytes / 50
        #expect(samples.ours.allSatisfy { $0 == 50_000_000 + 8_000 * each }, "\(each) bytes")
    }

    /// With commits of 5 and 20 ms: the goals of `rig lab baseline --commits`.
    @Test(arguments: BaselineCell.allCases.filter { $0.commits != nil }, [5, 20])
    func slow_journals_cost_the_commits_they_must(_ cell: BaselineCell, _ commit: Int) async {
        var slow = settings()
        slow.commitTime = .milliseconds(commit)
        var row = BaselineRow(cell, slow, await run(cell, slow, 1000))
        row.evaluate(byInstantCommits: await run(cell, settings(), 1000))
        let isMissed = row.isMissed
        #expect(!isMissed, "\(row.goals)")
    }

    @Test func losses_are_met_by_ours_and_never_by_the_ideal() async {
        let samples = await run(.complication, BaselineSettings(LinkProfile.named("3g")!), 2000)
        let late = zip(samples.ours, samples.ideal).count { $0 > $1 }
        // One packet in 50 is lost; redundancy may save it.
        #expect(late < 70)
        #expect(samples.ideal == samples.limit)
        #expect(samples.unfinished == 0 && samples.repeated == 0)
    }

    /// On a slow line a question or its answer is lost now and then, and is asked again late.
    @Test func a_counterpart_behind_a_slow_line_is_not_given_up_for_one_loss() async {
        let samples = await run(.message, BaselineSettings(LinkProfile.named("edge")!), 300)
        #expect(samples.refused == 0)
        #expect(samples.unfinished == 0 && samples.repeated == 0)
    }

    @Test(arguments: ["3g", "edge"])
    func a_transfer_lets_updates_pass_however_long_it_takes(_ name: String) async throws {
        let profile = try #require(LinkProfile.named(name))
        let samples = await run(.complicationBulk, BaselineSettings(profile), 50)
        let ratios = zip(samples.ours, samples.ideal).map { Double($0) / Double($1) }
        // The queue would grow by and by: on edge to 1.6 after 40 of them.
        #expect(ratios.suffix(10).allSatisfy { $0 < (name == "3g" ? 1.1 : 1.2) }, "\(ratios)")
        #expect(samples.unfinished == 0)
    }

    /// The acknowledgements of what comes back would take the place of records.
    @Test func records_fill_small_datagrams() async throws {
        let profile = try #require(LinkProfile.named("ble"))
        let samples = await run(.hundredWarm, BaselineSettings(profile), 20)
        #expect(samples.tallies[0].packets < 20 * 125, "\(samples.tallies[0].packets) packets")
        #expect(samples.unfinished == 0)
    }

    @Test func a_slow_peer_is_found_out() async throws {
        var slow = settings()
        let fair = BaselineRow(.complication, slow, await run(.complication, slow, 100))
        slow.planted = .slowness(.milliseconds(20))
        let row = BaselineRow(.complication, slow, await run(.complication, slow, 100))
        let ratios = (try #require(fair.ratio(.p50)), try #require(row.ratio(.p50)))
        #expect(ratios.0 == 1)
        // 20 ms above a little more than 50.
        #expect((1.35...1.4).contains(ratios.1), "\(ratios.1)")
        #expect(row.goals[0].status == .fail)
        #expect(fair.goals[0].status == .pass)
    }

    @Test func a_slow_peer_is_found_out_with_many_records_too() async throws {
        var slow = settings()
        slow.planted = .slowness(.milliseconds(20))
        let row = BaselineRow(.hundredWarm, slow, await run(.hundredWarm, slow, 20))
        let ratio = try #require(row.ratio(.p50))
        #expect(ratio > 1.08 && ratio < 1.2, "\(ratio)")
    }

    @Test func records_that_come_twice_are_counted() async {
        var faulty = settings()
        faulty.planted = .repetition
        let samples = await run(.hundredWarm, faulty, 4)
        #expect(samples.repeated > 20)
        #expect(BaselineRow(.hundredWarm, faulty, samples).isMissed)
    }

    /// The last record of all comes twice when nobody waits for anything any more.
    @Test(arguments: [BaselineCell.complication, .complicationEarly, .complicationBulk, .message])
    func what_comes_twice_behind_the_end_of_a_trial_is_counted(_ cell: BaselineCell) async {
        var faulty = settings()
        faulty.planted = .repetition
        let samples = await run(cell, faulty, 20)
        // Every tenth of what the watch is given; the first one of a pair is no trial.
        #expect(samples.repeated >= 2, "\(samples.repeated)")
        #expect(samples.unfinished == 0)
        #expect(BaselineRow(cell, faulty, samples).goals.contains { $0.name.hasPrefix("not over") })
    }

    @Test func what_comes_twice_is_counted_in_the_hard_cases_too() async {
        var faulty = BaselineSettings(BaselineCell.hardProfile)
        faulty.planted = .repetition
        let samples = await run(.hardLoss, faulty, 1)
        // 50 records, a file, a face each quarter of a second; the last of them late.
        #expect(samples.repeated >= 6, "\(samples.repeated)")
        #expect(samples.unfinished == 0)
    }

    @Test func runs_of_losses_never_take_the_ideal() async {
        let lossy = settings(loss: 0.3)
        let samples = await run(.complicationBursts, lossy, 60)
        #expect(samples.idealNever == 0)
        #expect(samples.ideal == samples.limit)
        let goals = BaselineRow(.complicationBursts, lossy, samples).goals
        #expect(goals.map(\.name) == ["p99 / ideal"] && goals[0].bound == 3.3)
    }

    /// Lost packets are no part of the ideal's bytes, however often they are sent.
    @Test func the_ideal_carries_everything_once() async {
        let lossless = await run(.hundredWarm, settings(), 20)
        let lossy = await run(.hundredWarm, settings(loss: 0.1), 20)
        // The limit has the sizes of what left first: 100 records, and what packets take.
        let most = lossless.limit.max() ?? 0
        #expect(lossy.limit.allSatisfy { $0 <= most + most / 50 }, "\(lossy.limit) \(most)")
        #expect(lossless.carriers.packets > 20 * 17 && lossless.carriers.largest <= 1200)
    }

    /// The goodput of files beside updates comes from the updates' own run.
    @Test func files_beside_updates_have_a_goodput() async throws {
        var settings = settings()
        settings.profile.rateBitsPerSecond = 20_000_000
        let samples = await run(.complicationBulk, settings, 30)
        #expect(samples.filesBeside >= 2)
        // As if there had been twenty times as many: a run of that length takes a minute.
        var many = samples
        many.filesBeside *= 20
        many.fileTime *= 20
        let row = BaselineRow(.complicationBulk, settings, many)
        let goodput = try #require(row.goodput)
        #expect(goodput.ours > 0.85 && goodput.ours < goodput.baseline, "\(goodput.ours)")
        #expect(row.goals.contains { $0.name == "goodput / rate" && $0.bound == 0.9 })
        var few = many
        few.filesBeside = 19
        let missed = BaselineRow(.complicationBulk, settings, few)
        #expect(missed.goodput == nil)
        #expect(missed.goals.contains { $0.name == "goodput / rate" && $0.isMissed })
    }

    /// On a slow line the peer fills small datagrams, however large they may be.
    @Test func the_report_says_how_large_packets_were() async {
        let samples = await run(.bulkLarge, settings(), 1)
        #expect(samples.carriers.largest < 5_000, "\(samples.carriers)")
        let mean = samples.carriers.meanBytes ?? 0
        #expect(mean > 200 && mean <= Double(samples.carriers.largest))
        let row = BaselineRow(.bulkLarge, settings(), samples)
        #expect(row.cells[0].hasPrefix("bulk, datagrams up to 64 KiB (packets of "))
        #expect(row.json["carriers"]?["largest_bytes"]?.integer == Int64(samples.carriers.largest))
    }

    @Test func a_record_that_never_counts_is_a_trial_without_end() async {
        var faulty = settings()
        faulty.planted = .loss
        let samples = await run(.hundredWarm, faulty, 3)
        #expect(samples.unfinished == 3)
        #expect(BaselineRow(.hundredWarm, faulty, samples).isMissed)
    }

    @Test func records_out_of_order_are_counted() async {
        var faulty = settings()
        faulty.planted = .disorder
        let samples = await run(.hundredWarm, faulty, 4)
        #expect(samples.disordered == 4)
    }

    @Test func a_line_that_carries_nothing_is_never_told_as_fast() async {
        let samples = await run(.complication, settings(loss: 1), 2)
        #expect(samples.unfinished == 2)
        #expect(BaselineRow(.complication, settings(loss: 1), samples).ratio(.p50) == nil)
    }

    @Test func the_same_seed_gives_the_same_figures() async {
        let lossy = settings(loss: 0.05)
        let first = await run(.hundredWarm, lossy, 110, jobs: 1)
        let second = await run(.hundredWarm, lossy, 110, jobs: 3)
        #expect(first.ours == second.ours)
        #expect(first.ideal == second.ideal)
        #expect(first.tallies == second.tallies)
        var other = lossy
        other.seed = 2
        #expect(await run(.hundredWarm, other, 110).ours != first.ours)
    }

    @Test(arguments: BaselineCell.allCases.filter { !$0.isBulk })
    func every_cell_measures_something(_ cell: BaselineCell) async {
        let samples = await run(cell, settings(), 3)
        #expect(samples.ours.count == 3)
        #expect(samples.unfinished == 0 && samples.repeated == 0 && samples.disordered == 0)
        for trial in 0..<3 {
            #expect(samples.ours[trial] >= samples.limit[trial], "faster than light")
            #expect(samples.ideal[trial] >= samples.limit[trial])
            #expect(samples.limit[trial] > 50_000_000)
        }
        #expect(samples.tallies.allSatisfy { $0.packets > 0 })
        #expect(samples.idealBytes > 0)
    }

    /// A line that never loses but is busy with leftovers gives the ideal an idle one.
    @Test func a_busy_line_does_not_flatter() async {
        // The watch's receipts and the phone's acknowledgements never hold up the next trial.
        let samples = await run(.hundredWarm, BaselineSettings(LinkProfile.named("edge")!), 100)
        #expect(samples.ideal.allSatisfy { $0 < 2_500_000_000 })
        #expect(samples.busyLines < 10)
    }

    /// Without loss there is nothing that redundancy could save: nobody is faster than the ideal.
    @Test(arguments: ["ble", "5g"])
    func nobody_beats_the_ideal_where_nothing_is_lost(_ name: String) async {
        let settings = BaselineSettings(LinkProfile.named(name)!)
        for cell in [BaselineCell.hundredWarm, .hundredCold, .list, .change] {
            let samples = await run(cell, settings, 20)
            for trial in 0..<20 {
                #expect(samples.ours[trial] >= samples.ideal[trial], "\(cell)")
            }
        }
    }

    @Test func a_hard_case_is_complete() async {
        let samples = await run(.hardLoss, BaselineSettings(BaselineCell.hardProfile), 1)
        #expect(samples.unfinished == 0 && samples.repeated == 0 && samples.disordered == 0)
        // 2 MB and 10 kB take 1.6 s of the line alone.
        #expect(samples.ours[0] > 1_600_000_000)
        #expect(samples.idealBytes > 2_010_000)
    }
}
