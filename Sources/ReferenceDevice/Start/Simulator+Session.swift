internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// The security of a pairing: it seals the packets.
typealias SealedSecurity = NoiseSecurity
/// Its replacement with `--unsealed`.
typealias OpenSecurity = NullSecurity

extension Simulator {
    /// Opens the session of the pairing in use; where there is none, none.
    ///
    /// - Throws: where the keys or the journal cannot be read, or there is no memory for keys.
    func openSession() throws {
        let device = options.isSealed ? try storage.paired().last : nil
        var made: any SimulatorSession = none
        if let device {
            made = try makeSession(
                device.pairing, NoiseSecurity(device), try storage.journal(of: device), observer)
        } else if !options.isSealed {
            let label = PeerLabel(role: application.role, pairing: Self.pairing)
            made = try makeSession(
                Self.pairing, NullSecurity(label, seed: SystemRandomness.epoch().rawValue),
                try storage.unsealedJournal(of: Self.pairing), observer)
        }
        let session = made
        // From now on the session reports it.
        observer.lookAtJournal()
        life.withLock { life in
            life.session = session
            life.device = device
        }
        observer.belongs(to: device)
        if session is NoSession {
            observer.sessionEnded()
        } else {
            observer.exchanges.begin(
                session, with: device?.pairing ?? Self.pairing, device?.counterpartNumber ?? 0)
            publisher.begin(
                session, watch: device?.counterpart.device.rawValue ?? Self.pairing.rawValue)
            app.begin(session)
            application.sessionBegins(with: device?.pairing)
        }
        openFurther()
    }

    func makeSession(
        _ pairing: PairingID, _ security: some PeerSecurity, _ journal: any JournalBackend,
        _ delegate: any SessionDelegate
    ) throws -> any SimulatorSession {
        var session = DriverSessionOptions(
            PeerConfiguration(role: application.role, pairing: pairing, kinds: .product),
            at: link(of: pairing))
        session.driver.pinnedCPU = options.cpu
        session.driver.peer.usesEarlyData = options.usesEarlyData
        session.driver.peer.overdueAge = options.overdueAge
        session.driver.peer.keepAlive = options.keepAlive
        session.driver.peer.shape = options.constantShape.map { ConstantShape(every: $0) }
        session.driver.peer.limits.queuedRecords = options.queueLimit
        session.eventLimit = 1
        return try DriverSession(
            session, security: security,
            journal: file == nil ? journal : trace.following(journal), delegate: delegate)
    }
}
