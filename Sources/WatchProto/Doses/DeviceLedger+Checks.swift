import Locks
package import WatchProtoCore
package import WatchProtoRecords

/// The minutes in which this ledger was known to equal those of other devices (rule 12 of doses).
extension DeviceLedger {
    /// The minute up to which this ledger has the events of all these devices: the earliest of the
    /// last checks. Nil if a check with one of them is missing, or if there is no device.
    ///
    /// - Throws: the error of a read; the file is at fault.
    package func lastCheck(with pairings: [PairingID]) throws -> WallMinute? {
        let checks = try store.checks()
        let minutes = pairings.compactMap { checks[$0] }
        return minutes.count == pairings.count ? minutes.min() : nil
    }

    /// Compares this ledger with those of all devices that are reachable, unless their checks would
    /// stay the same. Waits for nothing.
    package func check() { for exchange in exchanges { exchange.check() } }
}

extension LedgerExchange {
    /// Compares the ledgers if the other device is reachable, and if the check would be of a later
    /// minute.
    func check() {
        let minute = minute
        let isDue = state.withLock { state in
            guard state.isReachable, state.checked != minute else { return false }
            state.comparisons = 0
            state.owesComparison = true
            return true
        }
        if isDue { work.add { [self] in proceed() } }
    }

    /// The longest time in milliseconds from a question to the use of its answer. An event that the
    /// asker recorded in this time is not covered by the comparison.
    private static let questionAge: Int64 = 10_000

    /// The minute that a check has which is noted now.
    private var minute: WallMinute {
        WallMinute(WallTime(milliseconds: ledger.clock().milliseconds - Self.questionAge))
    }

    /// The ledgers were equal when the question was asked. The minute is durable later: a process
    /// that ends before has the former one.
    func foundEqual() {
        let minute = minute
        let (link, pairing, isNew) = state.withLock { state in
            defer { state.checked = minute }
            return (state.link, state.pairing, state.checked != minute)
        }
        if isNew { link?.write(store.checked(pairing, at: minute)) }
        ledger.observer?.checked(pairing)
    }
}
