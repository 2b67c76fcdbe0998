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
    /// This lasts until ``close()``. Like the active watch, it has a link between ``activate()``
    /// and ``deactivate()``.
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

    /// Makes a watch the active one, or one that stays connected.
    private func change(
        _ pairing: PairingID, over link: SessionLink?, activates: Bool
    ) async throws(OpenError) {
        let own = try link.map { link throws(OpenError) in try SessionLinks(link) }
        try await Offload.run { [self] () throws(OpenError) in
            if life.withLock({ $0.isClosed }) { throw .closed }
            if try store.pairedDevices().contains(where: { $0.pairing == pairing }) { return }
            throw Self.unknown(pairing)
        }
        let change = try life.withLock { life throws(OpenError) -> Task<OpenError?, Never>? in
            if life.isClosed { throw .closed }
            if life.desk != nil || life.changesWatch {
                throw .linkUnavailable("\(Refusal.pairing)")
            }
            let isActive = life.active?.device.pairing == pairing
            if isActive, own == nil {
                if !activates { life.stayConnected.insert(pairing) }
                return nil
            }
            life.changes += 1
            life.changesWatch = activates || isActive
            let (changesWatch, earlier) = (life.changesWatch, life.change)
            let change = Task<OpenError?, Never>.detached { [self] in
                await earlier?.value
                return await Offload.run { [self] in
                    perform(pairing, over: own, changesWatch, staysConnected: !activates)
                }
            }
            life.change = Task.detached { _ = await change.value }
            return change
        }
        if let error = await change?.value { throw error }
    }

    /// Changes the watches, and opens the sessions that they need. The error is returned.
    ///
    /// - Parameters:
    ///   - pairing: the pairing with the watch.
    ///   - own: its new link; nil for the one that it has.
    ///   - changesWatch: whether it becomes the active one, or is and gets a new link.
    ///   - staysConnected: whether it stays connected while another one is active.
    private func perform(
        _ pairing: PairingID, over own: SessionLinks?, _ changesWatch: Bool, staysConnected: Bool
    ) -> OpenError? {
        var failure: OpenError?
        let link = own ?? links(with: pairing)
        let others = connections.filter { $0.device.pairing != pairing }
        if !changesWatch, others.contains(where: { $0.links.isSame(as: link) }) {
            failure = .badLink("a connected watch has this link; give each watch one of its own")
        } else if changesWatch {
            do throws(JournalError) {
                if try !store.activate(pairing) { failure = Self.unknown(pairing) }
            } catch {
                failure = .journal("\(error)")
            }
        }
        if failure == nil {
            let former = life.withLock { life in
                if let own { life.links[pairing] = own }
                if staysConnected { life.stayConnected.insert(pairing) }
                return life.connections[pairing]
            }
            // A link that is open stays open. Otherwise a new session tries at once.
            if let former, own != nil || changesWatch && !former.driven.isReachable {
                leave(former)
            }
        }
        do throws(OpenError) { try openSessions() } catch { failure = failure ?? error }
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
