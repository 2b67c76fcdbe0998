/// The session: its beginning, the moment at which this side acts on it, and its end.
extension Peer {
    /// A handshake message with this hello is on its way: records may leave.
    mutating func beginSession(_ hello: Hello, _ left: [ListedEpoch]) {
        // Frames list the epochs that did not fit the hello: until then nothing of them leaves.
        let listing = [presentEpoch] + hello.earlier.map { $0.id }
        var begun = PeerSession(ownListing: listing, telling: EpochTelling(hello, left: left))
        begun.unlisted = left.map { $0.id }
        begun.coding = hello.coding
        if let carrier = connection.carrier {
            if carrier.isLossy {
                var estimate = path.estimate
                estimate.beginLink()
                begun.recovery = LossRecovery(
                    limits: configuration.limits, initialTimeout: firstTimeout,
                    sendInterval: max(
                        carrier.sendInterval, configuration.shape?.interval ?? .zero),
                    path: estimate)
            } else {
                begun.bulk = StreamPacer(bytesPerSecond: path.streamBytesPerSecond)
            }
        }
        session = begun
        gathering.release()
        unconfirmed.beginSession()
        if configuration.mutants.latest.contains(.forgetAnnounced) {
            rooms.ownEpochs.receiveKnown(listing)
        }
        for index in rooms.senders.indices {
            rooms.senders[index].begin(
                listing: listing, further: begun.unlisted, gone: rooms.ownEpochs.gone)
        }
    }

    /// The time-out before this session has measured anything.
    var firstTimeout: Duration {
        guard let trip = path.estimate.lastRoundTrip else { return configuration.initialTimeout }
        return max(trip + trip / 2, .milliseconds(20))
    }

    /// Takes early data behind a message 1 with this hello.
    mutating func takeEarly(behind received: PeerSession.ReceivedHello, counter: UInt64) {
        session?.beginEarly(counter: counter)
        beginReceiving(received)
    }

    /// The counterpart's records may be taken: frames index its epochs as this hello lists them.
    mutating func beginReceiving(_ received: PeerSession.ReceivedHello) {
        let hello = received.hello
        let isFirst = session?.listing == nil
        session?.list(hello)
        let mayHaveForgotten = rooms.mayHaveForgotten(hello.tickets)
        session?.forgottenBefore = mayHaveForgotten ? received.epoch : nil
        let present =
            hello.present ?? ListedEpoch(id: received.epoch, announcedEnd: nil, numbers: [])
        let epochs = [present] + hello.earlier
        for index in rooms.receivers.indices {
            let channel = rooms.receivers[index].channel
            rooms.receivers[index].begin(epochs.map { sessionEpoch($0, channel) })
        }
        var start = LatestValueReceiver.SessionStart(
            epochs: epochs.map { $0.id }, announced: announced(epochs), newestConfirmed: nil,
            cleanAfter: cleanAfter)
        start.coding = hello.coding?.reference(as: session?.coding)
        if let newest = hello.newestConfirmed {
            start.newestConfirmed = LatestValueReceiver.AnnouncedEpoch(
                id: newest.id, reservationEnd: newest.end)
        }
        if isFirst {
            rooms.heldValues.begin(start, known: &rooms.counterpartEpochs, clock: time.wall)
        } else {
            rooms.heldValues.goOn(start, known: &rooms.counterpartEpochs, clock: time.wall)
        }
        noteUnlisted()
    }

    private func announced(_ epochs: [ListedEpoch]) -> [LatestValueReceiver.AnnouncedEpoch] {
        epochs.compactMap { epoch in
            epoch.announcedEnd.map {
                LatestValueReceiver.AnnouncedEpoch(id: epoch.id, reservationEnd: $0)
            }
        }
    }

    /// The batch with which all that was taken so far is durable; nil when it is.
    private var cleanAfter: UInt64? {
        if rooms.heldValues.hasEntries { return .max }
        return journal.isBusy ? journal.formed : nil
    }

