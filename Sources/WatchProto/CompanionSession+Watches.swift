import Locks
public import WatchProtoCore
import WatchProtoJournal
import WatchProtoSecurity
import WatchProtoTransport

/// A phone may have several watches. Its journal has the keys and the queue of each, and one of
/// them is the active one.
extension CompanionSession {
    /// The pairings of this device; the last is the one in use. Empty if there is none, and while
    /// the journal cannot be read.
    public var pairings: [PairingID] { ((try? store.paired()) ?? []).map(\.pairing) }

    /// Makes another watch the active one. Unless ``connect(_:over:)`` named the former one, its
    /// session ends: a message to it that was not sent is not delivered, and of another one the
    /// outcome is unknown. Its other records stay in its queue, and leave when it is connected
    /// again. The doses that the watch lacks go to it as soon as it is reachable. A watch that is
    /// connected already keeps its link.
    ///
    /// - Parameters:
    ///   - pairing: the pairing with the watch, one of ``pairings``.
    ///   - link: the link to the watch, until the process ends; nil for the one that it has.
    /// - Throws: ``OpenError``. Nothing has changed for a bad link, for a pairing that the journal
    ///   does not have (``OpenError/journal(_:)``), and while this device pairs or its watch is
    ///   being changed (``OpenError/linkUnavailable(_:)``). If the disk failed
    ///   (``OpenError/journal(_:)``, too), either watch or none is in use, as
    ///   ``SessionState/pairing`` and ``Refusal/journalFailed`` say; call again.
    public func setActiveWatch(
        _ pairing: PairingID, over link: SessionLink? = nil
    ) async throws(OpenError) {
        try await change(pairing, over: link, activates: true)
    }

    /// Keeps a watch connected, also while another one is active. Doses and the statuses of the
    /// applications go both ways with it. Its records and messages come to the same handlers as
    /// those of the active watch, and records in its queue leave. New records, messages and
    /// complications are for the active watch alone, and so are the events about a link.
    ///
    /// This lasts until ``disconnect(_:)`` or ``close()``. Like the active watch, it has a link
    /// between ``activate()`` and ``deactivate()``.
    ///
    /// - Parameters:
    ///   - pairing: the pairing with the watch, one of ``pairings``. The active watch stays
    ///     connected when another one takes its place.
    ///   - link: the link to the watch, until the process ends; nil for the one that it has. Each
    ///     connected watch needs a link of its own.
    /// - Throws: ``OpenError``. Nothing has changed for a bad link, or one that another connected
    ///   watch has (``OpenError/badLink(_:)``), and in the cases of ``setActiveWatch(_:over:)``.
    ///   If the disk failed (``OpenError/journal(_:)``), call again.
    public func connect(
        _ pairing: PairingID, over link: SessionLink? = nil
    ) async throws(OpenError) {
        try await change(pairing, over: link, activates: false)
    }

    /// Keeps a watch connected no longer than it is the active one. If another one is active, its
    /// session ends as that of a former watch does: see ``setActiveWatch(_:over:)``. A watch that
    /// is not connected stays as it is.
    public func disconnect(_ pairing: PairingID) async {
        let change = life.withLock { life in
            begin(&life, changesWatch: false) { [self] in forgetConnection(pairing) }
        }
        _ = await change.value
    }

    private func forgetConnection(_ pairing: PairingID) -> OpenError? {
        life.withLock { _ = $0.stayConnected.remove(pairing) }
        return nil
    }

    /// Ends a pairing on this device: its session ends, and its keys, its queue and the values kept
    /// for it are erased. On a phone the doses stay, and if the watch was the active one, the last
    /// of the other ``pairings`` is that from now on. On a watch the doses are erased, too: they
    /// are those of the phone's wearer. The other device is not told, and finds no session until
    /// both pair anew.
    ///
    /// - Throws: ``OpenError``. Nothing has changed for a pairing that the journal does not have
    ///   (``OpenError/journal(_:)``), and while this device pairs or its watch is being changed
    ///   (``OpenError/linkUnavailable(_:)``). If the disk failed (``OpenError/journal(_:)``),
    ///   ``pairings`` says whether the pairing has ended; if not, call again.
    public func unpair(_ pairing: PairingID) async throws(OpenError) {
        try await requireKnown(pairing)
        let change = try life.withLock { life throws(OpenError) in
            try life.requireFree()
            let isActive = life.device?.pairing == pairing
            return begin(&life, changesWatch: isActive) { [self] in erase(pairing) }
        }
        if let error = await change.value { throw error }
    }

    private func erase(_ pairing: PairingID) -> OpenError? {
        let (connection, isClosed) = life.withLock { life in
            (life.isClosed ? nil : life.connections.removeValue(forKey: pairing), life.isClosed)
        }
        if isClosed { return .closed }
        if let connection { end(connection) }
        inbox.removeAll(of: pairing)
        let erasure = options.role == .watch ? store.ledger.removeAll() : []
        do throws(JournalError) {
            try store.forget([pairing], writes: erasure)
        } catch {
            return .journal("\(error)")
        }
        files.pairingEnded()
        life.withLock { life in
            life.links[pairing] = nil
            life.stayConnected.remove(pairing)
            if life.device?.pairing == pairing { life.device = nil }
        }
        return nil
    }

