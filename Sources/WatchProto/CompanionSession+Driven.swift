import Locks
import WatchProtoCore
import WatchProtoJournal
import WatchProtoSecurity
import WatchProtoTransport

/// The session below: the driver of the pairing in use.
extension CompanionSession {
    /// Opens the session of the pairing in use, if there is one.
    func openDriven() throws(OpenError) {
        guard let device = try store.pairedDevice() else { return }
        var driver = DriverConfiguration(
            PeerConfiguration(role: options.role, pairing: device.pairing, kinds: .product))
        driver.peer.keepAlive = options.keepAliveInterval
        driver.clock = clock
        let exchange = LedgerExchange(ledger)
        let links = links(of: device)
        do {
            let events = DriverEvents(self, device, exchange, links)
            let made = try Driven(
                driver, source: links.makeSource(options.role), security: NoiseSecurity(device),
                journal: store.journal(of: device), delegate: events, eventLimit: 1)
            events.belong(to: made)
            exchange.begin(made, with: device.pairing)
            do { try made.start() } catch {
                exchange.end()
                throw error
            }
            publisher.begin(made, watch: device.counterpart.device.rawValue)
            app.begin(made)
            // Before the application can send: a value of the former pairing is the older one.
            sendCarriedOver(made, device)
            let isWanted = life.withLock { life in
                guard !life.isClosed else { return false }
                life.driven = made
                life.device = device
                return true
            }
            if !isWanted {
                made.abandon()
                exchange.end()
                publisher.end()
                app.end()
            }
        } catch {
            throw .journal("\(error)")
        }
    }

    /// The session below; nil without a pairing, and while the device pairs.
    var current: Driven? { life.withLock { $0.driven } }

    /// The session below, for a record.
    func driven() throws(Refusal) -> Driven {
        try life.withLock { life throws(Refusal) in
            if life.isClosed { throw .closed }
            guard let driven = life.driven else {
                if life.desk != nil || life.changesWatch { throw .pairing }
                // A change of the watch met a disk that failed.
                throw life.device == nil ? .notPaired : .journalFailed
            }
            return driven
        }
    }
}
