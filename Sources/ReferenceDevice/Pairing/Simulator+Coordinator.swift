internal import ControlProtocol
internal import Locks
internal import WatchProto
internal import WatchProtoJournal
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// The beginning and the end of a pairing.
extension Simulator {
    /// The pairing under way, or a new one: the session gives the link up for it.
    func openDesk(
        _ request: ControlRequest, showsCode: Bool
    ) throws(ControlError) -> PairingDriver {
        let asked = try self.link(request)
        pairingChanged()
        if let (coordinator, link) = life.withLock({ life in
            life.coordinator.map { ($0, life.coordinatorLink) }
        }) {
            guard asked == nil || asked == link else {
                throw ControlError(
                    "pairing_busy", ["expected": "'pair.cancel' before another link"])
            }
            return coordinator
        }
        try checkLinkOpensAgain()
        let link = asked ?? self.link
        do {
            let identity = PairingIdentity(role: application.role, device: try storage.device())
            let store: PairingDriver.Store = { [weak self] device in
                // Without anybody to keep it nothing is paired.
                guard let self else { throw CancellationError() }
                try keepPairing(device)
            }
            let coordinator = try PairingDriver(
                identity,
                source: link.makePairingSource(role: application.role, showsCode: showsCode),
                lifeOfCodes: options.codeLife, store: store
            ) { [weak self] in self?.hear($0) }
            try leaveSession()
            do throws(LinkError) {
                try coordinator.start()
            } catch {
                resume()
                throw ControlError("link_unavailable", ["detail": .string("\(error)")])
            }
            life.withLock { life in
                life.coordinator = coordinator
                life.coordinatorLink = link
                life.doseAnswer = DoseAnswer()
            }
            return coordinator
        } catch let error as ControlError {
            throw error
        } catch let error as JournalError {
            throw .journalFailed(error.description, outcome: "unknown")
        } catch {
            throw ControlError("link_unavailable", ["detail": .string("\(error)")])
        }
    }

    /// Makes a pairing durable, in one transaction with the erasure of those that it replaces. On
    /// the pairing's thread.
    ///
    /// - Throws: where the disk failed; nothing is paired then.
    private func keepPairing(_ device: PairedDevice) throws {
        let kinds = application.carriedOver
        let keepsDoses = life.withLock { $0.doseAnswer.keeps }
        let made = try storage.keep(
            device, keepingDoses: keepsDoses, writes: application.eraseBrought()
        ) { kinds.contains($0) }
        application.dropBrought()
        if made.erasesLedger {
            application.forgetDoses()
            trace.reset()
        }
        life.withLock { life in
            life.carryOver = made
            for pairing in made.replaced { life.links[pairing] = nil }
            life.wanted.subtract(made.replaced)
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
                    "erases_doses": .bool(storage.erasesDoses(pairingWith: other)),
                ])
        case .store: break
        case .failed(let failure, let left):
            life.withLock { $0.doseAnswer.now = nil }
            hub.post(
                "pairing.failed",
                [
                    "reason": .string(failure.controlName), "detail": .string("\(failure)"),
                    "attempts_left": .whole(left),
                ])
        case .expired:
            life.withLock { $0.doseAnswer.now = nil }
            hub.post("pairing.expired")
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
            guard let coordinator = life.coordinator, let ending = life.ending else { return nil }
            life.coordinator = nil
            life.ending = nil
            return (coordinator, ending)
        }
        guard let (coordinator, ending) = ended else { return }
        coordinator.close()
        if case .paired = ending, let made = try? storage.paired().last {
            life.withLock { $0.links[made.pairing] = $0.coordinatorLink }
        }
        resume(until: SystemClock.now.advanced(by: Self.addressPatience))
        let carryOver = life.withLock { life in
            defer { life.carryOver = CarryOver() }
            return life.carryOver
        }
        guard case .paired = ending, let paired = life.withLock({ $0.device }) else {
            hub.post("pairing.ended", ["reason": .string(ending.controlName)])
            return
        }
        recover()
        hub.post(
            "pairing.done",
            [
                "pairing": .string(paired.pairing.hex),
                "counterpart": .string(paired.counterpart.device.hex),
                "epoch": .string(session.currentEpoch.hex), "durable": .bool(file != nil),
                "requeued": .whole(carryOver.carried),
                "erased": .whole(carryOver.erased),
            ])
    }

    /// Ends a pairing with the process.
    func closePairing() {
        life.withLock { $0.coordinator }?.close()
    }

    /// On UDP the side that showed the code keeps the address for ten seconds behind its last
    /// message: a side that listens there next waits for it.
    private static let addressPatience: Duration = .seconds(15)

    /// Opens the session of the pairing in use, if there is one. If another socket of this host has
    /// the port, the simulator tries again until `end`.
    func resume(until end: Instant? = nil) {
        do {
            try openSession()
        } catch {
            return tellNoLink(error)
        }
        takeAddress(until: end)
    }

    private func takeAddress(until end: Instant?) {
        do throws(LinkError) {
            try activateSession()
        } catch {
            guard let end, case .portInUse = error, SystemClock.now < end else {
                return tellNoLink(error)
            }
            let next = SystemClock.now.advanced(by: .milliseconds(250))
            life.withLock { $0.addressWait = (next, end) }
        }
    }

    func tellNoLink(_ error: any Error) {
        hub.post("error", ["error": ["code": "link_unavailable", "detail": .string("\(error)")]])
        tellActivation()
    }

    /// When ``tryAddressAgain(at:)`` is to be called.
    var addressDeadline: Instant? { life.withLock { $0.addressWait?.next } }

    /// Tries the address again, where that is due and nobody opened or closed the link meanwhile.
    func tryAddressAgain(at now: Instant) {
        let end = life.withLock { life -> Instant? in
            guard let wait = life.addressWait, wait.next <= now else { return nil }
            life.addressWait = nil
            return life.coordinator == nil ? wait.until : nil
        }
        if let end, session.activationState == .notActivated { takeAddress(until: end) }
    }
}
