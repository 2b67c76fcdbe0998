import WatchProtoCore

extension Scenario {
    /// From this seed on scenarios are dense: they are short, and a few kinds of acts and faults
    /// follow one another closely. Some bugs need five of these in one order, and the other
    /// scenarios hardly ever have that order.
    package static let firstDenseSeed: UInt64 = 2_000_000

    /// From this seed on dense scenarios are about values and journals that go back.
    package static let firstSeedOfValues: UInt64 = 3_000_000

    /// From this seed on they are about handshakes of journals that go back.
    package static let firstSeedOfHandshakes: UInt64 = 4_000_000

    /// The scenarios of these seeds are not dense, and both sides have a constant shape.
    package static let seedsOfShapes: Range<UInt64> = 5_000_000..<6_000_000

    /// In the scenarios of these seeds both sides send blocks of files, too. Odd ones are dense.
    package static let seedsOfBlocks: Range<UInt64> = 6_000_000..<7_000_000

    /// In the scenarios of these seeds some limits of both sides are tight, so that few records
    /// reach them. Odd ones are dense.
    package static let seedsOfLimits: Range<UInt64> = 7_000_000..<8_000_000
}

/// Draws dense scenarios.
extension ScenarioMaker {
    /// A dense scenario has only these acts of an application.
    private enum DenseAct: CaseIterable {
        case record, cancelled, once, value, state, medication, rest
    }

    /// A dense scenario has only these faults.
    private enum DenseFault: CaseIterable {
        case crash, storageCrash, cut, pause, restore, wipe, replay, blackout, attacker, mapping
    }

    mutating func makeDense(isSealed: Bool) -> Scenario {
        makeDenseLink()
        scenario.commitNanoseconds = pick([
            100_000...2_000_000, 1_000_000...60_000_000, 1_000_000...400_000_000,
        ])
        scenario.unreceiptedCommit = pick([0, 0.3, 0.6])
        scenario.choices = pick([100, 30, 12])
        let isOfHandshakes = scenario.seed >= Scenario.firstSeedOfHandshakes
        let isOfValues = !isOfHandshakes && scenario.seed >= Scenario.firstSeedOfValues
        let acts = isOfValues ? [.value, .state, .medication] : some(of: DenseAct.allCases)
        // Journals that go back need the most faults in a row, so these are drawn most often.
        var kinds: [DenseFault] =
            isOfValues || isOfHandshakes || random.chance(0.5)
            ? [.restore, .restore, .crash, .cut] : some(of: DenseFault.allCases)
        if !isSealed { kinds.removeAll { $0 == .replay || $0 == .attacker } }
        let (sender, suffering) = (side(), side())
        let (sending, suffers) = (pick([0.6, 0.85, 1]), pick([0.5, 0.8, 1]))
        let actShare = random.uniform(in: isOfHandshakes ? 0...15 : 5...85)
        var at = Instant(nanoseconds: 200_000_000)
        for _ in 0..<random.uniform(in: 8...50) {
            if random.uniform(in: 0...99) < actShare {
                let side = random.chance(sending) ? sender : 1 - sender
                for what in makeDense(pick(acts)) {
                    scenario.acts.append(
                        Scenario.Act(
                            at: at, side: side, what, waitsForCommit: random.chance(0.1)))
                }
            } else if let kind = kinds.isEmpty ? nil : pick(kinds) {
                let side = random.chance(suffers) ? suffering : 1 - suffering
                scenario.faults.append(Scenario.Fault(at: at, makeDense(kind, side)))
            }
            at = at.advanced(by: closeWait())
        }
        if random.chance(0.03) { flood(sender) }
        scenario.healAt = at.advanced(by: .seconds(1))
        callAfterTranslations()
        return scenario
    }

    /// One to three of the kinds, or now and then all of them.
    private mutating func some<Element>(of all: [Element]) -> [Element] {
        if random.chance(0.1) { return all }
        return (0..<random.uniform(in: 1...3)).map { _ in pick(all) }
    }

    /// More versions in a moment than are reserved at a time.
    private mutating func flood(_ side: Int) {
        scenario.commitNanoseconds = 100_000...300_000
        let at = pick(scenario.acts.map(\.at) + [Instant(nanoseconds: 300_000_000)])
        let flood = (0..<random.uniform(in: 1_030...1_200)).map {
            Scenario.Act(at: at, side: side, .complication(key: 1, value: 1 + $0 % 2))
        }
        let place = scenario.acts.firstIndex { $0.at >= at } ?? scenario.acts.count
        scenario.acts.insert(contentsOf: flood, at: place)
    }

    private mutating func makeDenseLink() {
        scenario.carrier.kind = pick([.lossyDatagram, .reliableDatagram, .stream(.whole)])
        scenario.carrier.largestDatagramBytes = pick([244, 1_200, 65_536])
        scenario.carrier.listener = side()
        makeInitiation()
        var conditions = LinkOptions()
        conditions.kind = scenario.carrier.kind
        conditions.delay = milliseconds(pick([0...1, 1...15, 10...60]))
        conditions.recoveryTime = conditions.delay * 2 + .milliseconds(10)
        if random.chance(0.2) { conditions.loss = random.unitInterval() * 0.3 }
        scenario.linkConditions = [conditions, conditions]
    }

    private mutating func makeDense(_ act: DenseAct) -> [Scenario.Act.What] {
        let bytes = Int(random.uniform(in: 8...80))
        let record = Scenario.Act.What.send(.background, bytes: bytes)
        switch act {
        case .record: return [record]
        case .cancelled: return [record, .cancel(back: Int(random.uniform(in: 0...1)))]
        case .once:
            let key = random.uniform(in: 1...3)
            return [.once(.background, bytes: bytes, key: key), .again(key: key)]
        case .value: return [.send(.context, bytes: bytes, key: random.uniform(in: 1...2))]
        case .rest: return [record, .suspend(milliseconds(20...3_000))]
        case .state: return [.complication(key: 1, value: random.uniform(in: 1...4))]
        case .medication:
            let number = random.uniform(in: 1...2)
            return random.chance(0.4)
                ? [.remove(number: number)]
                : [.medication(number: number, change: random.uniform(in: 0...255))]
        }
    }

    private mutating func makeDense(_ kind: DenseFault, _ side: Int) -> Scenario.Fault.What {
        switch kind {
        case .crash: .crash(side: side, downFor: milliseconds(1...60))
        case .storageCrash:
            .storageCrash(
                side: side, pick(StorageMoment.allCases),
                afterCalls: Int(random.uniform(in: 0...3)))
        case .cut: .cut
        case .pause: .pause(side: side, milliseconds(5...800))
        case .restore:
            random.chance(0.4)
                ? .backup(side: side) : .restore(side: side, downFor: milliseconds(1...60))
        case .wipe: .wipe(side: side, downFor: milliseconds(1...60))
        case .replay: .replay(side: side, packets: Int(random.uniform(in: 1...20)))
        case .attacker:
            switch random.uniform(in: 0...5) {
            case 0: .forgedReset(side: side)
            case 1: .newcomer
            default: .oldMessage1(side: side, back: Int(random.uniform(in: 0...3)))
            }
        case .mapping: .newMapping(side: 1 - scenario.carrier.listener)
        case .blackout: .partition(side: nil, milliseconds(20...1_500))
        }
    }
}
