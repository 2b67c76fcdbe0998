import Locks
import WatchProto
import WatchProtoCore

/// The end of a run, without faults.
extension DoseSimulation {
    /// The most steps of one meeting of the phone and a watch.
    private static let stepLimit = 5_000
    /// The most pauses of one meeting.
    private static let pauseLimit = 20

    /// The phone meets both watches at once, or one after the other and the first one again. Then
    /// all ledgers must be equal.
    func settle() {
        for device in devices { mend(device) }
        let meetings = random.chance(0.5) ? [[1, 2]] : [[1], [2], [1]]
        for watches in meetings where finding == nil {
            for watch in [1, 2] where !watches.contains(watch) {
                disconnect(devices[0], devices[watch])
            }
            meet(watches.map { devices[$0] })
        }
        if finding == nil { checkEnd() }
    }

    /// Ends the troubles of a device.
    private func mend(_ device: DoseDevice) {
        device.set(room: .max)
        device.disk.state.withLock { $0.nextFailure = nil }
        if device.disk.state.withLock({ $0.failsReads }) { failReads(device) }
        for other in device.others.map({ devices[$0] }) {
            join(device, other)
            if device.links[other.index]?.state.withLock({ $0.isOpen }) == false {
                renew(device, other)
            }
            reopen(device, other)
        }
    }

    private func meet(_ watches: [DoseDevice]) {
        for watch in watches { connect(devices[0], watch) }
        let devices = [devices[0]] + watches
        var pauses = 0
        var asks = 0
        let first = step
        while finding == nil, step < first + Self.stepLimit {
            step += 1
            if advance(devices) { continue }
            // Nothing moves before time has passed.
            if expireQuestions() || endPauses(devices) {
                pauses += 1
                if pauses > Self.pauseLimit { break }
                continue
            }
            // A device records no second check of one minute, and its clock may have been set back
            // to the minute of the last one. So one of three checks is certainly new.
            if asks == 3 { return checkMeeting(watches) }
            asks += 1
            devices[0].ledger.check()
        }
        report(.settled, 0, "no end after \(step - first) steps, \(pauses) pauses")
    }

    /// Each device does one thing. Returns false if nothing is left to do.
    private func advance(_ devices: [DoseDevice]) -> Bool {
        let isBusy = devices.map { device in
            performPiece(device) || commit(device)
                || device.others.contains { exchange(device, self.devices[$0]) }
        }
        check()
        return isBusy.contains(true)
    }

    /// A device does one thing with another one.
    private func exchange(_ device: DoseDevice, _ other: DoseDevice) -> Bool {
        becomeReachable(device, other) || reopen(device, other)
            || deliverRecord(to: device, from: other) || settleRecord(of: device, by: other)
            || deliverQuestion(to: device, from: other) || deliverReply(to: device, from: other)
    }

    /// The first of the devices that pauses goes on.
    private func endPauses(_ devices: [DoseDevice]) -> Bool {
        devices.contains { endPauses($0) }
    }

    /// The devices do all that they have to do, with their faults.
    func rest() {
        guard !connected.isEmpty else { return }
        note(.rest, 0)
        for _ in 0..<300 where finding == nil {
            guard advance(devices) || endPauses(devices) else { return }
        }
    }

    /// Questions that nobody answers any more get no answer after 10 s.
    private func expireQuestions() -> Bool {
        let pending = devices.flatMap(\.ends).filter { link in
            link.state.withLock { !$0.questions.isEmpty }
        }
        for link in pending { link.dropQuestions() }
        return !pending.isEmpty
    }

    private func checkMeeting(_ watches: [DoseDevice]) {
        let phone = devices[0]
        for watch in watches {
            compareLedgers(phone, watch, .settled)
            for (device, other) in [(phone, watch), (watch, phone)]
            where device.links[other.index]?.exchange.isSettled != true {
                report(.settled, device.index, "the exchange does not call itself settled")
            }
            for (device, other) in [(phone, watch), (watch, phone)]
            where device.disk.state.withLock({ state in
                state.contents.checks[other.index]?.comparison.events
            }) != device.disk.identities {
                report(
                    .checked, device.index,
                    "the last check with \(Self.name(other.index)) does not cover all events")
            }
            if askForCheck(watch) == nil {
                report(.checked, watch.index, "there is no check after a comparison")
            }
            if !areQueuesEmpty(phone, watch) {
                report(.settled, watch.index, "a record is in a queue for ever")
            }
        }
    }

    private func checkEnd() {
        compareLedgers(devices[0], devices[1], .settled)
        compareLedgers(devices[0], devices[2], .settled)
        let digests = devices.map { device in
            (try? device.disk.state.withLock { $0.ledger }.digest().text) ?? ""
        }
        if Set(digests).count != 1 { report(.settled, 0, "the digests differ: \(digests)") }
        for device in devices {
            let events = Set(
                device.disk.state.withLock { $0.contents.events }.map(\.event.id.rawValue))
            for other in devices where !other.told.isSubset(of: events) {
                report(
                    .lost, device.index,
                    "an event that \(Self.name(other.index)) was told is in no ledger")
            }
            if let silent = events.subtracting(device.reported).min() {
                report(
                    .reported, device.index,
                    "\(Self.hex(silent)) is in the ledger, and was never reported as new")
            }
        }
    }
}
