internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// A phone may have several watches, one of them active: the journal keeps the keys and the queue
/// of each, and the one that came into use last is the active one.
extension Simulator {
    /// Where the device in use is met.
    var link: LinkAddress {
        life.withLock { life in life.device.flatMap { life.links[$0.pairing] } } ?? options.link
    }

    /// Where the device of a pairing is met.
    func link(of pairing: PairingID) -> LinkAddress {
        life.withLock { $0.links[pairing] } ?? options.link
    }

    /// Where the other device is met, as a command says. A watch is met at its own link.
    ///
    /// - Throws: `bad_field`, or on a watch `unknown_field`.
    func link(_ request: ControlRequest) throws(ControlError) -> LinkAddress? {
        guard application.role == .phone else {
            guard request.fields["link"] ?? .null != .null else { return nil }
            let form = commands.first { $0.name == request.command }
            throw .unknownField("link", known: (form?.fields ?? []).filter { $0 != "link" })
        }
        let expected = "the address of a socket, as '--link' takes it"
        guard let text = try request.optionalString("link", expected: expected) else { return nil }
        guard let link = try? LinkAddress(text), link.opensAgain else {
            throw .badField("link", expected: expected, found: text)
        }
        return link
    }

    /// The pairing that a command names.
    func pairing(_ request: ControlRequest) throws(ControlError) -> PairingID {
        let expected = "32 hexadecimal digits, as 'pair.list' shows them"
        let text = try request.optionalString("pairing", expected: expected)
        guard let text, text.utf8.count == 32, let value = UInt128(text, radix: 16) else {
            throw .badField(
                "pairing", expected: expected, found: text == nil ? "nothing" : "another text")
        }
        return PairingID(rawValue: value)
    }

    /// The watch that a command to a phone names, while nothing is being paired.
    func pairedWatch(_ request: ControlRequest) throws(ControlError) -> PairedDevice {
        guard application.role == .phone else {
            throw ControlError("not_a_phone", ["expected": "a phone: it may have several watches"])
        }
        let pairing = try pairing(request)
        pairingChanged()
        guard life.withLock({ $0.coordinator }) == nil else {
            throw ControlError("pairing_busy", ["expected": "'pair.cancel' comes first"])
        }
        let known: [PairedDevice]
        do throws(JournalError) {
            known = try storage.paired()
        } catch {
            throw .journalFailed(error.description, outcome: "nothing")
        }
        guard let device = known.first(where: { $0.pairing == pairing }) else {
            throw .noSuchPairing
        }
        return device
    }

    /// All that ends with the session must begin again.
    func checkLinkOpensAgain() throws(ControlError) {
        guard options.link.opensAgain else {
            throw ControlError(
                "link_unsuitable",
                ["expected": "a socket: '\(options.link)' is opened once, and this ends it"])
        }
    }

    /// Makes another watch the active one. Its session follows that of the former, which is told
    /// goodbye; records queued for the former stay in its journal.
    func activateWatch(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let pairing = try pairedWatch(request).pairing
        try activateWatch(pairing, at: try link(request))
        return JSONObject()
    }

    /// Makes a watch the active one, which is met at this address from now on; nil for the one
    /// where it was met before.
    func activateWatch(
        _ pairing: PairingID, at asked: LinkAddress?
    ) throws(ControlError) {
        let isActive = life.withLock { $0.device?.pairing } == pairing
        guard !isActive || asked.map({ $0 != link }) == true else { return }
        try checkLinkOpensAgain()
        try leaveSession()
        // On success and on failure, a session is opened afterwards.
        defer { resume() }
        do throws(JournalError) {
            try storage.activate(pairing)
        } catch {
            throw .journalFailed(error.description, outcome: "unknown")
        }
        if let asked { life.withLock { $0.links[pairing] = asked } }
    }

    /// Ends the session in use: inactive, then not activated, then gone. Values that its
    /// counterpart returned are recovered first: they become records for this counterpart alone.
    ///
    /// - Throws: `queue_full` where that finds no room; the session goes on then.
    func leaveSession() throws(ControlError) {
        load.stop()
        let wasActivated = session.activationState != .notActivated
        session.deactivate(.normal)
        recover()
        guard !observer.recovery.isWaiting else {
            tellActivation()
            if wasActivated { try? activateSession() }
            throw ControlError(
                "queue_full",
                ["expected": "room in the queue for the recovered values"])
        }
        tellActivation()
        closeFurther()
        session.close()
        observer.sessionEnded()
        application.sessionEnds()
        life.withLock { $0.session = none }
    }
}

extension ControlError {
    /// Without sealing there are no pairings.
    static var unsealed: ControlError {
        ControlError(
            "unsealed", ["expected": "a simulator that was started without '--unsealed'"])
    }

    /// The file holds nothing of the pairing that was named.
    static var noSuchPairing: ControlError {
        ControlError("no_such_pairing", ["expected": "one that 'pair.list' shows"])
    }
}
