/// The handshake of a sealed session: who opens sends a first flight, who is opened to answers.
///
/// Each flight is tried against a copy of what this side opened, and each answer is a session of
/// its own: what came before may have been an old flight that somebody sent again, and must not
/// spoil what is yet to come.
extension Peer {
    /// Sessions answered and not yet confirmed that are kept; one more replaces the oldest.
    static var answerLimit: Int { 4 }

    /// Bytes of the session id in front of the greeting.
    static var sessionIDBytes: Int { 4 }

    /// A first flight that nothing answered is replaced by a fresh one each time it was repeated so
    /// often: the counterpart may have answered it on a link that is gone. In clear the flight goes
    /// on, as if nobody had answered.
    static var repetitionsPerOpening: Int { 4 }

    /// What a sealed flight carries: the sender's session id, which stands in clear as well, and
    /// the greeting.
    func sealedPayload(_ greeting: [UInt8], of session: UInt32) -> [UInt8] {
        var writer = WireWriter()
        writer.fixed(UInt64(session), count: Self.sessionIDBytes)
        writer.append(greeting)
        return writer.bytes
    }

    mutating func receiveSealedFlight(_ packet: HandshakePacket) {
        let isLossy = carrier?.isLossy == true
        let known = answers.first {
            $0.ids.theirs == packet.senderSession && $0.answeredFlight == packet.flight
        }
        if isLossy, let known {
            // The answer was lost.
            queueFlight(known)
            return
        }
        // An opened session on a carrier that cannot lose leaves nobody anything to ask.
        guard isLossy || link.state != .active,
            packet.receiverSession == 0 || packet.receiverSession == attempt?.ids.mine
        else {
            dropOrClose(.unexpected(frame: PacketKind.handshake.rawValue), telling: .violation)
            return
        }
        // What comes now costs work, whoever sent it.
        guard !isLossy || flightBudget.take(at: now) else {
            counters.packetsDropped += 1
            counters.flightsRefused += 1
            return
        }
        var fresh = attempt ?? makeAnswer()
        let payload: [UInt8]
        do throws(HandshakeFailure) {
            payload = try fresh.handshake.read(packet.flight.span)
        } catch {
            giveUp(error)
            return
        }
        if let flight = fresh.handshake.repeatedAnswer {
            answerAgain(with: flight, to: packet.senderSession)
        } else if payload.isEmpty {
            // It came again, and this side waits for the answer to its own.
            callAgain()
        } else {
            take(payload, of: packet, with: fresh)
        }
    }

    /// Goes on after a flight that has authenticated.
    private mutating func take(
        _ payload: [UInt8], of packet: HandshakePacket,
        with read: HandshakeAttempt<Security.Handshake>
    ) {
        guard payload.count > Self.sessionIDBytes else {
            dropOrClose(.notAuthentic)
            return
        }
        guard let greeting = readGreeting(Array(payload[Self.sessionIDBytes...])) else { return }
        var fresh = read
        fresh.greeting = greeting
        fresh.ids.theirs = payload.prefix(Self.sessionIDBytes).reversed().reduce(0) {
            $0 << 8 | UInt32($1)
        }
        // What stands in clear must be what the counterpart wrote.
        let isIntact = fresh.ids.theirs == packet.senderSession
        if !isIntact { dropOrClose(.notAuthentic) }
        guard carrier != nil else { return }
        if !fresh.handshake.isComplete { forgetAnswers(before: fresh) }
        if isIntact, !fresh.handshake.isComplete { meetEarly(fresh) }
        // What came early may have been no record.
        guard carrier != nil else { return }
        if fresh.handshake.isComplete {
            if isIntact { establish(fresh) }
        } else if fresh.handshake.mayWrite {
            // Answered even so, yet not told: the flight itself is used up, and whoever altered the
            // copy must not have spoilt the one that is still to come.
            answer(packet.flight, with: fresh, isTold: isIntact)
        } else if isIntact, carrier?.isLossy == true {
            // Both have opened, and the counterpart is the one to answer.
            callAgain()
        }
    }

