import Locks
package import WatchProtoCore
package import WatchProtoTransport

/// The exchanges with one other device: its doses, its status, its messages and its files. Methods
/// with `later` are called under the driver's lock.
package struct DeviceExchanges: Sendable {
    /// The parts of a session that they need.
    package typealias Link = AppLink & FileLink & MessageLink

    /// The exchange of dose events.
    package let ledger: LedgerExchange
    /// The exchange of the applications' statuses.
    package let app: AppExchange
    /// The exchange about messages whose outcome is unknown.
    package let messages: MessageExchange
    /// The exchange of files.
    package let files: FileExchange

    /// Exchanges without a session.
    ///
    /// - Parameters:
    ///   - ledger: the dose events of this device.
    ///   - messages: its messages.
    ///   - files: its files.
    package init(_ ledger: DeviceLedger, _ messages: MessageTable, _ files: FileCenter) {
        let exchange = LedgerExchange(ledger)
        self.ledger = exchange
        app = AppExchange { !ledger.isIdle || exchange.isSending }
        self.messages = MessageExchange(messages)
        self.files = FileExchange(files)
    }

    /// The session with a device begins. The status is begun apart, by ``AppExchange/begin(_:)``,
    /// when the application may report.
    ///
    /// - Parameters:
    ///   - link: the session.
    ///   - pairing: the pairing of it.
    ///   - counterpart: the other device.
    package func begin(
        _ link: any Link, with pairing: PairingID, _ counterpart: UInt128
    ) {
        messages.begin(link, with: pairing)
        files.begin(link, with: counterpart)
        ledger.begin(link, with: pairing)
    }

    /// The session has ended.
    package func end() {
        ledger.end()
        app.end()
        files.end()
    }

    /// A connection begins.
    package func connected() {
        app.opened()
        files.connected()
        ledger.connected()
    }

    /// The other device can answer from now on, or no longer.
    package func reachable(_ isReachable: Bool, later: inout DeferredInputs) {
        ledger.reachable(isReachable)
        files.reachable(isReachable)
        if isReachable { app.reachable(later: &later) }
        messages.reachable(isReachable, later: &later)
    }

    /// The session has opened its journal again.
    package func journalReopened() {
        ledger.journalReopened()
        messages.sessionEnded()
    }
}
