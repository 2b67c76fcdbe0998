public import WatchProto

/// What users do, what arrives, and what time brings.
extension PairingLink {
    // MARK: Users' acts

    /// Draws a code for the display. With `confirmsAhead` the act stands for the confirmation, too.
    ///
    /// - Throws: `PairingDesk.Refusal`; nothing has changed.
    public mutating func showCode(
        confirmsAhead: Bool = false, at now: Instant
    ) throws(PairingDesk.Refusal) -> PairingCode {
        let code = try desk.showCode(at: now)
        isEntering = false
        idleUntil = nil
        self.confirmsAhead = confirmsAhead
        return code
    }

    /// Takes the code that the user typed. With `confirmsAhead` the act stands for the confirmation
    /// as well.
    ///
    /// - Throws: `PairingDesk.Refusal`; nothing has changed.
    public mutating func enterCode(
        _ code: PairingCode, confirmsAhead: Bool = false, at now: Instant
    ) throws(PairingDesk.Refusal) {
        let hello = try desk.enterCode(code, at: now)
        opening = hello
        isEntering = true
        idleUntil = nil
        self.confirmsAhead = confirmsAhead
        if traits != nil, !mustClose { send(hello, at: now) }
    }

    /// The user wants to pair with the device that ``Event/confirm(_:)`` named.
    ///
    /// - Returns: false where nothing is to be confirmed.
    @discardableResult
    public mutating func confirm(at now: Instant) -> Bool {
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

    /// What ``Event/store(_:)`` gave is durable.
    public mutating func stored(at now: Instant) {
        guard case .storing(let answer) = held else { return }
        forgetHeld()
        guard let answer, let traits else {
            end(.paired)
            return
        }
        put(PairingPacket.packet(answer, on: traits.framing))
        farewellUntil = now.advanced(by: traits.isLossy ? Self.answerTime : Self.farewellTime)
    }

    /// The user gives up.
    ///
    /// - Returns: false where it is too late: both users have confirmed, and the keys are being
    ///   kept or are kept already. Nothing changes then, and ``Event/ended(_:)`` tells the end.
    @discardableResult
    public mutating func cancel(at now: Instant) -> Bool {
        guard !isOver, farewellUntil == nil else { return false }
        // What is being kept takes the place of the former pairing: it is not this side's to take
        // back, and only the disk's word on it ends the waiting.
        if case .storing = held { return false }
        giveUp(at: now)
        return true
    }

    /// What ``Event/store(_:)`` gave could not be made durable: nothing is paired here.
    public mutating func notStored(at now: Instant) {
        guard case .storing = held else { return }
        giveUp(at: now)
    }

    private mutating func giveUp(at now: Instant) {
        _ = desk.cancel()
        if let traits {
            put(NoticePacket(version: Suite.version, code: .normal).packet(on: traits.framing))
        }
        end(.cancelled)
    }

    // MARK: Time

    /// ``nextDeadline`` has come; calling early does no harm.
    public mutating func wake(at now: Instant) {
        guard !isOver else { return }
        if let until = farewellUntil, now >= until {
            end(.paired)
            return
        }
        let isAwaited = desk.counterpart != nil
        if [heldUntil, idleUntil, isAwaited ? desk.deadline : nil]
            .contains(where: { $0.map { now >= $0 } ?? false })
        {
            _ = desk.cancel()
            end(.timedOut)
            return
        }
        let event = desk.tick(at: now)
        if case .nothing = event {
        } else {
            follow(event, at: now)
            return
        }
        if let due = answerDue, now >= due {
            closeCarrier()
            abandon(at: now)
            return
        }
        if let again = repetition, now >= again.at {
            send(again.message, at: now)
        }
    }

    // MARK: What arrives

    mutating func take(_ kind: PacketKind, _ body: Span<UInt8>, at now: Instant) {
        switch kind {
        case .handshake:
            if let message = PairingPacket.message(in: body) {
                take(message, at: now)
            } else {
                // A flight: whoever is there wants a session, and does not pair.
                turnAway(.notPairing, telling: .busy)
            }
        case .notice:
            var reader = WireReader(body)
            guard let notice = try? NoticePacket.read(&reader) else { return }
            switch notice.code {
            case .normal: advise(.gaveUp)
            case .wrongPeer: advise(.notPairing)
            case .incompatible: advise(.refused(Self.incompatibility(with: notice.version)))
            default: break
            }
        case .transport, .early: turnAway(.notPairing, telling: .busy)
        }
    }

    /// What somebody of this version means who does not understand this side.
    private static func incompatibility(with version: UInt8) -> PairingFailure {
        do throws(PairingFailure) {
            try Introduction.check(version)
        } catch {
            return error
        }
        // The versions agree: it is the same kind of device, or this very one.
        return .wrongCounterpart
    }

    private mutating func take(_ message: [UInt8], at now: Instant) {
        // While a user is asked, only repetitions can come.
        guard held == nil else { return }
        codeUntil = desk.deadline ?? codeUntil
        let event = desk.receive(message, at: now)
        if case .ignored(let failure) = event {
            let isHello = isEntering && message.first == PairingMessage.hello.rawValue
            switch failure {
            case .malformed, .over: turnAway(isHello ? .entersAsWell : nil, telling: nil)
            case .notAuthentic: turnAway(nil, telling: nil)
            default: turnAway(.refused(failure), telling: .incompatible)
            }
            return
        }
        repetition = nil
        answerDue = now.advanced(by: Self.answerTime)
        follow(event, at: now)
    }

    /// On a carrier that can lose anybody may have sent it, and the link stays; elsewhere whoever
    /// has the link makes room. That versions differ is answered on both.
    mutating func turnAway(_ advice: Advice?, telling code: CloseCode?) {
        if let advice { advise(advice) }
        guard let traits else { return }
        if let code, !traits.isLossy || code == .incompatible {
            put(NoticePacket(version: Suite.version, code: code).packet(on: traits.framing))
        }
        if !traits.isLossy { closeCarrier() }
    }
}
