import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// The faults: links, disks, sessions, processes and whole devices.
extension DoseSimulation {
    func fault(_ next: DoseStep, _ device: DoseDevice) {
        switch next {
        case .switch: changeWatch()
        case .disconnect: disconnect()
        case .loseQuestion: loseQuestion(of: device)
        case .failCommit:
            let failure: DoseDisk.Failure = random.chance(0.5) ? .lost : .durable
            device.disk.state.withLock { $0.nextFailure = failure }
            note(.failCommit, device.index, "\(failure)")
        case .failReads: failReads(device)
        case .refuse:
            guard let link = device.link else { return }
            link.state.withLock { $0.isOpen = false }
            note(.refuse, device.index)
        case .renew: renew(device)
        case .crash:
            disconnect(from: device)
            note(.crash, device.index)
            device.restart()
        case .backUp:
            let contents = device.disk.state.withLock { state in
                state.older = state.contents
                return state.contents
            }
            device.backup = (contents, device.told)
            note(.backUp, device.index)
        case .restore: restore(device)
        case .wipe: wipe(device)
        case .room:
            let room = Int.random(in: 0...4, using: &random)
            device.disk.state.withLock { $0.room = room == 4 ? .max : room }
            note(.room, device.index, "\(room)")
        default: break
        }
    }

    func disconnect() {
        guard isConnected, let active else { return }
        isConnected = false
        note(.disconnect, active.index)
        for device in [devices[0], active] {
            guard let link = device.link else { continue }
            let wasReachable = link.state.withLock { state in
                defer { state.isReachable = false }
                return state.isReachable
            }
            if wasReachable { device.exchange.reachable(false) }
            link.dropQuestions()
        }
    }

    /// Breaks the link of a device; that of other devices stays.
    func disconnect(from device: DoseDevice) {
        if device.index == 0 || device === active { disconnect() }
    }

    func changeWatch() {
        let next = active?.index == 1 ? 2 : 1
        disconnect()
        note(.switch, next)
        devices[0].begin(with: next)
    }

    private func loseQuestion(of device: DoseDevice) {
        guard let link = device.link else { return }
        let lost = link.state.withLock { state in
            state.questions.isEmpty ? nil : state.questions.removeFirst()
        }
        guard let lost else { return }
        note(.loseQuestion, device.index)
        lost.answered(nil)
    }

    /// Reads fail from now on. They end with the journal failed, to be opened again.
    func failReads(_ device: DoseDevice) {
        device.disk.state.withLock { state in
            if state.failsReads {
                state.isFailed = true
                state.waiting = []
            }
            state.failsReads.toggle()
        }
        note(.failReads, device.index)
    }

    func renew(_ device: DoseDevice) {
        guard let other = device.link?.other else { return }
        disconnect(from: device)
        note(.renew, device.index)
        device.begin(with: other)
    }

    /// A device goes back to a copy. Some records of its queues and of those for it are lost.
    private func restore(_ device: DoseDevice) {
        guard let (saved, told) = device.backup else { return }
        disconnect(from: device)
        note(.restore, device.index)
        var contents = saved
        for (other, queue) in contents.queues.sorted(by: { $0.key < $1.key }) {
            contents.queues[other] = queue.filter { _ in random.chance(0.5) }
        }
        device.told = told
        device.restart(contents)
        for other in others(of: device) { loseRecords(from: other, to: device, 0.5) }
    }

    /// A watch is erased and paired again, with empty queues on both sides.
    private func wipe(_ device: DoseDevice) {
        guard device.index != 0 else { return }
        disconnect(from: device)
        note(.wipe, device.index)
        device.told = []
        device.backup = nil
        device.restart(DoseDiskContents())
        let phone = devices[0]
        loseRecords(from: phone, to: device, 1)
        phone.disk.state.withLock { $0.contents.answers[device.index] = nil }
        if phone.link?.other == device.index { phone.begin(with: device.index) }
    }

    private func others(of device: DoseDevice) -> [DoseDevice] {
        device.index == 0 ? Array(devices[1...]) : [devices[0]]
    }

    /// Records are lost with the state of their receiver; their sender learns that their outcome
    /// is not known.
    private func loseRecords(from sender: DoseDevice, to device: DoseDevice, _ share: Double) {
        let queue = sender.disk.state.withLock { $0.contents.queues[device.index] } ?? []
        let lost = queue.filter { _ in random.chance(share) }
        guard !lost.isEmpty else { return }
        let identities = Set(lost.map(\.id))
        sender.disk.state.withLock { state in
            state.contents.queues[device.index]?.removeAll { identities.contains($0.id) }
        }
        guard sender.link?.other == device.index else { return }
        for record in lost { sender.exchange.settled(record.id, .unknown) }
    }
}
