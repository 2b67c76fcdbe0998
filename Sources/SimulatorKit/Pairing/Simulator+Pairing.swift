internal import ControlKit
internal import Synchronization
internal import WatchJournal
internal import WatchProto
internal import WatchSecurity
internal import WatchTransport

/// The commands about pairing. A session and a pairing never have the link at the same time.
extension Simulator {
    static let pairingCommands = [
        "pair.show", "pair.enter", "pair.confirm", "pair.cancel", "pair.list", "pair.forget",
    ]

    func pair(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        guard options.isSealed else {
            throw ControlError(
                "unsealed", ["expected": "a simulator that was started without '--unsealed'"])
        }
        switch request.command {
        case "pair.show": return try showCode(request)
        case "pair.enter": return try enterCode(request)
        case "pair.confirm":
            guard try desk().act({ link, now in link.confirm(at: now) }) else {
                throw ControlError(
                    "nothing_to_confirm", ["expected": "'pairing.confirm' comes first"])
            }
            return JSONObject()
        case "pair.cancel":
            try desk().act { link, now in link.cancel(at: now) }
            return JSONObject()
        case "pair.list": return try listPairings()
        default: return try forget(request)
        }
    }

    private func showCode(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let isConfirmed = try request.flag("confirmed", default: false)
        let desk = try openDesk()
        do throws(PairingDesk.Refusal) {
            let code = try desk.act { link, now throws(PairingDesk.Refusal) in
                try link.showCode(confirmsAhead: isConfirmed, at: now)
            }
            return JSONValue.members(codeMembers(code))
        } catch {
            throw refusal(error)
        }
    }

    private func enterCode(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let isConfirmed = try request.flag("confirmed", default: false)
        let expected = "six digits"
        let typed = try request.optionalString("code", expected: expected)
        guard let code = typed.flatMap({ PairingCode($0) }) else {
            // What was typed may be a code all but for a slip: it is not repeated.
            throw .badField(
                "code", expected: expected, found: typed == nil ? "nothing" : "another text")
        }
        let desk = try openDesk()
        do throws(PairingDesk.Refusal) {
            try desk.act { link, now throws(PairingDesk.Refusal) in
                try link.enterCode(code, confirmsAhead: isConfirmed, at: now)
            }
            return JSONObject()
        } catch {
            throw refusal(error)
        }
    }

    private func codeMembers(_ code: PairingCode) -> JSONValue {
        [
            "code": .string(code.text),
            "good_for_ms": .whole(PairingDesk.codeLife.nanosecondsClamped / 1_000_000),
        ]
    }

    private func refusal(_ refusal: PairingDesk.Refusal) -> ControlError {
        switch refusal {
        case .over: ControlError("pairing_over", ["expected": "the event that tells its end"])
        case .busy:
            ControlError(
                "pairing_busy", ["expected": "'pair.cancel', or the end of the run under way"])
        case .usedBefore:
            ControlError("code_used", ["expected": "the new code that the other device shows"])
        }
    }

    /// The pairing under way.
    private func desk() throws(ControlError) -> PairingDriver {
        guard let desk = life.withLock({ $0.desk }) else {
            throw ControlError(
                "not_pairing", ["expected": "'pair.show' or 'pair.enter' comes first"])
        }
        return desk
    }

    // MARK: Beginning and end

    /// The pairing under way, or a new one: the session gives the link up for it.
    private func openDesk() throws(ControlError) -> PairingDriver {
        pairingChanged()
        if let desk = life.withLock({ $0.desk }) { return desk }
        guard options.link.opensAgain else {
            throw ControlError(
                "link_unsuitable",
                ["expected": "a socket: '\(options.link)' is opened once, and a pairing ends it"])
        }
        do {
            let identity = PairingIdentity(role: application.role, device: try keys.device())
            let side: LinkSide = application.role == .watch ? .listening : .connecting
            let desk = try PairingDriver(
                identity,
                source: options.link.makeSource(
                    side: side, wireVersion: PairedSecurity.wireVersion)
            ) { [keys] device in
                try keys.keep(device)
            } ear: { [weak self] event in
                self?.hear(event)
            }
            load.stop()
            session.close()
            life.withLock { $0.session = none }
            tellActivation()
            do throws(LinkError) {
                try desk.start()
            } catch {
                resume()
                throw ControlError("link_unavailable", ["detail": .string("\(error)")])
            }
            life.withLock { $0.desk = desk }
            return desk
        } catch let error as ControlError {
            throw error
        } catch let error as JournalError {
            throw ControlError("journal_failed", ["detail": .string(error.description)])
        } catch {
            throw ControlError("link_unavailable", ["detail": .string("\(error)")])
        }
    }