    private func sessionEpoch(
        _ epoch: ListedEpoch, _ channel: Channel
    ) -> OrderedReceiver.SessionEpoch {
        let numbers = epoch.numbers.first { $0.channel == channel }
        let present = session?.forgottenBefore
        return OrderedReceiver.SessionEpoch(
            id: epoch.id, last: numbers?.last ?? 0, watermark: numbers?.watermark ?? 0,
            isClosed: rooms.counterpartEpochs.isClosed(epoch.id),
            answersUnknown: present.map { $0 != epoch.id && !rooms.hasMet(epoch.id) } ?? false)
    }

    /// The counterpart's list goes on.
    mutating func receive(_ frame: EpochsFrame) {
        guard let more = session?.listing?.receive(frame), !more.isEmpty else { return }
        for index in rooms.receivers.indices {
            let channel = rooms.receivers[index].channel
            rooms.receivers[index].list(more.map { sessionEpoch($0, channel) })
        }
        rooms.heldValues.listed(
            more.map { $0.id }, announced: announced(more).map { $0.id },
            known: &rooms.counterpartEpochs, clock: time.wall)
        noteUnlisted()
    }

    /// Once the whole list has come, epochs that are open here and not in it are stated as held.
    private mutating func noteUnlisted() {
        guard session?.listing?.isComplete == true else { return }
        for receiver in rooms.receivers {
            for id in receiver.unlistedEpochs where session?.heldDue.contains(id) == false {
                session?.heldDue.append(id)
            }
        }
    }
    // MARK: The end

    /// Ends the session from this side; the counterpart hears why where there is a session.
    mutating func close(_ end: ConnectionEnd, telling code: CloseCode?) {
        if let code { sealClose(code) }
        connection.close(end, at: time.now)
    }

    /// Changes that wait for others leave before the session ends.
    mutating func sendGathered() {
        guard gathering.isWaiting, connection.phase == .established, !output.isBlocked,
            !journal.hasFailed, configuration.shape == nil
        else { return }
        gathering.release()
        while isAnyGatheredWaiting, makePacket() != nil {}
    }

    /// A packet that ends the session, before any other. The answer that is owed goes with it: a
    /// responder acts on nothing before it has that.
    mutating func sealClose(_ code: CloseCode) {
        guard connection.phase == .established else { return }
        var writer = WireWriter()
        session?.ticketAnswer?.write(to: &writer)
        CloseFrame(code: code).write(to: &writer)
        sealPacket(writer.bytes, [], isBulk: false)
    }

    /// Forgets the session. Unsettled records wait for the next one.
    mutating func sessionEnded(keepingTickets: Bool = false) {
        guard let former = session else { return }
        session = nil
        unconfirmed.endSession(wasHeard: former.receivedHello != nil || former.listing != nil)
        // A constant shape says nothing of the path.
        if let recovery = former.recovery, configuration.shape == nil {
            path.estimate = recovery.path
            path.estimate.endSession(roundTrip: recovery.roundTrip.smoothed)
        }
        if configuration.shape == nil {
            path.streamBytesPerSecond = former.bulk?.bytesPerSecond ?? path.streamBytesPerSecond
        }
        for case .some in former.earlySent { counts.earlyPacketsReturned += 1 }
        if !keepingTickets {
            rooms.tickets.endSession()
            rooms.tickets.abandonOpening()
        }
        for index in rooms.senders.indices { rooms.senders[index].end() }
        for index in rooms.receivers.indices { rooms.receivers[index].end() }
        rooms.values.endSession(isToldAll: rooms.ownEpochs.all.allSatisfy { $0.isConfirmed })
        rooms.heldValues.endSession()
        rooms.counterpartEpochs.sessionEnded()
        rooms.ownEpochs.over.removeAll()
        if reachability.state != .unreachable {
            events.append(.activation(.inactive))
            report(reachability.down(.linkDown, at: time.now))
        }
    }

    mutating func report(_ change: ReachabilityChange?) {
        guard let change else { return }
        events.append(.reachability(change.isReachable, change.evidence))
    }
}
