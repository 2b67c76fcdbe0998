import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// An application that asks for the last check, and taps on slots that it shows open.
extension DoseSimulation {
    /// The most pieces of work that follow from an ask.
    private static let pieceLimit = 100

    /// The application of a device asks for its last check, and sometimes for a comparison if that
    /// is old (D-23, D-24). The check is none of the future, none that was forgotten, and none
    /// later than the comparisons behind it.
    ///
    /// - Returns: the minute that the device shows; nil if it has no check.
    @discardableResult
    func askForCheck(_ device: DoseDevice) -> WallMinute? {
        let shown: WallMinute?
        do {
            shown = try device.ledger.lastCheck(with: device.others.map(DoseDisk.pairing(with:)))
        } catch {
            // The ledger cannot be read.
            return nil
        }
        let now = device.clock.minute()
        note(.ask, device.index, "at \(now.minutes), and shows \(shown.map(\.minutes) ?? 0)")
        let latest = WallMinute(minutes: now.minutes + 1)
        let checks = device.disk.state.withLock { $0.contents.checks }
        let valid = device.others.compactMap { other in
            checks[other].flatMap { check in
                check.isForgotten || check.minute > latest ? nil : check.comparison.minute
            }
        }
        let limit = valid.count == device.others.count ? valid.min() : nil
        if let shown, shown > limit ?? WallMinute(minutes: .min) {
            report(
                .checked, device.index,
                "the last check is shown as of \(shown.minutes), and by the rules "
                    + (limit.map { "of \($0.minutes) or before" } ?? "there is none"))
        }
        if checks.values.contains(where: { $0.minute > latest }) {
            forgetChecks(of: device, after: latest)
        }
        if shown.map({ $0 < now }) ?? true, random.chance(0.1) { device.ledger.check() }
        return shown
    }

    /// A device that was asked does forget its checks of the future.
    private func forgetChecks(of device: DoseDevice, after latest: WallMinute) {
        let isTroubled = device.isTroubled
        for _ in 0..<Self.pieceLimit {
            guard performPiece(device) else { break }
            hear(device)
        }
        guard !isTroubled else { return }
        device.disk.state.withLock { state in
            for (other, check) in state.contents.checks where check.minute > latest {
                state.contents.checks[other]?.isForgotten = true
            }
        }
    }

    /// The clock of a device jumps. If an application runs, it may be set back to before the newest
    /// check, and the application asks at once.
    func setClock(of device: DoseDevice) {
        let checks = device.disk.state.withLock { $0.contents.checks.values.map(\.minute) }
        let newest = plan.hasApplication && random.chance(0.5) ? checks.max() : nil
        if let newest {
            let minutes = newest.minutes - Int32.random(in: 2...8, using: &random)
            device.clock.set(WallMinute(minutes: minutes))
        } else {
            let error = Int64.random(in: -400_000_000...400_000_000, using: &random)
            device.clock.set(error: error)
        }
        note(.clock, device.index, "\(device.clock.minute().minutes)")
        if newest != nil { askForCheck(device) }
    }

    // MARK: Taps

    /// Whether the ledger of a device has an undone event of the slot of `event`.
    func isReplaced(_ event: DoseEvent, _ device: DoseDevice) -> Bool {
        guard let slot = event.slot, let events = try? device.disk.events(of: slot) else {
            return false
        }
        return !events.isEmpty && DoseOracle.heads(events).isEmpty
    }

    /// A tap ended. It counts if its slot was open before, and only then.
    ///
    /// - Parameters:
    ///   - event: the event of the tap.
    ///   - device: the device that shows the slot.
    ///   - hasEnded: whether the application was told that the tap is over.
    func checkTap(_ event: DoseEvent, _ device: DoseDevice, hasEnded: Bool) {
        let events = device.disk.state.withLock { $0.contents.events }.map(\.event)
        let before = events.prefix(device.eventsBefore)
        let added = events.dropFirst(device.eventsBefore)
        func isClosed(_ events: ArraySlice<DoseEvent>) -> Bool {
            DoseOracle.slot(events.filter { $0.slot == event.slot }).isClosed
        }
        if let place = added.firstIndex(where: { $0.id == event.id }) {
            // An act that ended with this one may have opened the slot.
            if isClosed(events[..<place]) {
                report(
                    .tapped, device.index,
                    "\(Self.hex(event.id.rawValue)) counts, and its slot was closed before")
            }
            if DoseOracle.isClosing(event) { device.taps.insert(event.id.rawValue) }
        } else if hasEnded, !before.contains(where: { $0.id == event.id }), !isClosed(before),
            !added.contains(where: { $0.slot == event.slot && DoseOracle.isClosing($0) })
        {
            report(
                .tapped, device.index,
                "\(Self.hex(event.id.rawValue)) does not count, and its slot was open")
        }
    }

    /// At most one head comes from taps that counted because the slot was open on this device.
    func checkTaps(of slot: DoseSlot, _ expected: DoseOracle.Slot, _ device: DoseDevice) {
        let heads = expected.heads.intersection(device.taps)
        guard heads.count > 1 else { return }
        report(.tapped, device.index, "\(heads.count) taps on \(slot) count at once")
    }
}
