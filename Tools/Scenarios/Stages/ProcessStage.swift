import Bench
package import CommandLine
import ControlProtocol
import NetworkEmulation
import WatchProtoCore
package import WatchProtoTransport

/// A stage in real time: PhoneSim and WatchSim as processes on their journals, with the link model
/// between them.
package final class ProcessStage: ScenarioStage {
    /// Where the simulators are, and where they meet.
    package struct Place: Sendable {
        /// The directory of PhoneSim and WatchSim.
        package var programs: String
        /// Where the phone comes to.
        package var near: LinkAddress
        /// Where the watch is.
        package var far: LinkAddress

        /// Makes it.
        package init(programs: String, near: LinkAddress, far: LinkAddress) {
            self.programs = programs
            self.near = near
            self.far = far
        }
    }

    private let place: Place
    private let progress: (String) -> Void
    let supervisor = Supervisor()
    var observations: [Observation] = []
    var running: [Device: SimulatorProcess] = [:]
    var directory = ""
    var seed: UInt64 = 42
    /// When the scenario began, in nanoseconds of CLOCK_MONOTONIC.
    var origin: UInt64 = 0
    /// Medications by their keys.
    var numbers: [String: Int] = [:]
    /// The phone's list, and its copy in the backup.
    var list: [Int] = []
    var listKept: [Int] = []
    /// The text that the phone last gave the face, and its copy in the backup.
    var face: String?
    var faceKept: String?
    /// Taps so far: each gets an identity of its own.
    var taps = 0
    /// Commands whose reply nobody waits for.
    var unanswered: [(device: Device, command: String, id: Int64)] = []
    var conditioner: LinkConditioner?
    /// Everything that the steps ask for must be over by then, and the start, too.
    static let patience = Duration.seconds(20)

    /// Makes the stage; `progress` is told what it is doing.
    package init(_ place: Place, progress: @escaping (String) -> Void = { _ in }) {
        self.place = place
        self.progress = progress
    }

    package func perform(_ plan: ScenarioPlan) throws(RigFailure) -> ScenarioRecord {
        do throws(SystemError) {
            directory = try Files.makeTemporaryDirectory("rig-run")
        } catch {
            throw RigFailure(.cannotWrite, "Cannot make a temporary directory: \(error).")
        }
        defer { end() }
        let start = MonotonicClock.nowNanoseconds
        seed = plan.seed
        progress("starting both simulators")
        try openLink(plan)
        for device in [Device.watch, .phone] { try launch(device) }
        for device in Device.allCases { try simulator(device).awaitReady(timeout: Self.patience) }
        let build = SimulatorProcess.build(of: Device.allCases.compactMap { running[$0] })
        try meet(plan)
        origin = MonotonicClock.nowNanoseconds
        conditioner?.set(plan.link, restartsBlackouts: [.up, .down])
        for device in Device.allCases {
            note(.running(device, true), at: .zero)
            let status = try simulator(device).call("status")
            note(.reachable(device, status["reachable"] == true), at: .zero)
        }
        for action in StageAction.all(of: plan) {
            try wait(until: action.at)
            progress("\(ScenarioEvaluator.seconds(action.at)): \(action.words)")
            try perform(action)
        }
        try wait(until: plan.lastMoment)
        progress("waiting until everything has settled")
        try settle(within: plan.settle)
        var record = ScenarioRecord()
        record.build = build
        record.ending = try ending()
        record.observations = observations.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        record.duration = .nanoseconds(Int64(MonotonicClock.nowNanoseconds - start))
        return record
    }

    // MARK: The two, and the link between them

    func simulator(_ device: Device) throws(RigFailure) -> SimulatorProcess {
        guard let simulator = running[device] else {
            throw RigFailure(.software, "The \(device.rawValue) is not running.")
        }
        return simulator
    }

    private func openLink(_ plan: ScenarioPlan) throws(RigFailure) {
        do throws(LinkConditioner.Refusal) {
            conditioner = try LinkConditioner(
                listening: place.near, connecting: place.far, conditions: NetworkConditions(),
                seed: plan.seed)
        } catch {
            throw RigFailure(.unreachable, "Cannot open the link: \(error).")
        }
    }

    static func program(of device: Device) -> String {
        device == .phone ? "PhoneSim" : "WatchSim"
    }

    func journal(of device: Device) -> String {
        "\(directory)/\(Self.program(of: device)).journal"
    }

    func launch(_ device: Device) throws(RigFailure) {
        let name = Self.program(of: device)
        running[device] = try SimulatorProcess(
            name, executable: "\(place.programs)/\(name)",
            arguments: [
                "--link", "\(device == .phone ? place.near : place.far)", "--control", "stdio",
                "--seed", "\(seed)", "--journal", journal(of: device),
            ], supervisor: supervisor)
    }

    /// Pairs them, and gives the phone its list, and the watch where it is to have it.
    private func meet(_ plan: ScenarioPlan) throws(RigFailure) {
        let (phone, watch) = (try simulator(.phone), try simulator(.watch))
        try SimulatorProcess.pair(watch, phone, timeout: Self.patience)
        for simulator in [phone, watch] {
            try hold("\(simulator.name) did not reach the other") { () throws(RigFailure) in
                try simulator.call("status")["reachable"] == true
            }
        }
        let path = "\(directory)/list.json"
        do throws(SystemError) {
            try Files.write(Self.list(plan.medications), to: path)
        } catch {
            throw RigFailure(.cannotWrite, "Cannot write a list of medications: \(error).")
        }
        try phone.call("import", ["path": .string(path)])
        list = Array(1...plan.medications)
        let listed = try phone.call("list")["medications"]?.array ?? []
        for (index, one) in listed.enumerated() {
            if let key = one["key"]?.string { numbers[key] = index + 1 }
        }
        guard plan.isOnWatch else { return }
        try phone.call("sync")
        try hold("The watch did not get the list") { () throws(RigFailure) in
            try isSettled()
        }
        for device in Device.allCases { _ = try simulator(device).takeEvents() }
    }

    /// As many medications as wanted, as the phone imports them.
    private static func list(_ count: Int) -> [UInt8] {
        let medications = (1...count).map { number -> JSONValue in
            [
                "name": .string("Medication \(number)"), "strength": .string("\(number) mg"),
                "form": "tablet",
            ]
        }
        return JSONWriter.bytes([
            "format": "watchproto.medications/1", "medications": .array(medications),
        ])
    }

    private func hold(
        _ what: String, _ isOver: () throws(RigFailure) -> Bool
    ) throws(RigFailure) {
        let limit = MonotonicClock.nowNanoseconds + UInt64(Self.patience.nanosecondsClamped)
        while try !isOver() {
            guard MonotonicClock.nowNanoseconds < limit else {
                throw RigFailure(.unreachable, "\(what) within \(Self.patience.meaning).")
            }
            try supervisor.rest(.milliseconds(5))
        }
    }

    private func end() {
        for device in Device.allCases { running[device]?.quit() }
        conditioner?.close()
        Files.removeDirectory(directory)
    }
}
