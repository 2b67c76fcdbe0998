import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// The checker of doses, after every step.
extension DoseSimulation {
    func check() {
        for device in devices {
            hear(device)
            checkChecks(device)
            checkForgeries(device)
            if let echo = device.disk.state.withLock({ $0.echo }) {
                report(.echo, device.index, "\(Self.hex(echo)) goes back to where it came from")
            }
            guard finding == nil, !device.disk.state.withLock({ $0.failsReads }),
                let digest = try? device.disk.state.withLock({ $0.ledger }).digest()
            else { continue }
            let isSame = device.checked.map { $0 == (digest, device.told.count) } ?? false
            // Without a change, time alone gives reminders: a quarter of an hour is soon enough.
            if !isSame || step % 15 == 0 { checkReminders(device) }
            if isSame { continue }
            device.checked = (digest, device.told.count)
            checkLedger(device)
            checkStates(device)
        }
        if finding == nil { checkQuiet() }
    }

    /// Takes over what the device's exchange has reported.
    func hear(_ device: DoseDevice) {
        let notes = device.notes.taken()
        defer { device.eventsBefore = device.disk.state.withLock { $0.contents.events.count } }
        if !notes.told.isEmpty { device.told.formUnion(notes.told) }
        if !notes.reported.isEmpty { device.reported.formUnion(notes.reported) }
        for (act, refusal) in notes.acts {
            if act.isForged {
                if refusal == nil {
                    report(.identity, device.index, "other bytes of a known identity count")
                }
                continue
            }
            if act.isTap { checkTap(act.events[0], device, hasEnded: refusal == nil) }
            guard let refusal else { continue }
            if refusal.isOutcomeUnknown {
                device.unsure.append(act)
            } else {
                report(.refused, device.index, refusal.description)
            }
        }
    }

    /// Every event that the device was told is in its ledger, as it was recorded, and once.
    private func checkLedger(_ device: DoseDevice) {
        for identity in device.told.sorted() {
            let bytes = (try? device.disk.reading().event(identity)) ?? nil
            guard let bytes else {
                return report(
                    .lost, device.index, "the ledger lacks \(Self.hex(identity)), told before")
            }
            guard (try? DoseEvent(decoding: bytes)) == known[identity] else {
                return report(.state, device.index, "\(Self.hex(identity)) has changed")
            }
        }
        let rows = (try? device.disk.newest(of: nil, before: nil, limit: 100_000)) ?? []
        let identities = rows.compactMap { try? DoseEvent(decoding: $0.encoding).id.rawValue }
        if Set(identities).count != identities.count {
            report(.twice, device.index, "the ledger has an event twice")
        }
        if let unknown = identities.first(where: { known[$0] == nil }) {
            report(.state, device.index, "nobody recorded \(Self.hex(unknown))")
        }
    }

    /// The events that a check covers are in the ledger, and its minute is not after that of the
    /// comparison (rule 12).
    private func checkChecks(_ device: DoseDevice) {
        let checks = device.disk.state.withLock { state in
            defer { state.hasNewChecks = false }
            return state.hasNewChecks ? state.contents.checks : [:]
        }
        guard !checks.isEmpty else { return }
        let own = device.disk.identities
        for (other, check) in checks.sorted(by: { $0.key < $1.key }) {
            let (minute, limit) = (check.minute.minutes, check.comparison.minute.minutes)
            if minute > limit {
                report(
                    .checked, device.index,
                    "the check with \(Self.name(other)) is of \(minute), not \(limit) or before")
            }
            guard let missing = check.comparison.events.subtracting(own).min() else { continue }
            report(
                .checked, device.index,
                "the ledger was checked with \(Self.name(other)), and lacks \(Self.hex(missing))")
        }
    }

    private func checkStates(_ device: DoseDevice) {
        for slot in Self.slots {
            guard let events = try? device.disk.events(of: slot) else { return }
            let shown = view.slot(slot, events)
            let told = device.told.compactMap { known[$0] }.filter { $0.slot == slot }
            let closing = told.first { DoseOracle.keepsClosed($0, among: events) }
            if let closing, !shown.isClosed {
                return report(
                    .closed, device.index,
                    "\(slot) is shown open in spite of \(Self.hex(closing.id.rawValue))")
            }
            let expected = DoseOracle.slot(events)
            checkTaps(of: slot, expected, device)
            if shown != expected {
                let isDouble = shown.doses > expected.doses
                return report(
                    isDouble ? .twice : .state, device.index,
                    "\(slot) is shown as \(shown), and by the rules is \(expected)")
            }
        }
        guard let events = asNeededEvents(device) else { return }
        let shown = view.asNeeded(Self.asNeeded, events)
        if Set(shown.map(\.identity)).count != shown.count {
            return report(.twice, device.index, "a dose taken as needed counts twice")
        }
        let expected = DoseOracle.asNeeded(events)
        if Set(shown) != expected {
            report(
                .state, device.index,
                "\(shown.count) doses taken as needed are shown, not \(expected.count), "
                    + "or with other marks")
        }
    }

    /// Two exchanges that call themselves settled, with nothing on its way, have equal ledgers.
    private func checkQuiet() {
        let phone = devices[0]
        for watch in connected.sorted().map({ devices[$0] })
        where isSettled(phone, watch) && isSettled(watch, phone) && areQueuesEmpty(phone, watch) {
            compareLedgers(phone, watch, .quiet)
        }
    }

    private func isSettled(_ device: DoseDevice, _ other: DoseDevice) -> Bool {
        guard device.isQuiet, !device.isTroubled, let link = device.links[other.index] else {
            return false
        }
        return link.isReachable && link.exchange.isSettled
            && link.state.withLock { $0.questions.isEmpty && $0.replies.isEmpty }
    }

    func areQueuesEmpty(_ left: DoseDevice, _ right: DoseDevice) -> Bool {
        [(left, right), (right, left)].allSatisfy { sender, receiver in
            sender.disk.state.withLock {
                $0.contents.queues[receiver.index]?.isEmpty ?? true
            }
        }
    }

    /// Both have the same events.
    func compareLedgers(_ left: DoseDevice, _ right: DoseDevice, _ promise: DosePromise) {
        let sets = [left, right].map { device in
            Set(device.disk.state.withLock { $0.contents.events }.map(\.event.id.rawValue))
        }
        guard let missing = sets[0].symmetricDifference(sets[1]).min() else { return }
        let holder = sets[0].contains(missing) ? left : right
        report(
            promise, holder === left ? right.index : left.index,
            "\(Self.hex(missing)) is in the ledger of \(Self.name(holder.index)) alone")
    }
}
