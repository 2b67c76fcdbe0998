internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoTransport

/// The events of the link and of the journal's file.
extension SessionObserver {
    func transport(_ event: TransportEvent, at now: Instant, later: inout DeferredInputs) {
        switch event {
        case .linkOpened: hub.post("link.opened", at: now)
        case .linkLost: break
        case .linkNotOpened(let failure):
            hub.post("link.not_opened", ["detail": .string(failure.text)], at: now)
            log("link not opened: \(failure.text)")
        case .connectionRefused(let count):
            hub.post("link.refused", ["count": .whole(count)], at: now)
            log("connections that did not authenticate were closed: \(count)")
        case .datagramIgnored(let cause, let count): log("datagrams dropped (\(cause)): \(count)")
        case .journalReopened: journalReopened(at: now)
        case .journalNotReopened(let failure):
            log("the journal could not be opened again: \(failure)")
        case .noFurtherLink:
            hub.post("link.ended", at: now)
            linkHasEnded.store(true, ordering: .releasing)
            wake.signal()
        }
    }

    /// While there is no session, an act opens the journal again, and nobody reports it.
    func lookAtJournal() {
        guard hasToldFailure.load(ordering: .acquiring), let file, file.failure == nil else {
            return
        }
        journalReopened(at: SystemClock.now)
    }

    /// Changes that did not become durable are gone: the application begins again with its file.
    private func journalReopened(at now: Instant) {
        hasToldFailure.store(false, ordering: .releasing)
        exchanges.journalReopened()
        guard let file else { return }
        do {
            try application.open(FileStore(file))
            try storage.reload()
            recovery.reset()
            if application.faceMayChange(.other) { wake.signal() }
            hub.post("journal.reopened", at: now)
            log("the journal is open again")
        } catch {
            hub.post(
                "error", ["error": ["code": "store_failed", "detail": .string("\(error)")]],
                at: now)
        }
    }
}
