import Bench
import CommandLine
import ControlProtocol
import NetworkEmulation
import WatchProtoCore

/// The actions on the processes.
extension ProcessStage {
    private var now: Duration {
        .nanoseconds(Int64(MonotonicClock.nowNanoseconds) - Int64(origin))
    }

    /// Rests until a moment of the scenario, writing down what both say meanwhile.
    func wait(until moment: Duration) throws(RigFailure) {
        repeat {
            try supervisor.listen(atMost: max(.zero, min(moment - now, .milliseconds(100))))
            hear()
        } while now < moment
    }

    func perform(_ action: StageAction) throws(RigFailure) {
        switch action.what {
        case .step(let act): try perform(act)
        case .start(let device):
            try launch(device)
            try simulator(device).awaitReady(timeout: Self.patience)
            note(.running(device, true), at: now)
        case .thaw(let device): try simulator(device).thaw()
        case .open(let device): try command(device, "link.open")
        }
    }

    private func perform(_ act: ScenarioStep.Act) throws(RigFailure) {
        let at = now
        switch act {
        case .change(let number):
            let index = list.firstIndex(of: number) ?? 0
            let reply = try command(.phone, "medication.change", ["index": .whole(index)])
            if let revision = reply["records"]?.array?.first?["revision"]?.unsigned {
                note(.changed(number, revision: revision), at: at)
            }
            try keepFace()
        case .remove(let number):
            let index = list.firstIndex(of: number) ?? 0
            let reply = try command(.phone, "medication.remove", ["index": .whole(index)])
            guard reply["ok"] == true else { return }
            list.removeAll { $0 == number }
            note(.changed(number, revision: nil), at: at)
            try keepFace()
        case .take(let number): try tap(number, "taken", at: at)
        case .skip(let number): try tap(number, "skipped", at: at)
        case .face(let text):
            let reply = try command(.phone, "complication.update", ["text": .string(text)])
            guard reply["ok"] == true else { return }
            face = text
            note(.faceSet(text), at: at)
        case .sync:
            // The reply may wait for the watch, and the steps do not.
            unanswered.append((.phone, "sync", try simulator(.phone).send("sync")))
            try keepFace()
        case .link(let conditions): conditioner?.set(conditions, restartsBlackouts: [.up, .down])
        case .linkDown(let isDown): conditioner?.setDown(isDown)
        case .kill(let device, _): try kill(device)
        case .restart(let device, _):
            let simulator = try simulator(device)
            simulator.quit()
            // That was no end of the run.
            supervisor.ignoresInterrupts = false
            gone(simulator, device)
        case .freeze(let device, _): try simulator(device).freeze()
        case .airplane(let device, _): try command(device, "link.close")
        case .backUp(let device): try backUp(device)
        case .restore(let device, _):
            try kill(device)
            try replace(device)
        }
    }

    /// Gives the face its text again. After an edit the phone offers a face of its own, without a
    /// text; the text of a step stays until another step gives the next one.
    private func keepFace() throws(RigFailure) {
        guard let face else { return }
        try command(.phone, "complication.update", ["text": .string(face)])
    }

    private func tap(_ number: Int, _ action: String, at: Duration) throws(RigFailure) {
        taps += 1
        let identity = String(UInt64(taps), radix: 16)
        let dose = String(repeating: "0", count: 32 - identity.utf8.count) + identity
        // Not by its place: the watch may have another list.
        let key = numbers.first { $0.value == number }?.key ?? ""
        let reply = try command(
            .watch, "dose.record",
            ["key": .string(key), "dose": .string(dose), "action": .string(action)])
        if reply["ok"] == true { note(.tapped(dose, medication: number), at: at) }
    }

    private func kill(_ device: Device) throws(RigFailure) {
        let simulator = try simulator(device)
        try simulator.kill()
        gone(simulator, device)
    }

    private func gone(_ simulator: SimulatorProcess, _ device: Device) {
        hear()
        running[device] = nil
        unanswered.removeAll { $0.device == device }
        note(.running(device, false), at: now)
    }

    /// Gives a command; a refusal is written down, and is the scenario's business.
    @discardableResult
    private func command(
        _ device: Device, _ command: String, _ fields: JSONObject = JSONObject()
    ) throws(RigFailure) -> JSONValue {
        let reply = try simulator(device).request(command, fields, timeout: Self.patience)
        refused(reply, device, command)
        return reply
    }

    func refused(_ reply: JSONValue, _ device: Device, _ command: String) {
        guard reply["ok"] != true else { return }
        let code = reply["error"]?["code"]?.string ?? "no word why"
        note(.trouble(device, "'\(command)' refused: \(code)"), at: now)
    }

    // MARK: Files

    /// The journal and what SQLite keeps beside it.
    private func files(of device: Device) -> [String] {
        ["", "-wal"].map { journal(of: device) + $0 }
    }

    /// Copies the file of a process while it stands still. The copy holds the bytes that the disk
    /// would hold after a loss of power at that moment.
    private func backUp(_ device: Device) throws(RigFailure) {
        let simulator = try simulator(device)
        simulator.freeze()
        defer { simulator.thaw() }
        if device == .phone { (listKept, faceKept) = (list, face) }
        for path in files(of: device) { try copy(path, to: "\(path).backup") }
    }

    /// Puts the copy in the place of the file.
    private func replace(_ device: Device) throws(RigFailure) {
        if device == .phone { (list, face) = (listKept, faceKept) }
        // It notes how much the file held that is replaced.
        Files.remove("\(journal(of: device))-lock")
        for path in files(of: device) {
            Files.remove(path)
            try copy("\(path).backup", to: path)
        }
    }

    private func copy(_ from: String, to path: String) throws(RigFailure) {
        guard Files.exists(from) else { return }
        do throws(SystemError) {
            try Files.write(try Files.read(from), to: path, mode: 0o600)
        } catch {
            throw RigFailure(.cannotWrite, "Cannot copy a journal: \(error).")
        }
    }
}
