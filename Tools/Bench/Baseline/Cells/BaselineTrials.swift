import Simulation
import WatchProtoCore

/// The trials that share one pair of peers.
final class BaselineTrials {
    let cell: BaselineCell
    let settings: BaselineSettings
    let conditions: LinkOptions
    private let makeNewPair: (PairOptions) -> PeerPair
    var samples = BaselineSamples()
    var random: SeededGenerator
    var content: PhoneContent
    /// The records given to each side of the present pair: they show whether one is given twice.
    private var given: [Set<RecordID>] = [[], []]
    /// Whether files have the line of the present pair, and when the last of them was over.
    var isFilled = false
    var fileEnd: Instant?

    /// A trial that takes longer counts as one that never ends; a transfer may take five times
    /// what its line needs.
    var timeLimit: Duration {
        let least = Duration.seconds(120)
        guard cell.isBulk else { return least }
        return max(least, Ideal.limit(bytes: BaselineCell.bulkBytes, conditions) * 5)
    }

    init(
        _ cell: BaselineCell, _ settings: BaselineSettings, seed: UInt64,
        makeSecurity: @escaping (DeviceRole) -> some PeerSecurity
    ) {
        self.cell = cell
        self.settings = settings
        conditions = cell.conditions(settings)
        makeNewPair = { PeerPair($0, makeSecurity: makeSecurity) }
        random = SeededGenerator(seed: seed)
        content = PhoneContent(seed: seed)
    }

    func run(_ trials: Int) -> BaselineSamples {
        var left = trials
        while left > 0 {
            let pair = makePair()
            // After a trial that does not end the next ones begin with other peers.
            repeat {
                left -= 1
            } while trial(on: pair) && left > 0
            // A second copy of a record may arrive late; the other cells have waited for it.
            if cell.isBesideBulk { runOut(pair) }
        }
        return samples
    }

    private func trial(on pair: PeerPair) -> Bool {
        switch cell {
        case .complication, .complicationBursts: complication(on: pair)
        case .complicationEarly: complicationEarly(on: pair)
        case .complicationRestart: complicationEarly(on: pair, restarts: true)
        case .complicationDialled:
            complicationEarly(on: pair, restarts: true, dialling: .milliseconds(30))
        case .complicationSecond: complicationSecond(on: pair)
        case .complicationBulk, .complicationStream: complicationBesideBulk(on: pair)
        case .hundredWarm: warm(on: pair) { self.queueRecords(100, on: pair) }
        case .hundredCold: cold(on: pair) { self.queueRecords(100, on: pair) }
        case .bulk, .bulkSmall, .bulkLarge: warm(on: pair) { self.queueFile(on: pair) }
        case .change: warm(on: pair) { self.queueChanges(1, on: pair) }
        case .list: warm(on: pair) { self.queueList(on: pair) }
        case .message: warm(on: pair, counts: .delivered) { self.queueMessage(on: pair) }
        case .incremental: cold(on: pair) { self.queueChanges(100, on: pair) }
        case .offline: cold(on: pair, called: nil) { self.queueBothWays(20, on: pair) }
        case .transition: cold(on: pair, called: nil) { self.queueBothWays(1, on: pair) }
        case .recordEarly: cold(on: pair, counts: .delivered) { self.queueRecords(1, on: pair) }
        case .committedEarly: cold(on: pair, counts: .committed) { self.queueRecords(1, on: pair) }
        case .committedCut: committedCut(on: pair)
        case .hardLoss, .hardCorruption, .hardDelay, .hardBlackout: hard(on: pair)
        }
    }

    // MARK: Pairs

    private func makePair() -> PeerPair {
        var options = PairOptions(
            conditions, datagramBytes: cell.datagramBytes(settings), seed: random.next())
        options.commitTime = settings.commitTime
        options.planted = settings.planted
        let pair = makeNewPair(options)
        given = [[], []]
        (isFilled, fileEnd) = (false, nil)
        content.begin()
        pair.connect(seed: random.next())
        // Warm: the two have met, measured their link, and moved what the cell moves.
        _ = update(pair)
        switch cell {
        case .hundredWarm, .hundredCold: _ = queueRecords(100, on: pair)
        case .change, .incremental, .offline, .transition: _ = queueChangeable(on: pair)
        case .bulk, .bulkSmall, .bulkLarge, .complicationBulk, .complicationStream:
            _ = queueFile(on: pair)
        default: break
        }
        pair.drain(pair.phone)
        settle(pair)
        return pair
    }

    /// Lets everything end that is under way, and a little more.
    func settle(_ pair: PeerPair) {
        let end = pair.now.advanced(by: timeLimit * 4)
        for side in pair.sides {
            while side.outstanding() > 0, pair.step(until: end) {}
        }
        runOut(pair)
    }

    /// Runs long enough for packets in flight to arrive and to be acknowledged.
    private func runOut(_ pair: PeerPair) {
        pair.run(for: conditions.delay * 4 + .milliseconds(200))
        _ = takeObservations(of: pair)
    }

    /// The observations since the last call. All of them pass here: a record that is given to an
    /// application a second time is counted at any moment.
    func takeObservations(of pair: PeerPair) -> [PairObservation] {
        let observations = pair.takeObservations()
        for case .delivered(let side, let record) in observations
        where !given[side].insert(record.id).inserted {
            samples.repeated += 1
        }
        return observations
    }

    /// A random wait, so that trials begin at no moment of their own.
    func pause(_ pair: PeerPair) {
        pair.run(for: .nanoseconds(Int64(random.uniform(in: 500_000_000...1_500_000_000))))
        _ = takeObservations(of: pair)
    }

    /// The packets, bytes and wakes of each side so far.
    func tallies(_ pair: PeerPair) -> [PairTally] { pair.sides.map(\.tally) }

    /// Adds the packets, bytes and wakes of each side since `before` to the samples.
    func count(_ pair: PeerPair, since before: [PairTally]) {
        for side in pair.sides.indices {
            samples.tallies[side] += pair.sides[side].tally - before[side]
        }
    }
}

extension Duration {
    /// For samples: never negative.
    var sample: UInt64 { UInt64(max(0, nanosecondsClamped)) }
}
