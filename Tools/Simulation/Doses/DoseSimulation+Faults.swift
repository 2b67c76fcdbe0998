import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// The faults: links, disks, sessions, processes and whole devices.
extension DoseSimulation {
    func fault(_ next: DoseStep, _ device: DoseDevice, _ other: DoseDevice) {
        switch next {
        case .leave: leave(device, other)
        case .disconnect: disconnect(device, other)
        case .loseQuestion: loseQuestion(of: device, to: other)
        case .failCommit:
            let failure: DoseDisk.Failure = random.chance(0.5) ? .lost : .durable
            device.disk.state.withLock { $0.nextFailure = failure }
            note(.failCommit, device.index, "\(failure)")
        case .failReads: failReads(device)
        case .refuse:
            guard let link = device.links[other.index] else { return }
            link.state.withLock { $0.isOpen = false }
            device.disk.state.withLock { $0.learnt = [:] }
            note(.refuse, device.index, Self.name(other.index))
        case .renew: renew(device, other)
        case .crash:
            disconnect(device)
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
        case .clock: setClock(of: device)
        case .room:
            let room = Int.random(in: 0...4, using: &random)
            device.set(room: room == 4 ? .max : room)
            note(.room, device.index, "\(room)")
        default: break
        }
    }

    func disconnect(_ device: DoseDevice, _ other: DoseDevice) {
        let watch = max(device.index, other.index)
        guard connected.remove(watch) != nil else { return }
        note(.disconnect, watch)
        for link in [devices[0].links[watch], devices[watch].links[0]].compactMap({ $0 }) {
            if link.isReachable { link.set(isReachable: false) }
            link.dropQuestions()
        }
        guard mutant == .sharesPeriod else { return }
        for link in devices[0].ends { link.exchange.reachable(false) }
    }

    /// Breaks all links of a device.
    func disconnect(_ device: DoseDevice) {
        for other in device.others { disconnect(device, devices[other]) }
    }

    private func leave(_ device: DoseDevice, _ other: DoseDevice) {
        guard device.links[other.index] != nil else { return }
        disconnect(device, other)
        note(.leave, device.index, Self.name(other.index))
        device.end(with: other.index)
    }

    private func loseQuestion(of device: DoseDevice, to other: DoseDevice) {
        guard let link = device.links[other.index] else { return }
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
            if state.failsReads { state.fail() }
            state.failsReads.toggle()
            state.learnt = [:]
        }
        note(.failReads, device.index)
    }

    func renew(_ device: DoseDevice, _ other: DoseDevice) {
        guard device.links[other.index] != nil else { return }
        disconnect(device, other)
        note(.renew, device.index, Self.name(other.index))
        device.begin(with: other.index)
    }

    /// A device goes back to a copy. Some records of its queues and of those for it are lost.
    private func restore(_ device: DoseDevice) {
        guard let (saved, told) = device.backup else { return }
        disconnect(device)
        note(.restore, device.index)
        var contents = saved
        for (other, queue) in contents.queues.sorted(by: { $0.key < $1.key }) {
            contents.queues[other] = queue.filter { _ in random.chance(0.5) }
        }
        device.told = told
        device.taps.formIntersection(told)
        device.restart(contents)
        for other in device.others { loseRecords(from: devices[other], to: device, 0.5) }
    }

    /// A device is erased and paired again, with empty queues on both sides. The others keep their
    /// doses: a watch says that the new phone is the same wearer's.
    private func wipe(_ device: DoseDevice) {
        guard device.index != 0 || plan.hasApplication else { return }
        disconnect(device)
        note(.wipe, device.index)
        device.told = []
        device.taps = []
        device.backup = nil
        device.restart(DoseDiskContents())
        for other in device.others.map({ devices[$0] }) {
            loseRecords(from: other, to: device, 1)
            other.disk.forget(device.index)
            other.backup?.contents.forget(device.index)
            if other.links[device.index] != nil { other.begin(with: device.index) }
        }
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
        for record in lost {
            sender.links[device.index]?.exchange.settled(record.id, .unknown)
        }
    }
}
