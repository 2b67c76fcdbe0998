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

    /// Makes another watch the active one. Messages to the former one end: a message that was not
    /// sent is not delivered, and of another one the outcome is unknown. Its other records stay in
    /// its queue, and leave when it is the active one again. The doses that the watch lacks go to
    /// it as soon as it is reachable.
    ///
    /// - Parameters:
    ///   - pairing: the pairing with the watch, one of ``pairings``.
    ///   - link: the link to the watch, until the process ends; nil for the one that it has.
    /// - Throws: ``OpenError``. Nothing has changed for a bad link, for a pairing that the journal
    ///   does not have (``OpenError/journal(_:)``), and while this device pairs or its watch is
    ///   being changed (``OpenError/linkUnavailable(_:)``). If the disk failed
    ///   (``OpenError/journal(_:)``, too), the session with the former watch has ended: either
    ///   watch or none is in use, as ``SessionState/pairing`` and ``Refusal/journalFailed`` say;
    ///   call again.
    public func setActiveWatch(
        _ pairing: PairingID, over link: SessionLink? = nil
    ) async throws(OpenError) {
        let own = try link.map { link throws(OpenError) in try SessionLinks(link) }
        try await Offload.run { [self] () throws(OpenError) in
            if life.withLock({ $0.isClosed }) { throw .closed }
            do throws(JournalError) {
                if try store.paired().contains(where: { $0.pairing == pairing }) { return }
            } catch {
                throw .journal("\(error)")
            }
            throw Self.unknown(pairing)
        }
        let change = try life.withLock { life throws(OpenError) -> Task<OpenError?, Never>? in
            if life.isClosed { throw .closed }
            if life.desk != nil || life.changesWatch {
                throw .linkUnavailable("\(Refusal.pairing)")
            }
            if life.driven != nil, life.device?.pairing == pairing, own == nil { return nil }
            let (driven, earlier) = (life.driven, life.change)
            life.driven = nil
            life.changesWatch = true
            let change = Task<OpenError?, Never>.detached { [self] in
                await earlier?.value
                return await Offload.run { [self] in
                    leave(driven)
                    return open(pairing, over: own)
                }
            }
            life.change = Task.detached { _ = await change.value }
            return change
        }
        if let error = await change?.value { throw error }
    }

    /// Opens the session with a watch; if the journal cannot be written, with the former one. The
    /// error is returned then.
    private func open(_ pairing: PairingID, over own: SessionLinks?) -> OpenError? {
        var failure: OpenError?
        // Its journal delivers the records of the former watch again.
        inbox.removeAll()
        do throws(JournalError) {
            if try store.activate(pairing) {
                if let own { life.withLock { $0.links[pairing] = own } }
            } else {
                failure = Self.unknown(pairing)
            }
        } catch {
            failure = .journal("\(error)")
        }
        do throws(OpenError) { try openDriven() } catch { failure = error }
        let wantsLink = life.withLock { life in
            life.changesWatch = false
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
    func links(of device: PairedDevice) -> SessionLinks {
        life.withLock { $0.links[device.pairing] } ?? usualLinks
    }

    /// The statuses of those records that went to another watch than the active one. They are
    /// durable.
    ///
    /// - Parameters:
    ///   - ids: the records.
    ///   - active: the pairing whose session knows them not; nil without a session.
    /// - Throws: the error of a read; the file is at fault, or was closed.
    func statusesElsewhere(
        of ids: [TransferID], than active: PairingID?
    ) throws -> [TransferID: RecordStatus] {
        guard !ids.isEmpty else { return [:] }
        var known: [TransferID: RecordStatus] = [:]
        for device in try store.paired() where device.pairing != active {
            let statuses = try store.statuses(of: ids, under: device.pairing)
            for (id, status) in zip(ids, statuses) where status != .unknown { known[id] = status }
        }
        return known
    }
}