    /// Hears the pairing, on its own thread.
    private func hear(_ event: PairingLink.Event) {
        switch event {
        case .code(let code): hub.post("pairing.code", codeMembers(code))
        case .confirm(let other):
            hub.post(
                "pairing.confirm",
                [
                    "counterpart": .string(other.device.hex), "role": .string("\(other.role)"),
                ])
        case .store: break
        case .failed(let failure, let left):
            hub.post(
                "pairing.failed",
                [
                    "reason": .string(failure.controlName), "detail": .string("\(failure)"),
                    "attempts_left": .whole(left),
                ])
        case .expired: hub.post("pairing.expired")
        case .advice(let advice): hub.post("pairing.advice", advice.controlValue)
        case .ended(let ending):
            life.withLock { $0.ending = ending }
            // The rest is the main thread's: the session that follows needs the link.
            output.changed.signal()
        }
    }

    /// A pairing may be over: the session has the link again. On the main thread.
    func pairingChanged() {
        let ended = life.withLock { life -> (PairingDriver, PairingLink.Ending)? in
            guard let desk = life.desk, let ending = life.ending else { return nil }
            life.desk = nil
            life.ending = nil
            return (desk, ending)
        }
        guard let (desk, ending) = ended else { return }
        desk.close()
        resume()
        guard case .paired = ending, let paired = life.withLock({ $0.device }) else {
            hub.post("pairing.ended", ["reason": .string(ending.controlName)])
            return
        }
        hub.post(
            "pairing.done",
            [
                "pairing": .string(paired.pairing.hex),
                "counterpart": .string(paired.counterpart.device.hex),
                "epoch": .string(session.currentEpoch.hex), "durable": .bool(file != nil),
            ])
    }

    /// Ends a pairing with the process.
    func closePairing() {
        life.withLock { $0.desk }?.close()
    }

    /// Opens the session of the pairing in use, if there is one.
    private func resume() {
        do {
            try openSession()
            try session.activate()
        } catch {
            hub.post(
                "error", ["error": ["code": "link_unavailable", "detail": .string("\(error)")]])
        }
        tellActivation()
    }

    // MARK: What is paired

    private func listPairings() throws(ControlError) -> JSONObject {
        do throws(JournalError) {
            let active = life.withLock { $0.device?.pairing }
            var rows: [JSONValue] = try keys.paired().map { device in
                [
                    "pairing": .string(device.pairing.hex),
                    "counterpart": .string(device.counterpart.device.hex),
                    "state": device.pairing == active ? "active" : "inactive",
                ]
            }
            rows += keys.replaced.map { pairing in
                [
                    "pairing": .string(pairing.hex), "counterpart": .null,
                    "state": "replaced",
                ]
            }
            return JSONValue.members([
                "device": .string(try keys.device().hex), "pairings": .array(rows),
            ])
        } catch {
            throw ControlError("journal_failed", ["detail": .string(error.description)])
        }
    }

    private func forget(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let expected = "32 hexadecimal digits, as 'pair.list' shows them"
        let text = try request.optionalString("pairing", expected: expected)
        guard let text, text.utf8.count == 32, let value = UInt128(text, radix: 16) else {
            throw .badField(
                "pairing", expected: expected, found: text == nil ? "nothing" : "another text")
        }
        pairingChanged()
        guard life.withLock({ $0.desk }) == nil else {
            throw ControlError("pairing_busy", ["expected": "'pair.cancel' comes first"])
        }
        let pairing = PairingID(rawValue: value)
        let isActive = life.withLock { $0.device?.pairing } == pairing
        if isActive {
            load.stop()
            session.close()
            life.withLock { life in
                life.session = none
                life.device = nil
            }
        }
        defer { if isActive { resume() } }
        // What came from a device goes with the pairing in use alone: one that another took the
        // place of has left nothing else of its own.
        let writes = isActive ? application.forget() : []
        let isKnown: Bool
        do throws(JournalError) {
            isKnown = try keys.forget(pairing, writes)
        } catch {
            throw ControlError("journal_failed", ["detail": .string(error.description)])
        }
        guard isKnown else {
            throw ControlError("no_such_pairing", ["expected": "one that 'pair.list' shows"])
        }
        if isActive {
            ear.takeUps.removeAll()
            trace.reset()
        }
        return JSONObject()
    }
}
