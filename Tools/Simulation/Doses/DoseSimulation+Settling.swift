import Locks
import WatchProto
import WatchProtoCore

/// The end of a run, without faults.
extension DoseSimulation {
    /// The most steps of one meeting of the phone and a watch.
    private static let stepLimit = 5_000
    /// The most pauses of one meeting.
    private static let pauseLimit = 20

    /// The phone meets each watch, and the first one again. Then all ledgers must be equal.
    func settle() {
        for device in devices { mend(device) }
        disconnect()
        for watch in [1, 2, 1] where finding == nil {
            devices[0].begin(with: watch)
            meet(devices[watch])
            disconnect()
        }
        if finding == nil { checkEnd() }
    }

    /// Ends the troubles of a device.
    private func mend(_ device: DoseDevice) {
        device.disk.state.withLock { state in
            state.room = .max
            state.nextFailure = nil
        }
        if device.disk.state.withLock({ $0.failsReads }) { failReads(device) }
        if let link = device.link, !link.state.withLock({ $0.isOpen }) { renew(device) }
        reopen(device)
    }

    private func meet(_ watch: DoseDevice) {
        connect()
        let phone = devices[0]
        var pauses = 0
        let first = step
        while finding == nil, step < first + Self.stepLimit {
            step += 1
            if advance(phone, watch) { continue }
            // Nothing moves before time has passed.
            if expireQuestions(phone, watch) || endPauses(phone) || endPauses(watch) {
                pauses += 1
                if pauses > Self.pauseLimit { break }
                continue
            }
            return checkMeeting(watch)
        }
        report(.settled, watch.index, "no end after \(step - first) steps, \(pauses) pauses")
    }

    /// Each device does one thing. Returns false if nothing is left to do.
    private func advance(_ devices: DoseDevice...) -> Bool {
        let isBusy = devices.map { device in
            becomeReachable(device) || performPiece(device) || reopen(device) || commit(device)
                || deliverRecord(to: device) || settleRecord(of: device)
                || deliverQuestion(to: device) || deliverReply(to: device)
        }
        check()
        return isBusy.contains(true)
    }

    /// The phone and the watch of its session do all that they have to do, with their faults.
    func rest() {
        guard isConnected, let active else { return }
        note(.rest, active.index)
        for _ in 0..<200 where finding == nil {
            guard advance(devices[0], active) || endPauses(devices[0]) || endPauses(active)
            else { return }
        }
    }

    /// Questions that nobody answers any more get no answer after 10 s.
    private func expireQuestions(_ devices: DoseDevice...) -> Bool {
        let pending = devices.compactMap(\.link).filter { link in
            link.state.withLock { !$0.questions.isEmpty }
        }
        for link in pending { link.dropQuestions() }
        return !pending.isEmpty
    }

    private func checkMeeting(_ watch: DoseDevice) {
        compareLedgers(devices[0], watch, .settled)
        for device in [devices[0], watch] where !device.exchange.isSettled {
            report(.settled, device.index, "the exchange does not call itself settled")
        }
        if !areQueuesEmpty(devices[0], watch) {
            report(.settled, watch.index, "a record is in a queue for ever")
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
