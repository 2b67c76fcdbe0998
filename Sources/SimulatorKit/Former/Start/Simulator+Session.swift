internal import Synchronization
internal import WatchJournal
public import WatchProto
public import WatchProtoRecords
internal import WatchSecurity
internal import WatchTransport

typealias SealedSecurity = PairedSecurity
typealias OpenSecurity = Unsealed

extension Simulator {
    /// Opens the session of the pairing in use; where there is none, none. Throws when the journal
    /// cannot be read.
    func openSession() throws {
        let device = options.isSealed ? try keys.paired().last : nil
        var made: any SimulatorSession = none
        if let device {
            made = try makeSession(device.pairing, PairedSecurity(device))
        } else if !options.isSealed {
            made = try makeSession(Self.pairing, Unsealed())
        }
        let session = made
        life.withLock { life in
            life.session = session
            life.device = device
        }
        observer.belongs(to: session.currentEpoch, of: device?.pairing)
    }

    private func makeSession(
        _ pairing: PairingID, _ security: some PeerSecurity
    ) throws -> any SimulatorSession {
        var session = SessionOptions(
            PeerConfiguration(role: application.role, pairing: pairing, kinds: .product),
            at: link(of: pairing))
        session.driver.pinnedCPU = options.cpu
        session.driver.peer.usesEarlyData = options.usesEarlyData
        session.driver.peer.overdueAge = options.overdueAge
        session.driver.peer.limits.queuedRecords = options.queueLimit
        session.eventLimit = 1
        let journal = try keys.journal(of: pairing)
        return try CompanionSession(
            session, security: security,
            journal: file == nil ? journal : trace.following(journal), delegate: observer)
    }

    /// Shows a new state in the watch's complication and books it. Throws what the peer refuses,
    /// and `tooLarge` (in bytes) for a state over its budget; nothing is booked then.
    @discardableResult
    public func show(
        _ state: ComplicationState, intended: Instant? = nil, isWarmUp: Bool = false
    ) throws(SendRefusal) -> ComplicationUpdate {
        // A state whose texts fit the budget always encodes; one that does not is our caller's.
        guard let payload = try? state.encoded() else {
            throw .tooLarge(bytes: state.encodedSize, limit: ComplicationState.byteBudget)
        }
        let key = ComplicationID.main.recordKey
        let origin = SendOrigin(
            .complication, key: key, revision: LoadComplication.revision(of: state),
            payload: payload, intended: intended, isWarmUp: isWarmUp)
        return try session.updateComplication(key, payload) { update, now in
            trace.decided(update, origin, at: now)
        }
    }
}
