internal import WatchProtoCore

/// The reaction of a pairing link to the events of its coordinator.
extension PairingLink {
    /// Handles a counterpart that is gone. If no guess was made, the run begins anew on the next
    /// link.
    mutating func abandon(at now: Instant) {
        switch held {
        // A device that is being kept can no longer be cancelled.
        case .storing: return
        case .device:
            forgetHeld()
            follow(coordinator.reject(at: now), at: now)
        case .message, nil:
            forgetHeld()
            if coordinator.isCommitted {
                follow(coordinator.abandon(at: now), at: now)
            } else {
                opening = coordinator.restart()
            }
        }
    }

    mutating func follow(_ event: PairingCoordinator.Event, at now: Instant) {
        switch event {
        case .send(let message): answer(message, at: now)
        case .paired(let device, let last):
            opening = nil
            answerDue = nil
            held = .device(device, answer: last)
            // The user of the entering side confirmed before its last message left.
            if isEntering || confirmsAhead {
                confirm(at: now)
            } else {
                ask(device.counterpart, at: now)
            }
        case .failed(let failure, let left, let next):
            tell(.failed(failure, attemptsLeft: left))
            refuseGuess(to: admission.source)
            renew(next, at: now)
        case .tooManyFailures(let failure):
            tell(.failed(failure, attemptsLeft: 0))
            refuseGuess(to: admission.source)
            end(.tooManyFailures(failure))
        case .expired(let next):
            tell(.expired)
            unansweredCodes += next == nil ? 0 : 1
            if unansweredCodes < Self.unansweredCodeLimit {
                renew(next, at: now)
            } else {
                _ = coordinator.cancel()
                end(.timedOut)
            }
        case .cancelled: end(.cancelled)
        case .ignored, .nothing: break
        }
    }

    /// Reports that a guess at the code was wrong, if the end of the carrier does not.
    mutating func refuseGuess(to source: PathAddress?) {
        guard let traits, traits.isLossy, !isEntering, source != nil else { return }
        put(.violation, to: source)
    }

    /// Discards the used code, and closes the link so that the counterpart notices.
    private mutating func renew(_ next: PairingCode?, at now: Instant) {
        opening = nil
        forgetHeld()
        closeCarrier()
        if let next {
            tell(.code(next))
        } else {
            isEntering = false
            idleUntil = now.advanced(by: PairingCoordinator.codeLife)
        }
    }

    private mutating func answer(_ message: [UInt8], at now: Instant) {
        // The entering side's third message proves that it knows the code, and names it. It waits
        // for the user.
        guard isEntering, message.first == PairingMessage.entering.rawValue else {
            send(message, at: now)
            // The entering side's user may take time; so may this side's before the last message.
            if message.first == PairingMessage.displaying.rawValue { answerDue = nil }
            return
        }
        answerDue = nil
        // The counterpart's message came again, late or by somebody's hand: the user is asked once.
        guard message != confirmed else {
            send(message, at: now)
            return
        }
        held = .message(message)
        if confirmsAhead {
            confirm(at: now)
        } else if let counterpart = coordinator.counterpart {
            ask(counterpart, at: now)
        }
    }

    private mutating func ask(_ counterpart: PairingIdentity, at now: Instant) {
        heldUntil = codeUntil ?? now.advanced(by: PairingCoordinator.codeLife)
        tell(.confirm(counterpart))
    }
}
