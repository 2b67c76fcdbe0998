import Locks
package import WatchProtoCore
package import WatchProtoRecords

/// The minutes in which this ledger was known to equal those of other devices (rule 12 of doses).
extension DeviceLedger {
    /// The minute up to which this ledger has the events of all these devices: the earliest of the
    /// last checks. Nil if a check with one of them is missing, or if there is no device. A check
    /// that is over a minute ahead is of a clock that was set back since: it is forgotten, or it
    /// would count again when that time comes.
    ///
    /// - Throws: the error of a read; the file is at fault.
    package func lastCheck(with pairings: [PairingID]) throws -> WallMinute? {
        let checks = try store.checks()
        let latest = WallMinute(clock()).advanced(by: 1)
        let minutes = pairings.compactMap { pairing -> WallMinute? in
            guard let minute = checks[pairing], minute > latest else { return checks[pairing] }
            work.add { [self] in forgetCheck(with: pairing) }
            return nil
        }
        return minutes.count == pairings.count ? minutes.min() : nil
    }

    private func forgetCheck(with pairing: PairingID) {
        let latest = WallMinute(clock()).advanced(by: 1)
        guard let minute = try? store.checks()[pairing], minute > latest else { return }
        for exchange in exchanges where exchange.pairing == pairing {
            exchange.state.withLock { ($0.checked, $0.asked) = (nil, nil) }
        }
        try? store.write(store.checked(pairing, at: nil))
    }

    /// Compares this ledger with those of all devices that are reachable, each at most once a
    /// minute. Waits for nothing.
    package func check() { for exchange in exchanges { exchange.check() } }
}

extension LedgerExchange {
    /// The longest time in milliseconds from a question of the phone to its arrival here. An event
    /// that the phone recorded in this time is not covered by the comparison.
    static let questionAge: Int64 = 10_000

    /// Compares the ledgers if the other device is reachable, at most once for each minute that a
    /// check may have.
    func check() {
        let now = ledger.clock().milliseconds - (role == .phone ? 0 : Self.questionAge)
        let minute = WallMinute(WallTime(milliseconds: now))
        let isDue = state.withLock { state in
            guard state.isReachable, state.asked != minute, state.checked != minute else {
                return false
            }
            state.asked = minute
            state.comparisons = 0
            state.owesComparison = true
            return true
        }
        if isDue { work.add { [self] in proceed() } }
    }

    /// The ledgers were equal at `time`, and the session with the other device was `link`.
    func foundEqual(
        _ link: any LedgerLink, _ pairing: PairingID, at time: WallTime
    ) {
        // The clock may have been set back since then.
        let minute = WallMinute(min(time, ledger.clock()))
        let isNew = state.withLock { state in
            guard state.link === link else { return false }
            defer { state.checked = minute }
            return state.checked != minute
        }
        guard isNew, link.write(store.checked(pairing, at: minute)) else { return }
        // A reader that hears of the check finds it.
        guard (try? store.flush()) != nil else { return }
        ledger.observer?.checked(pairing)
    }
}