    /// Makes a watch the active one, or one that stays connected.
    private func change(
        _ pairing: PairingID, over link: SessionLink?, activates: Bool
    ) async throws(OpenError) {
        let own = try link.map { link throws(OpenError) in try SessionLinks(link) }
        try await requireKnown(pairing)
        let change = try life.withLock { life throws(OpenError) -> Task<OpenError?, Never>? in
            let isActive = life.device?.pairing == pairing
            if isActive, own == nil, activates, life.active != nil { return nil }
            try life.requireFree()
            let changesWatch = activates || isActive && own != nil
            return begin(&life, changesWatch: changesWatch) { [self] in
                perform(pairing, over: own, changesWatch, staysConnected: !activates)
            }
        }
        if let error = await change?.value { throw error }
    }

    private func requireKnown(_ pairing: PairingID) async throws(OpenError) {
        try await Offload.run { [self] () throws(OpenError) in
            if life.withLock({ $0.isClosed }) { throw .closed }
            if try store.pairedDevices().contains(where: { $0.pairing == pairing }) { return }
            throw Self.unknown(pairing)
        }
    }

    /// Begins a change behind the earlier ones. The sessions that are wanted then are opened; if
    /// this device pairs meanwhile, the end of that does so.
    ///
    /// - Parameters:
    ///   - life: the state of the session.
    ///   - changesWatch: whether no watch is in use meanwhile.
    ///   - perform: the change; returns its error.
    private func begin(
        _ life: inout Life, changesWatch: Bool, _ perform: @escaping @Sendable () -> OpenError?
    ) -> Task<OpenError?, Never> {
        life.changes += 1
        if changesWatch { life.changesWatch = true }
        let earlier = life.change
        let change = Task<OpenError?, Never>.detached { [self] in
            await earlier?.value
            return await Offload.run { [self] in endChange(changesWatch, perform()) }
        }
        life.change = Task.detached { _ = await change.value }
        return change
    }

    /// Ends a change, and opens the sessions that are wanted. The error is returned.
    private func endChange(_ changesWatch: Bool, _ failure: OpenError?) -> OpenError? {
        var failure = failure
        if life.withLock({ $0.coordinator == nil }) {
            do throws(OpenError) { try openSessions() } catch { failure = failure ?? error }
        }
        let wantsLink = life.withLock { life in
            life.changes -= 1
            if changesWatch { life.changesWatch = false }
            if life.isClosed { failure = .closed }
            return life.wantsLink
        }
        compareAll()
        if wantsLink { activateWhenFree() }
        return failure
    }

    /// Changes the watches. The error is returned.
    ///
    /// - Parameters:
    ///   - pairing: the pairing with the watch.
    ///   - own: its new link; nil for the one that it has.
    ///   - changesWatch: whether it becomes the active one, or is and gets a new link.
    ///   - staysConnected: whether it stays connected while another one is active.
    private func perform(
        _ pairing: PairingID, over own: SessionLinks?, _ changesWatch: Bool, staysConnected: Bool
    ) -> OpenError? {
        let link = own ?? links(with: pairing)
        let others = connections.filter { $0.device.pairing != pairing }
        if !changesWatch, others.contains(where: { $0.links.isSame(as: link) }) {
            return .badLink("a connected watch has this link; give each watch one of its own")
        }
        if changesWatch {
            do throws(JournalError) {
                if try !store.activate(pairing) { return Self.unknown(pairing) }
            } catch {
                return .journal("\(error)")
            }
        }
        let former = life.withLock { life in
            if let own { life.links[pairing] = own }
            if staysConnected { life.stayConnected.insert(pairing) }
            return life.connections[pairing]
        }
        // A link that is open stays open. Otherwise a new session tries at once.
        if let former, own != nil || changesWatch && !former.driven.isReachable { leave(former) }
        return nil
    }

    private static func unknown(_ pairing: PairingID) -> OpenError {
        .journal("the journal has no pairing \(pairing); give one of `pairings`")
    }

    /// The links with a device.
    func links(with pairing: PairingID) -> SessionLinks {
        life.withLock { $0.links[pairing] } ?? usualLinks
    }

    /// The statuses of those records that went to watches that are not connected. They are durable.
    ///
    /// - Parameters:
    ///   - ids: the records.
    ///   - connections: the open sessions, which know none of them.
    /// - Throws: the error of a read; the file is at fault, or was closed.
    func statusesElsewhere(
        of ids: [TransferID], than connections: [DeviceConnection]
    ) throws -> [TransferID: RecordStatus] {
        guard !ids.isEmpty else { return [:] }
        var known: [TransferID: RecordStatus] = [:]
        for device in try store.paired()
        where !connections.contains(where: { $0.device.pairing == device.pairing }) {
            let statuses = try store.statuses(of: ids, under: device.pairing)
            for (id, status) in zip(ids, statuses) where status != .unknown { known[id] = status }
        }
        return known
    }
}

extension CompanionSession.Life {
    /// - Throws: why the watches cannot be changed now; nothing has changed then.
    fileprivate func requireFree() throws(OpenError) {
        if isClosed { throw .closed }
        if coordinator != nil || changesWatch { throw .linkUnavailable("\(Refusal.pairing)") }
    }
}
