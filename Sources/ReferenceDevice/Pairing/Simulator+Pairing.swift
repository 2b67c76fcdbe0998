internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// The commands about pairing. A session and a pairing never have the link at the same time.
extension Simulator {
    static let pairingCommands = [
        "pair.show", "pair.enter", "pair.confirm", "pair.cancel", "pair.list", "pair.forget",
        "pair.activate",
    ]

    func pair(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        guard options.isSealed else { throw .unsealed }
        switch request.command {
        case "pair.show": return try showCode(request)
        case "pair.enter": return try enterCode(request)
        case "pair.confirm":
            let keepsDoses = try request.flag("keep_doses", default: false)
            let isConfirmed = try coordinator().act { link, now in
                guard link.confirm(at: now) else { return false }
                life.withLock { $0.doseAnswer.now = keepsDoses }
                return true
            }
            guard isConfirmed else {
                throw ControlError(
                    "nothing_to_confirm", ["expected": "'pairing.confirm' comes first"])
            }
            return JSONObject()
        case "pair.cancel":
            guard try coordinator().act({ link, now in link.cancel(at: now) }) else {
                throw refusal(.over)
            }
            return JSONObject()
        case "pair.list": return try listPairings()
        case "pair.activate": return try activateWatch(request)
        default: return try forget(request)
        }
    }

    private func showCode(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let (isConfirmed, keepsDoses) = try confirmation(request)
        let coordinator = try openDesk(request, showsCode: true)
        do throws(PairingCoordinator.Refusal) {
            let code = try coordinator.act { link, now throws(PairingCoordinator.Refusal) in
                let code = try link.showCode(confirmsAhead: isConfirmed, at: now)
                life.withLock { $0.doseAnswer.ahead = keepsDoses }
                return code
            }
            return JSONValue.members(codeMembers(code))
        } catch {
            throw refusal(error)
        }
    }

    private func enterCode(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let (isConfirmed, keepsDoses) = try confirmation(request)
        let expected = "six digits"
        let typed = try request.optionalString("code", expected: expected)
        guard let code = typed.flatMap({ PairingCode($0) }) else {
            // The text may be the code with a typing error, so the reply does not repeat it.
            throw .badField(
                "code", expected: expected, found: typed == nil ? "nothing" : "another text")
        }
        let coordinator = try openDesk(request, showsCode: false)
        do throws(PairingCoordinator.Refusal) {
            try coordinator.act { link, now throws(PairingCoordinator.Refusal) in
                try link.enterCode(code, confirmsAhead: isConfirmed, at: now)
                life.withLock { $0.doseAnswer.ahead = keepsDoses }
            }
            return JSONObject()
        } catch {
            throw refusal(error)
        }
    }

    /// Whether a command confirms ahead, and whether the doses on this watch stay then.
    private func confirmation(
        _ request: ControlRequest
    ) throws(ControlError) -> (isAhead: Bool, keepsDoses: Bool) {
        let isAhead = try request.flag("confirmed", default: false)
        let keepsDoses = try request.flag("keep_doses", default: false)
        guard isAhead || !keepsDoses else {
            throw .badField(
                "keep_doses", expected: "beside 'confirmed', or in 'pair.confirm'",
                found: "true alone")
        }
        return (isAhead, keepsDoses)
    }

    func codeMembers(_ code: PairingCode) -> JSONValue {
        [
            "code": .string(code.text),
            "good_for_ms": .whole(options.codeLife.nanosecondsClamped / 1_000_000),
        ]
    }

    private func refusal(_ refusal: PairingCoordinator.Refusal) -> ControlError {
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
    private func coordinator() throws(ControlError) -> PairingDriver {
        guard let coordinator = life.withLock({ $0.coordinator }) else {
            throw ControlError(
                "not_pairing", ["expected": "'pair.show' or 'pair.enter' comes first"])
        }
        return coordinator
    }

    // MARK: Paired devices

    private func listPairings() throws(ControlError) -> JSONObject {
        do {
            let session = session
            let active = life.withLock { $0.device?.pairing }
            var rows: [JSONValue] = []
            for device in try storage.paired() {
                let pairing = device.pairing
                let isActive = pairing == active
                let further = life.withLock { $0.further[pairing]?.session }
                let open = isActive ? session : further
                let count =
                    try open?.outstandingTransfers.count ?? storage.undelivered(to: pairing).count
                rows.append([
                    "pairing": .string(pairing.hex),
                    "counterpart": .string(device.counterpart.device.hex),
                    "state": isActive ? "active" : "inactive", "outstanding": .whole(count),
                    "reachable": .bool(open?.isReachable ?? false),
                    "link": .string(link(of: pairing).description),
                ])
            }
            return JSONValue.members([
                "device": .string(try storage.device().hex), "pairings": .array(rows),
            ])
        } catch {
            throw .journalFailed("\(error)", outcome: "nothing")
        }
    }

    private func forget(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let pairing = try self.pairing(request)
        pairingChanged()
        guard life.withLock({ $0.coordinator }) == nil else {
            throw ControlError("pairing_busy", ["expected": "'pair.cancel' comes first"])
        }
        let all: [PairingID]
        do throws(JournalError) {
            all = try storage.paired().map(\.pairing)
        } catch {
            throw .journalFailed(error.description, outcome: "nothing")
        }
        guard all.contains(pairing) else { throw .noSuchPairing }
        // A watch belongs to one phone, and no row of its store says from which one it came.
        let gone = application.role == .watch ? all : [pairing]
        let isActive = life.withLock { $0.device.map { gone.contains($0.pairing) } ?? false }
        closeFurther()
        if isActive {
            load.stop()
            session.close()
            observer.sessionEnded()
            life.withLock { life in
                life.session = none
                life.device = nil
            }
        }
        defer { if isActive { resume() } else { openFurther() } }
        // On a phone an inactive watch has left nothing but its queue and kept values.
        var writes = isActive || application.role == .watch ? application.forget() : []
        if application.role == .watch { writes += forgetDoses() }
        do throws(JournalError) {
            try storage.forget(gone, writes: writes)
        } catch {
            throw .journalFailed(error.description, outcome: "unknown")
        }
        files.pairingEnded()
        life.withLock { life in
            life.links[pairing] = nil
            life.wanted.remove(pairing)
        }
        if isActive {
            observer.recovery.reset()
            trace.reset()
        }
        return JSONObject()
    }
}
