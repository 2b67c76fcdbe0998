/// How this side acts on a session: verdicts, the ticket, the hello of the counterpart.
extension Peer {
    /// Acts on the session, once this side may: verdicts, the ticket, the counterpart's hello.
    mutating func act() {
        guard let made = rooms.tickets.session, let verdict = made.verdict,
            let received = session?.receivedHello
        else { return }
        if verdict.isClone {
            refuseClone(verdict)
            return
        }
        _ = session?.receivedHello.take()
        unconfirmed.confirm()
        let isFirst = counterpartEpoch == nil
        let isSameOpening = counterpartEpoch == received.epoch
        counterpartEpoch = received.epoch
        reachability.activated(at: time.now)
        events.append(.activation(.activated))
        report(verdict, isFirst: isFirst, isSameOpening: isSameOpening)
        let lostState = enterTicket()
        // A responder that took early data goes on with the hello of message 1.
        if session?.listing == nil || made.isInitiator { beginReceiving(received) }
        beginSending(received, isSameOpening: isSameOpening)
        if lostState { rooms.values.announcedAnew() }
        rooms.stateWhatIsOver(atBegin: true)
        session?.catchUp = CatchUp(total: rooms.waitingCount)
    }

    /// The side whose history shows the clone tells the other one, whichever of them called.
    private mutating func refuseClone(_ verdict: Verdict) {
        guard verdict == .counterpartIsClone else {
            // The responder has said so in message 2, and acts at this packet.
            close(.counterpart(.pairAnew), telling: .normal)
            return
        }
        events.append(.counterpartChanged(.cloned))
        close(.cloned, telling: .pairAnew)
    }

    private mutating func report(_ verdict: Verdict, isFirst: Bool, isSameOpening: Bool) {
        if verdict.contains(.counterpartWiped) {
            events.append(.counterpartChanged(.wiped))
        } else if verdict.contains(.counterpartWentBack) {
            events.append(.counterpartChanged(.wentBack))
        } else if isFirst {
            events.append(.counterpartChanged(.first))
        } else if !isSameOpening {
            events.append(.counterpartChanged(.restarted))
        }
        if verdict.selfLostState {
            events.append(.journalWentBack(wiped: verdict.contains(.selfWiped)))
        }
    }

    /// Enters the session's ticket where it is new, with the whole reaction to a counterpart that
    /// lost state.
    private mutating func enterTicket() -> Bool {
        guard let entry = rooms.tickets.enter(), entry.counterpartLostState else { return false }
        // A counterpart that lost state takes no early data.
        returnEarlyData()
        for index in rooms.senders.indices { rooms.senders[index].counterpartLostState() }
        if configuration.mutants.latest.contains(.noReannounce) { return false }
        // The counterpart may know none of the own epochs: all are announced anew.
        let more = rooms.ownEpochs.all.map { epoch in
            let end = rooms.ownEpochs.versionEnd(of: epoch.id)
            return ListedEpoch(id: epoch.id, announcedEnd: end, numbers: [])
        }
        session?.telling.append(more)
        let ids = more.map { $0.id }
        session?.unlisted += ids
        for index in rooms.senders.indices { rooms.senders[index].tell(ids) }
        return true
    }

    /// The counterpart knows the own epochs that the frames listed: their records may leave.
    mutating func ownEpochsAreListed() {
        guard let unlisted = session?.unlisted, !unlisted.isEmpty, session?.telling.isDue == false
        else { return }
        session?.unlisted.removeAll()
        session?.ownListing += unlisted
        let listing = session?.ownListing ?? []
        for index in rooms.senders.indices where rooms.senders[index].traits.isDurable {
            rooms.senders[index].list(listing, gone: rooms.ownEpochs.gone)
        }
        rooms.values.listed(unlisted)
    }

    private mutating func beginSending(_ received: PeerSession.ReceivedHello, isSameOpening: Bool) {
        let hello = received.hello
        for index in rooms.senders.indices {
            let channel = rooms.senders[index].channel
            let taken = hello.taken.filter { $0.channel == channel }.map {
                (epoch: $0.epoch, through: $0.through)
            }
            rooms.senders[index].greet(
                opening: received.epoch, taken: taken, isComplete: hello.takenIsComplete)
        }
        let isKept = rooms.tickets.session?.isKept == true
        let presented = isKept ? rooms.values.unfinished : hello.held ?? .nothing
        let topEnd = presented?.top.flatMap { rooms.ownEpochs.versionEnd(of: $0.epoch) }
        var start = LatestValueSender.SessionStart(
            isLossless: session?.recovery == nil, epochs: session?.ownListing ?? [],
            presented: presented, topEnd: topEnd, isSameOpening: isSameOpening)
        start.coding = session?.coding?.reference(as: hello.coding)
        do throws(WireError) {
            try rooms.values.begin(start)
        } catch {
            close(.violation(error), telling: .violation)
        }
    }
}
