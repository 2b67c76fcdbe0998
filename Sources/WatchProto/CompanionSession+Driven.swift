import Locks
import WatchProtoCore
import WatchProtoJournal
import WatchProtoSecurity
import WatchProtoTransport

/// The sessions below: one with the active device, and one with each other watch that stays
/// connected.
extension CompanionSession {
    /// Opens the sessions that are wanted, if they are not open, and ends the others. The last
    /// pairing is the active one.
    ///
    /// - Throws: the first error; the other sessions are open all the same.
    func openSessions() throws(OpenError) {
        let paired = try store.pairedDevices()
        guard let active = paired.last?.pairing else { return }
        let wanted = wanted(paired)
        let (isClosed, open) = life.withLock { ($0.isClosed, $0.connections) }
        if isClosed { throw .closed }
        for (pairing, connection) in open where pairing != active {
            if !wanted.contains(where: { $0.pairing == pairing }) {
                leave(connection)
                // The journal of this pairing delivers its records again.
                inbox.removeAll(of: pairing)
            } else if retire(connection), connection.driven.isReachable {
                feeds.add(.reachability(false))
                feeds.add(.activation(.notActivated))
            }
        }
        var failure: OpenError?
        for device in wanted {
            do throws(OpenError) {
                let connection: DeviceConnection
                if let known = open[device.pairing] {
                    connection = known
                } else {
                    connection = try openSession(with: device)
                }
                if device.pairing == active { makeActive(connection) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// The active device, and after it the others that stay connected. Two sessions cannot share a
    /// link.
    private func wanted(_ paired: [PairedDevice]) -> [PairedDevice] {
        let stay = life.withLock { $0.stayConnected }
        var wanted: [PairedDevice] = []
        for device in paired.reversed() where wanted.isEmpty || stay.contains(device.pairing) {
            let own = links(with: device.pairing)
            if wanted.contains(where: { links(with: $0.pairing).isSame(as: own) }) { continue }
            wanted.append(device)
        }
        return wanted
    }

    /// Opens the session with a device.
    private func openSession(with device: PairedDevice) throws(OpenError) -> DeviceConnection {
        var driver = DriverConfiguration(
            PeerConfiguration(role: options.role, pairing: device.pairing, kinds: .product))
        driver.peer.keepAlive = options.keepAliveInterval
        driver.peer.shape = options.constantShapeInterval.map { ConstantShape(every: $0) }
        driver.clock = clock
        let exchanges = DeviceExchanges(ledger, messageTable, files)
        let links = links(with: device.pairing)
        let events = DriverEvents(self, device, exchanges, links)
        let made: DriverSession
        do {
            made = try DriverSession(
                driver, source: links.makeSource(options.role), security: NoiseSecurity(device),
                journal: store.journal(of: device), delegate: events, eventLimit: 1)
            events.belong(to: made)
            exchanges.begin(made, with: device.pairing, device.counterpartNumber)
            try made.start()
        } catch {
            exchanges.end()
            throw .journal("\(error)")
        }
        // Before the application can send: a value of the former pairing is the older one.
        sendCarriedOver(made, device)
        let connection = DeviceConnection(
            driven: made, device: device, links: links, exchanges: exchanges, events: events)
        let isWanted = reported.withLock { reported in
            // A report that comes later finds the connection.
            if let reported { try? exchanges.app.report(reported) }
            exchanges.app.begin(made)
            return life.withLock { life in
                if !life.isClosed { life.connections[device.pairing] = connection }
                return !life.isClosed
            }
        }
        guard isWanted else {
            connection.abandon()
            throw .closed
        }
        return connection
    }

    /// Makes the device of a session the active one. The former one has been retired.
    private func makeActive(_ connection: DeviceConnection) {
        let (driven, device) = (connection.driven, connection.device)
        if !connection.events.isActive.load(ordering: .acquiring) {
            // An event that comes from now on reaches the publisher, or is read below.
            connection.events.isActive.store(true, ordering: .releasing)
            let theirs = connection.exchanges.app.theirs
            publisher.begin(driven, watch: device.counterpartNumber, theirs)
            // From now on the driver asks for the publisher's deadlines.
            driven.write([])
            // A link that was open before stays open, and no event comes of it.
            if driven.isReachable {
                feeds.add(.activation(.activated))
                feeds.add(.reachability(true))
                if let theirs { feeds.add(.counterpart(theirs)) }
            }
        }
        let isClosed = life.withLock { life in
            if !life.isClosed { life.device = device }
            return life.isClosed
        }
        if isClosed { retire(connection) }
    }

    /// The device of a session is not the active one any more. Returns false if it was not.
    @discardableResult
    private func retire(_ connection: DeviceConnection) -> Bool {
        guard connection.events.isActive.exchange(false, ordering: .acquiringAndReleasing) else {
            return false
        }
        // Waits for the event under way.
        connection.driven.write([])
        publisher.end()
        pauses.expireAll()
        return true
    }

    /// Ends a session, unless somebody else does.
    func leave(_ connection: DeviceConnection) {
        let pairing = connection.device.pairing
        guard life.withLock({ $0.connections.removeValue(forKey: pairing) }) != nil else { return }
        end(connection)
    }

    func end(_ connection: DeviceConnection) {
        connection.close()
        messageTable.sessionEnded(in: connection.device.pairing)
        retire(connection)
    }

    /// The open sessions.
    var connections: [DeviceConnection] { life.withLock { Array($0.connections.values) } }

    /// The session with the active device; nil without a pairing, and while the device pairs.
    var current: DriverSession? { life.withLock { $0.active?.driven } }

    /// The session with the active device, for a record.
    func driven() throws(Refusal) -> DriverSession {
        try life.withLock { life throws(Refusal) in
            if life.isClosed { throw .closed }
            guard let active = life.active else {
                if life.coordinator != nil || life.changesWatch { throw .pairing }
                // A change of the watch met a disk that failed.
                throw life.device == nil ? .notPaired : .journalFailed
            }
            return active.driven
        }
    }
}