    /// A flight whose number is above all before it was written later: the counterpart has left the
    /// sessions that those opened, and what arrives of one was held back. (Those without a number
    /// may be of a later opening, and those that are old of a side restored from a backup.)
    private mutating func forgetAnswers(before fresh: HandshakeAttempt<Security.Handshake>) {
        guard carrier?.isLossy == true, fresh.handshake.verdict == .accepted else { return }
        let stamp = fresh.greeting?.presentID?.stamp ?? 0
        answers.removeAll { answer in
            switch answer.handshake.verdict {
            case .accepted: true
            case .none: answer.greeting?.presentID?.stamp ?? 0 <= stamp
            case .stale: false
            }
        }
    }

    /// Answers a first flight. Nothing shows yet that it is not an old one, so that everything else
    /// stays as it is until a packet of this session authenticates.
    private mutating func answer(
        _ flight: [UInt8], with fresh: HandshakeAttempt<Security.Handshake>, isTold: Bool
    ) {
        guard carrier?.isLossy == true || answers.isEmpty else {
            closeLink(.unexpected(frame: PacketKind.handshake.rawValue), telling: nil)
            return
        }
        var answer = fresh
        answer.ids.mine = drawSessionID()
        let (greeting, floors) = makeGreeting()
        do throws(HandshakeFailure) {
            answer.lastFlight = try answer.handshake.write(
                payload: sealedPayload(greeting, of: answer.ids.mine))
        } catch {
            giveUp(error)
            return
        }
        answer.toldFloors = floors
        answer.toldDigests = heldDigests
        answer.answeredFlight = flight
        answer.sealers = answer.handshake.split()
        // Flights that were recorded and are sent again push each other out first. But not what is
        // old alone: a side restored from a backup numbers its flights so, and has to be answered.
        if answers.count == Self.answerLimit {
            answers.remove(at: answers.firstIndex(where: \.isStale) ?? 0)
        }
        answers.append(answer)
        guard isTold else { return }
        queueFlight(answer)
        // An old flight, sent again, keeps this side from nothing.
        if answer.handshake.verdict == .accepted { holdFlight() }
    }

    /// A first flight came again that was answered before, perhaps on an earlier link: then its
    /// answer opens nothing here, and the counterpart opens afresh.
    private mutating func answerAgain(with flight: [UInt8], to session: UInt32) {
        let known = answers.first { $0.lastFlight == flight && $0.ids.theirs == session }
        guard carrier?.isLossy == true, let known else {
            dropOrClose(.notAuthentic)
            return
        }
        queueFlight(known)
    }

    private mutating func callAgain() {
        guard carrier?.isLossy == true, let attempt else {
            dropOrClose(.unexpected(frame: PacketKind.handshake.rawValue))
            return
        }
        queueFlight(attempt)
    }

    private mutating func giveUp(_ failure: HandshakeFailure) {
        if failure == .noMemory {
            closeLink(.noMemory, telling: nil)
        } else {
            dropOrClose(.notAuthentic)
        }
    }

    // MARK: The first packet

    /// Whether a session was answered whose packets carry this hint; where packets carry none, any.
    func hasAnswered(_ hint: UInt16?) -> Bool {
        answers.contains { hint == nil || $0.ids.myHint == hint }
    }

    /// Opens the first packet of a session that this side answered. Where it authenticates, the
    /// session is the counterpart's, and takes the place of the one before.
    mutating func openAnswered(
        _ packet: inout [UInt8], from start: Int, hint: UInt16?, number: UInt64
    ) -> Bool {
        guard let place = answers.firstIndex(where: { hint == nil || $0.ids.myHint == hint }),
            answers[place].sealers?.receiving.open(&packet, from: start, number: number) == true
        else { return false }
        let ready = answers[place]
        if link.state == .active { replaceSession(by: ready) } else { establish(ready) }
        return true
    }
}
