internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// The session with a watch that is not the active one.
struct FurtherSession: Sendable {
    var session: any SimulatorSession
    var exchanges: DeviceExchanges

    /// Ends it.
    func close() {
        session.close()
        exchanges.end()
        exchanges.messages.sessionEnded()
    }
}

/// A phone may be connected with all of its watches at once. Each has a session and a queue of its
/// own, in one journal. Doses go to all of them; all other records of the phone's commands are for
/// the active one.
extension Simulator {
    /// Opens the link with the watch that is named, or with the active one. A watch that is named
    /// keeps its link when another one becomes active.
    func openLink(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let named = try namedWatch(request)
        let asked = try link(request)
        guard let device = named, !isActive(device) else {
            if let pairing = named?.pairing {
                try activateWatch(pairing, at: asked)
                life.withLock { _ = $0.wanted.insert(pairing) }
            } else if let asked {
                guard let pairing = life.withLock({ $0.device?.pairing }) else { throw .unsealed }
                try activateWatch(pairing, at: asked)
            }
            return try openLink()
        }
        try checkLinkOpensAgain()
        let address = asked ?? link(of: device.pairing)
        guard address != link else {
            throw ControlError(
                "link_unsuitable", ["expected": "an address that is not the active watch's"])
        }
        closeFurther(device.pairing)
        life.withLock { life in
            life.links[device.pairing] = address
            life.wanted.insert(device.pairing)
        }
        do {
            try openFurther(device)
        } catch {
            life.withLock { _ = $0.wanted.remove(device.pairing) }
            throw ControlError("link_unavailable", ["detail": .string("\(error)")])
        }
        return JSONObject()
    }

    /// Closes the link with the watch that is named, or with the active one: gracefully, or
    /// (`abrupt`) as a radio that goes out of range. Either way it stays closed on this side until
    /// `link.open`.
    func closeLink(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let isAbrupt = try request.flag("abrupt", default: false)
        if let device = try namedWatch(request) {
            life.withLock { _ = $0.wanted.remove(device.pairing) }
            guard isActive(device) else {
                let further = life.withLock { $0.further[device.pairing] }
                if isAbrupt { further?.session.cutLinkAndRest() }
                closeFurther(device.pairing)
                return JSONObject()
            }
        }
        if isAbrupt { session.cutLinkAndRest() } else { session.deactivate(.normal) }
        tellActivation()
        return JSONObject()
    }

    /// The watch that a command names; nil if it names none.
    func namedWatch(_ request: ControlRequest) throws(ControlError) -> PairedDevice? {
        guard request.fields["pairing"] ?? .null != .null else { return nil }
        return try pairedWatch(request)
    }

    private func isActive(_ device: PairedDevice) -> Bool {
        life.withLock { $0.device?.pairing } == device.pairing
    }

    private func openFurther(_ device: PairedDevice) throws {
        let exchanges = DeviceExchanges(ledger, observer.messageTable, files)
        let session = try makeSession(
            device.pairing, NoiseSecurity(device), try storage.journal(of: device),
            FurtherObserver(observer, exchanges, device.pairing))
        exchanges.begin(session, with: device.pairing, device.counterpartNumber)
        if let own = app.own { try? exchanges.app.report(own) }
        exchanges.app.begin(session)
        let made = FurtherSession(session: session, exchanges: exchanges)
        do throws(LinkError) {
            try session.activate()
        } catch {
            made.close()
            throw error
        }
        life.withLock { $0.further[device.pairing] = made }
        application.sessionBegins(with: device.pairing)
    }

    /// Opens the sessions that were wanted before the active watch changed.
    func openFurther() {
        let (wanted, active) = life.withLock { ($0.wanted, $0.device?.pairing) }
        for device in (try? storage.paired()) ?? [] where wanted.contains(device.pairing) {
            guard device.pairing != active else { continue }
            do {
                try openFurther(device)
            } catch {
                tellNoLink(error)
            }
        }
    }

    /// Ends the session with a watch that is not the active one, if there is one.
    func closeFurther(_ pairing: PairingID) {
        guard let further = life.withLock({ $0.further.removeValue(forKey: pairing) }) else {
            return
        }
        further.close()
    }

    /// Ends all sessions but the active one.
    func closeFurther() {
        for pairing in life.withLock({ Array($0.further.keys) }) { closeFurther(pairing) }
    }
}
