import WatchProtoCore

/// Draws what befalls processes, disks and links.
extension ScenarioMaker {
    mutating func makeFaults() {
        var faults: [Scenario.Fault] = []
        func add(_ count: UInt64, _ make: (inout ScenarioMaker) -> Scenario.Fault.What) {
            for _ in 0..<count {
                let at = moment()
                faults.append(Scenario.Fault(at: at, make(&self)))
            }
        }
        if isOn(.crashes) {
            add(random.uniform(in: 1...4)) {
                .crash(
                    side: $0.side(),
                    downFor: $0.milliseconds($0.random.chance(0.5) ? 1...50 : 50...9_000))
            }
        }
        if isOn(.pauses) {
            add(random.uniform(in: 1...2)) {
                .pause(side: $0.side(), $0.milliseconds(100...20_000))
            }
        }
        if isOn(.cuts) { add(random.uniform(in: 1...4)) { _ in .cut } }
        if isOn(.partitions) {
            add(random.uniform(in: 1...2)) {
                .partition(side: $0.side(), $0.milliseconds(100...15_000))
            }
        }
        // A link that opens and then carries nothing for longer than a handshake may take.
        if isOn(.partitions), random.chance(0.1) {
            faults.append(
                Scenario.Fault(
                    at: Instant(nanoseconds: random.uniform(in: 1_000_000...20_000_000)),
                    .partition(side: side(), milliseconds(11_000...14_000))))
        }
        if isOn(.blackouts) {
            add(random.uniform(in: 1...3)) { .partition(side: nil, $0.milliseconds(500...5_000)) }
        }
        if isOn(.clockJumps) {
            add(random.uniform(in: 1...3)) {
                .clockJump(side: $0.side(), .seconds($0.random.chance(0.5) ? 86_400 : -86_400))
            }
        }
        faults += makeDiskFaults()
        scenario.faults = faults
        scenario.sortFaults()
    }

    private mutating func makeDiskFaults() -> [Scenario.Fault] {
        var faults: [Scenario.Fault] = []
        func add(_ at: Instant, _ what: Scenario.Fault.What) {
            faults.append(Scenario.Fault(at: at, what))
        }
        if isOn(.storageCrashes) {
            for _ in 0..<random.uniform(in: 1...3) {
                add(
                    moment(),
                    .storageCrash(
                        side: side(), pick(StorageMoment.allCases),
                        afterCalls: Int(random.uniform(in: 0...5))))
            }
        }
        if isOn(.recoveryCrashes) {
            add(
                moment(),
                .recoveryCrash(
                    side: side(), times: Int(random.uniform(in: 1...3)),
                    downFor: milliseconds(1...500)))
        }
        if isOn(.diskErrors) {
            add(
                moment(),
                .diskError(
                    side: side(), count: random.chance(0.7) ? 1 : nil,
                    afterCalls: Int(random.uniform(in: 0...5))))
        }
        if isOn(.fullDisk), random.chance(0.4) {
            add(moment(), .diskFull(side: side(), milliseconds(500...8_000)))
        }
        // One disk in a scenario, or both, and each perhaps again.
        if isOn(.wipes) {
            for _ in 0..<random.uniform(in: 1...2) {
                add(moment(), .wipe(side: side(), downFor: milliseconds(1...5_000)))
            }
        }
        if isOn(.restores) {
            let restored = side()
            for _ in 0..<random.uniform(in: 1...2) {
                let two = [moment(), moment()].sorted()
                let other = random.chance(0.3) ? 1 - restored : restored
                add(two[0], .backup(side: other))
                add(two[1], .restore(side: other, downFor: milliseconds(1...5_000)))
            }
        }
        return faults
    }
}

extension Scenario {
    /// Puts the faults into the order of time; those of one moment stay in theirs.
    mutating func sortFaults() {
        faults = faults.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
}
