internal import Locks
package import WatchProto
internal import WatchProtoJournal
internal import WatchProtoSecurity
package import WatchProtoTransport

/// What seals the packets of a pairing.
typealias SealedSecurity = NoiseSecurity
/// What stands in for it with `--unsealed`.
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
        life.withLock { life in
            life.session = session
            life.device = device
        }
        observer.belongs(to: device)
        let exchange = observer.exchange
        if session is NoSession {
            exchange.end()
        } else {
            exchange.begin(session, with: device?.pairing ?? Self.pairing)
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
        session.driver.peer.limits.queuedRecords = options.queueLimit
        session.eventLimit = 1
        return try DriverSession(
            session, security: security,
            journal: file == nil ? journal : trace.following(journal), delegate: delegate)
    }

    /// Shows a new state in the watch's complication and books it.
    ///
    /// - Returns: the value's identity, and whether it is equal to the newest one, which stands for
    ///   it then.
    /// - Throws: `SendRefusal`, `tooLarge` for a state over its budget; nothing is booked then.
    @discardableResult
    package func show(
        _ state: ComplicationState, intended: Instant? = nil, isWarmUp: Bool = false,
        writes: [any StoreWrite] = []
    ) throws(SendRefusal) -> (id: RecordID, isEqual: Bool) {
        // A state whose texts fit the budget always encodes; one that does not is our caller's.
        guard let payload = try? state.encoded() else {
            throw .tooLarge(bytes: state.encodedSize, limit: ComplicationState.byteBudget)
        }
        let key = ComplicationID.main.recordKey
        let origin = SendOrigin(
            .complication, key: key, revision: LoadComplication.revision(of: state),
            payload: payload, intended: intended, isWarmUp: isWarmUp)
        let draft = RecordDraft(
            channel: .complication, kind: .complication, key: key, payload: payload)
        var isNew = true
        let id = try session.transfer(draft, writes: writes) { id, now in
            isNew = trace.accepted(id, origin, at: now)
        }
        return (id, !isNew)
    }
}
