import NetworkEmulation
import Simulation
import WatchProtoCore

/// A plan as the world takes it.
struct WorldScript {
    private(set) var scenario: Scenario
    private let begin: Duration
    private var faces: UInt64 = 0
    /// The phone's list as the steps leave it, and as its backup has it.
    private var list: [UInt64]
    private var listKept: [UInt64] = []

    init(_ plan: ScenarioPlan, begin: Duration) {
        self.begin = begin
        list = Array(1...UInt64(plan.medications))
        scenario = Scenario(seed: plan.seed)
        scenario.isWritten = true
        scenario.medicationCount = UInt64(plan.medications)
        scenario.carrier.kind = .lossyDatagram
        scenario.carrier.largestDatagramBytes = plan.datagramBytes
        scenario.settleTime = plan.settle
        scenario.healAt = moment(plan.lastMoment)
        // Without it the list is the phone's alone.
        if plan.isOnWatch {
            act(.zero - .seconds(2), .phone, .synchronize(numbers: list, changed: 0))
        }
        setLink(plan.link, at: .zero)
        for step in plan.steps { add(step) }
        for (begin, end) in plan.outages {
            fault(begin, .partition(side: nil, end - begin))
        }
    }

    private func moment(_ at: Duration) -> Instant { Instant.zero.advanced(by: begin + at) }

    private mutating func act(
        _ at: Duration, _ device: Device, _ what: Scenario.Act.What, waits: Bool = false
    ) {
        scenario.acts.append(
            Scenario.Act(
                at: moment(at), side: device == .phone ? 0 : 1, what, waitsForCommit: waits))
    }

    private mutating func fault(_ at: Duration, _ what: Scenario.Fault.What) {
        scenario.faults.append(Scenario.Fault(at: moment(at), what))
    }

    private mutating func setLink(_ conditions: NetworkConditions, at: Duration) {
        let ways = NetworkConditions.Way.allCases.map { way in
            conditions[way].options(
                .lossyDatagram, reading: conditions.reading, since: moment(at), around: moment(at))
        }
        fault(at, .linkConditions(ways))
    }

    private mutating func add(_ step: ScenarioStep) {
        let at = step.at
        switch step.act {
        case .change(let number):
            // This change gives the medication a new next dose, and leaves all else.
            act(at, .phone, .medication(number: UInt64(number), change: 8))
        case .remove(let number):
            list.removeAll { $0 == UInt64(number) }
            act(at, .phone, .remove(number: UInt64(number)))
        case .take, .skip: act(at, .watch, .send(.background, bytes: Self.doseBytes), waits: true)
        case .face:
            faces += 1
            act(at, .phone, .complication(key: 1, value: faces))
        case .sync: act(at, .phone, .synchronize(numbers: list, changed: 0))
        case .link(let conditions): setLink(conditions, at: at)
        case .linkDown: break
        case .kill(let device, let time): fault(at, .crash(side: device.side, downFor: time))
        case .restart(let device, let time):
            // It says goodbye, and is gone a moment later.
            act(at, device, .suspend(time))
            fault(
                at + Self.goodbye,
                .crash(side: device.side, downFor: max(.milliseconds(1), time - Self.goodbye)))
        case .freeze(let device, let time): fault(at, .pause(side: device.side, time))
        case .airplane(let device, let time): act(at, device, .suspend(time))
        case .backUp(let device):
            if device == .phone { listKept = list }
            fault(at, .backup(side: device.side))
        case .restore(let device, let time):
            if device == .phone { list = listKept }
            fault(at, .restore(side: device.side, downFor: time))
        }
    }

    private static let goodbye = Duration.milliseconds(20)
    /// As large as a dose is encoded, about.
    private static let doseBytes = 48
}

extension Device {
    /// The side in the world.
    var side: Int { self == .phone ? 0 : 1 }
}

extension ScenarioPlan {
    /// When the link is down, as planned.
    var outages: [(begin: Duration, end: Duration)] {
        var found: [(Duration, Duration)] = []
        var begin: Duration?
        for step in steps {
            guard case .linkDown(let isDown) = step.act else { continue }
            if isDown {
                begin = step.at
            } else if let start = begin {
                found.append((start, step.at))
                begin = nil
            }
        }
        if let begin { found.append((begin, lastMoment + settle + .seconds(3600))) }
        return found
    }

    /// The largest datagram on its link, as in a load: over Bluetooth Low Energy what one packet
    /// of it holds.
    package var datagramBytes: Int { link.up.options.sendInterval > .zero ? 244 : 1200 }
}
