import SimKit
import WatchProto

/// The trials that share one pair of peers.
final class FloorTrials<Security: PeerSecurity> {
    let cell: FloorCell
    let settings: FloorSettings
    let makeSecurity: (DeviceRole) -> Security
    var samples = FloorSamples()
    var random: SeededGenerator
    private var pairs = 0

    /// A trial that takes longer counts as one that never ends.
    static var timeLimit: Duration { .seconds(120) }

    init(
        _ cell: FloorCell, _ settings: FloorSettings, seed: UInt64,
        makeSecurity: @escaping (DeviceRole) -> Security
    ) {
        self.cell = cell
        self.settings = settings
        self.makeSecurity = makeSecurity
        random = SeededGenerator(seed: seed)
    }

    func run(_ trials: Int) -> FloorSamples {
        var left = trials
        while left > 0 {
            let pair = makePair()
            // After a trial that does not end the next ones begin with other peers.
            repeat {
                left -= 1
            } while trial(on: pair) && left > 0
        }
        return samples
    }

    private func trial(on pair: PeerPair<Security>) -> Bool {
        switch cell {
        case .complication, .complicationBursts: complication(on: pair)
        case .complicationEarly: complicationEarly(on: pair)
        case .complicationWithBulk: complicationBesideBulk(on: pair)
        case .hundredWarm: hundred(on: pair)
        case .hundredCold: hundredCold(on: pair)
        case .bulk: bulk(on: pair)
        }
    }

    // MARK: Pairs

    private func makePair() -> PeerPair<Security> {
        var weather = settings.weather
        if cell == .complicationBursts { weather.lossBurstPackets = 3 }
        var options = PairOptions(
            weather, datagramBytes: settings.datagramBytes, seed: random.next())
        options.commitTime = settings.commitTime
        options.plantedDelay = settings.plantedDelay
        let pair = PeerPair(options, makeSecurity: makeSecurity)
        pair.connect(seed: random.next())
        // Warm: the two have met, measured their link, and moved what the cell moves.
        _ = update(pair)
        settle(pair)
        if cell == .hundredWarm || cell == .hundredCold {
            _ = queueHundred(on: pair)
            pair.drain(pair.phone)
            settle(pair)
        }
        return pair
    }

    /// Lets everything end that is under way, and a little more.
    func settle(_ pair: PeerPair<Security>) {
        let end = pair.now.advanced(by: Self.timeLimit * 4)
        while !pair.phone.peer.outstandingTransfers.isEmpty, pair.step(until: end) {}
        // What is on its way arrives, and what has arrived is acknowledged.
        pair.run(for: settings.weather.delay * 4 + .milliseconds(200))
        _ = pair.takeSights()
    }

    /// A random wait, so that trials begin at no moment of their own.
    func pause(_ pair: PeerPair<Security>) {
        pair.run(for: .nanoseconds(Int64(random.uniform(in: 500_000_000...1_500_000_000))))
        _ = pair.takeSights()
    }

    // MARK: What a trial does

    var updates = 0
    static var face: RecordKey { RecordKey(rawValue: 0xFACE) }

    /// Queues an update of the face, and says what it is to show.
    func update(_ pair: PeerPair<Security>) -> [UInt8] {
        updates += 1
        let payload = Payload.complication(updates)
        _ = try? pair.phone.peer.updateComplication(Self.face, payload, at: pair.now)
        return payload
    }

    var tallies: (PeerPair<Security>) -> [PairTally] { { $0.sides.map(\.tally) } }

    /// Counts what the sides have sent since `before`.
    func count(_ pair: PeerPair<Security>, since before: [PairTally]) {
        for side in pair.sides.indices {
            samples.tallies[side] += pair.sides[side].tally - before[side]
        }
    }
}

extension Duration {
    /// For samples: never negative.
    var sample: UInt64 { UInt64(max(0, nanosecondsClamped)) }
}
