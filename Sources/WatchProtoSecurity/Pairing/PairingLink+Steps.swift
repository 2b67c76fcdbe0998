package import WatchProtoCore

/// The effects of users' actions, of events and of time.
extension PairingLink {
    // MARK: Users' acts

    /// Draws a code for the display. With `confirmsAhead` the action is also the confirmation.
    ///
    /// - Throws: `PairingCoordinator.Refusal`; nothing has changed.
    package mutating func showCode(
        confirmsAhead: Bool = false, at now: Instant
    ) throws(PairingCoordinator.Refusal) -> PairingCode {
        let code = try coordinator.showCode(at: now)
        isEntering = false
        idleUntil = nil
        self.confirmsAhead = confirmsAhead
        return code
    }

    /// Accepts the typed code. With `confirmsAhead` the action is also the confirmation.
    ///
    /// - Throws: `PairingCoordinator.Refusal`; nothing has changed.
    package mutating func enterCode(
        _ code: PairingCode, confirmsAhead: Bool = false, at now: Instant
    ) throws(PairingCoordinator.Refusal) {
        let hello = try coordinator.enterCode(code, at: now)
        opening = hello
        isEntering = true
        idleUntil = nil
        self.confirmsAhead = confirmsAhead
        if traits != nil, !mustClose { send(hello, at: now) }
    }

    /// Confirms, for the user, the pairing with the device of ``Event/confirm(_:)``.
    ///
    /// - Returns: false if there is nothing to confirm.
    @discardableResult
    package mutating func confirm(at now: Instant) -> Bool {
        switch held {
        case .message(let message):
            forgetHeld()
            confirmed = message
            send(message, at: now)
            answerDue = nil
        case .device(let device, let answer):
            held = .storing(answer: answer)
            heldUntil = nil
            tell(.store(device))
        case .storing, nil: return false
        }
        return true
    }

    /// Reports that the device of ``Event/store(_:)`` is durable.
    package mutating func stored(at now: Instant) {
        guard case .storing(let answer) = held else { return }
        forgetHeld()
        guard let answer, let traits else {
            end(.paired)
            return
        }
        send(answer, at: now)
        farewellUntil = now.advanced(by: traits.isLossy ? Self.answerTime : Self.farewellTime)
    }

    /// Cancels pairing for the user.
    ///
    /// - Returns: false if it is too late: both users have confirmed, and the keys are being kept
    ///   or are kept already. Nothing changes then, and ``Event/ended(_:)`` reports the end.
    @discardableResult
    package mutating func cancel(at now: Instant) -> Bool {
        guard !isOver, farewellUntil == nil else { return false }
        // A device that is being kept replaces the former pairing. It cannot be cancelled, and only
        // the result of the disk ends the wait.
        if case .storing = held { return false }
        giveUp(at: now)
        return true
    }

    /// Reports that the device of ``Event/store(_:)`` could not be made durable. Nothing is paired
    /// here.
    package mutating func notStored(at now: Instant) {
        guard case .storing = held else { return }
        giveUp(at: now)
    }

    private mutating func giveUp(at now: Instant) {
        _ = coordinator.cancel()
        // Where nobody has shown an address yet, nobody waits for it.
        if let traits, isEntering || !traits.isLossy || admission.source != nil {
            put(.normal, to: traits.isLossy ? admission.source : nil)
        }
        end(.cancelled)
    }

    // MARK: Time

    /// Handles ``nextDeadline``. An early call does no harm.
    package mutating func wake(at now: Instant) {
        guard !isOver else { return }
        if let until = farewellUntil, now >= until {
            end(.paired)
            return
        }
        let isAwaited = coordinator.counterpart != nil
        if [heldUntil, idleUntil, isAwaited ? coordinator.deadline : nil]
            .contains(where: { $0.map { now >= $0 } ?? false })
        {
            _ = coordinator.cancel()
            end(.timedOut)
            return
        }
        let event = coordinator.tick(at: now)
        if case .nothing = event {
        } else {
            follow(event, at: now)
            return
        }
        if let cookies, now >= cookies.nextRotation {
            self.cookies?.rotate(to: random.bytes(32), at: now)
        }
        expireExchange(at: now)
        if let due = answerDue, now >= due {
            closeCarrier()
            abandon(at: now)
            return
        }
        if let again = repetition, now >= again.at {
            awaitsCookie = true
            send(again.message, at: now)
        }
    }

    // MARK: Messages received

    /// The meaning of a peer of this version that does not understand this side.
    static func incompatibility(with version: UInt8) -> PairingFailure {
        do throws(PairingFailure) {
            try Introduction.check(version)
        } catch {
            return error
        }
        // The versions agree: it is the same kind of device, or this very one.
        return .wrongCounterpart
    }

    mutating func take(_ message: [UInt8], from source: PathAddress?, at now: Instant) {
        // The next message of a run comes once, and where nothing is lost never again.
        let isNext = message.first != PairingMessage.hello.rawValue && message != lastTaken
        // While a user is asked, only repetitions can come.
        guard held == nil, isNext || work.take(at: now), admits(source, at: now) else {
            return drop()
        }
        codeUntil = coordinator.deadline ?? codeUntil
        let event = coordinator.receive(message, at: now)
        if case .ignored(let failure) = event {
            // No run has begun: its sender keeps nobody else waiting.
            if lastTaken.isEmpty, !isEntering {
                admission.ended()
                if message.first == PairingMessage.answer.rawValue {
                    refuseGuess(to: source ?? Self.anyAddress)
                }
            }
            let isHello = isEntering && message.first == PairingMessage.hello.rawValue
            switch failure {
            case .malformed, .over:
                turnAway(isHello ? .entersAsWell : nil, telling: nil, to: source)
            case .notAuthentic: turnAway(nil, telling: nil, to: source)
            default: turnAway(.refused(failure), telling: .incompatible, to: source)
            }
            return
        }
        if coordinator.hasProof { admission.authenticated() }
        repetition = nil
        // A repeated message gets no more time.
        if isEntering, message != lastTaken { answerDue = now.advanced(by: Self.answerTime) }
        if !isEntering { answerDue = nil }
        lastTaken = message
        follow(event, at: now)
    }
}
