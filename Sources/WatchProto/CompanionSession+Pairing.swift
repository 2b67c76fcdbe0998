import Locks
import WatchProtoCore
import WatchProtoJournal
import WatchProtoSecurity
import WatchProtoTransport

extension CompanionSession {
    /// Pairs this device with another one. The session gives its links up meanwhile. A pairing that
    /// is under way is given up. The watches that ``connect(_:over:)`` named are connected again
    /// when the pairing has ended, also one that was paired anew.
    ///
    /// A code is good for one attempt. If it was mistyped, both devices get
    /// ``PairingStep/failed(_:attemptsLeft:)``, and the device that shows the code gets a new one.
    /// The other device calls this again with the new code.
    ///
    /// The new pairing sends the records that an earlier one with the same device did not settle. A
    /// record that the other app had applied, without this device knowing, arrives a second time. A
    /// watch belongs to one phone: an earlier pairing with another phone is erased, and the doses
    /// unless ``PairingRequest/confirm(keepingDoses:)`` keeps them. A phone may have several
    /// watches; the one that it paired with last is the active one.
    ///
    /// - Parameters:
    ///   - role: the part of this device.
    ///   - link: the link to the other device; nil for that of the options.
    public func pair(_ role: PairingRole, over link: SessionLink? = nil) -> PairingSteps {
        let run = PairingProcess()
        life.withLock { life in
            let (before, earlier, isClosed) = (life.coordinator, life.change, life.isClosed)
            life.coordinator = run
            life.change = Task.detached { [self] in
                await earlier?.value
                await Offload.run { [self] in
                    before?.close()
                    for connection in connections { leave(connection) }
                }
                await Offload.run { [self] in
                    do throws(PairingError) {
                        if isClosed { throw .unavailable("\(OpenError.closed)") }
                        try begin(run, role, over: link)
                    } catch {
                        end(run, error)
                    }
                }
            }
        }
        return PairingSteps(feed: run.feed)
    }

    /// Gives up the pairing under way.
    public func cancelPairing() { life.withLock { $0.coordinator }?.cancel() }

    private func begin(
        _ run: PairingProcess, _ role: PairingRole, over link: SessionLink?
    ) throws(PairingError) {
        let own: SessionLinks?
        do throws(OpenError) {
            own = try link.map { link throws(OpenError) in try SessionLinks(link) }
        } catch {
            throw .unavailable("\(error)")
        }
        let links = own ?? usualLinks
        var code: PairingCode?
        if case .enterCode(let typed) = role {
            guard let known = PairingCode(typed) else { throw .badCode }
            code = known
        }
        do {
            let identity = PairingIdentity(role: options.role, device: try store.device())
            let driver = try PairingDriver(
                identity,
                source: links.makePairingSource(options.role, showsCode: code == nil),
                store: { [store, weak self, weak run] device in
                    let kept = try store.keep(device, keepingDoses: run?.keepsDoses ?? false)
                    self?.life.withLock { life in
                        life.links[device.pairing] = own
                        for former in kept.replaced where life.stayConnected.remove(former) != nil {
                            life.stayConnected.insert(device.pairing)
                        }
                    }
                },
                observer: { [weak self, weak run] event in
                    if let self, let run { receive(event, run) }
                })
            try run.begin(driver)
            try driver.start()
            if let code {
                try driver.act { link, now throws(PairingCoordinator.Refusal) in
                    try link.enterCode(code, confirmsAhead: false, at: now)
                }
            } else {
                let shown = try driver.act { link, now throws(PairingCoordinator.Refusal) in
                    try link.showCode(confirmsAhead: false, at: now)
                }
                run.feed.add(.success(.code(shown.text)))
            }
        } catch let error as PairingError {
            throw error
        } catch {
            throw .unavailable("\(error)")
        }
    }

    /// Receives an event on the pairing's thread.
    private func receive(_ event: PairingLink.Event, _ run: PairingProcess) {
        switch event {
        case .code(let code): run.feed.add(.success(.code(code.text)))
        case .confirm(let other):
            let question = run.nextQuestion()
            let request = PairingRequest(
                counterpart: other.role, erasesDoses: store.erasesDoses(pairingWith: other)
            ) { [weak run] keepingDoses in run?.confirm(question, keepingDoses: keepingDoses) }
            run.feed.add(.success(.confirm(request)))
        case .failed(let failure, let left):
            run.nextQuestion()
            run.feed.add(.success(.failed("\(failure)", attemptsLeft: left)))
        case .store, .expired, .advice: break
        case .ended(let ending):
            let error: PairingError? =
                switch ending {
                case .paired: nil
                case .tooManyFailures(let failure): .tooManyFailures("\(failure)")
                case .timedOut: .timedOut
                case .cancelled: .cancelled
                }
            // The pairing's thread cannot wait for its own end.
            life.withLock { life in
                let earlier = life.change
                life.change = Task.detached { [self] in
                    await earlier?.value
                    await Offload.run { [self] in end(run, error) }
                }
            }
        }
    }

    /// Opens the session again, and reports the end of the pairing after that.
    private func end(_ run: PairingProcess, _ error: PairingError?) {
        run.giveLinkBack()
        let isMine = life.withLock { life in
            guard life.coordinator === run, !life.isClosed else { return false }
            return true
        }
        guard isMine else { return run.fail(error ?? .cancelled) }
        // Unanswered records of the erased pairing are sent again by the new one.
        if error == nil { inbox.removeAll() }
        var failure = error
        do throws(OpenError) {
            try openSessions()
        } catch {
            failure = .unavailable("\(error)")
        }
        let (device, wantsLink) = life.withLock { life in
            if life.coordinator === run { life.coordinator = nil }
            return (life.device, life.wantsLink)
        }
        if error == nil { compareAll() }
        if wantsLink { activateWhenFree() }
        if let failure { return run.fail(failure) }
        if let device { run.feed.add(.success(.paired(device.pairing))) }
        run.feed.finish()
    }

    /// Over UDP the side that showed the code keeps the address for a few seconds more.
    func activateWhenFree(attempts: Int = 60) {
        let connections = life.withLock { life in
            life.wantsLink && !life.isClosed && life.coordinator == nil
                ? Array(life.connections.values) : []
        }
        do throws(LinkError) {
            try connections.activate()
        } catch {
            guard attempts > 0 else { return feeds.add(.linkLost("\(error)")) }
            Task.detached { [weak self] in
                try? await Task.sleep(for: .milliseconds(250))
                self?.activateWhenFree(attempts: attempts - 1)
            }
        }
    }

    /// Queues the records that a former pairing with the same device did not deliver.
    func sendCarriedOver(_ driven: DriverSession, _ device: PairedDevice) {
        store.sendCarriedOver(to: device.counterpartNumber, over: driven) { value, id, _ in
            if let former = value.former { transfers.rename(former, as: id) }
            files.sent(value, as: id)
        }
    }

    /// The session with a device opened its journal again: records of the failed commit are gone.
    func recover(_ pairing: PairingID) {
        let connection = life.withLock { $0.connections[pairing] }
        if let connection { sendCarriedOver(connection.driven, connection.device) }
        Offload.start { [self] in compareAll() }
    }
}
