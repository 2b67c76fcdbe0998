/// The output of a drain: events, deliveries, journal entries, packets, in that order, until all is
/// quiet.
extension Peer {
    /// Carries out everything that is due, in order. Call once after each input.
    package mutating func drain<Environment: PeerEnvironment & ~Copyable>(
        into environment: inout Environment
    ) {
        var isBlocked = false
        repeat {
            collectEvents()
            report(to: &environment)
            deliver(to: &environment)
            persist(to: &environment)
            stepConnection()
            if !isBlocked { isBlocked = !transmit(to: &environment) }
            if let end = closing, isBlocked || output.isEmpty {
                closing = nil
                output.removeAll()
                events.append(.linkClosed(end))
            }
            collectEvents()
        } while !events.isEmpty || hasDeliveries || (rooms.hasEntries && !journal.hasFailed)
        updateLiveness()
    }

    private mutating func report<Environment: PeerEnvironment & ~Copyable>(
        to environment: inout Environment
    ) {
        while !events.isEmpty {
            let taken = events
            events = []
            for event in taken { environment.report(event) }
        }
    }

    /// Turns what happened to records into events.
    mutating func collectEvents() {
        for index in rooms.senders.indices {
            for event in rooms.senders[index].takeEvents() {
                switch event {
                case .reached(let id, let stage): events.append(.progress(id, stage))
                case .departed(let id): events.append(.departed(id))
                case .settled(let id, let outcome):
                    connection.sessionIsOfUse()
                    events.append(.settled(id, outcome))
                case .tailLost(let epoch, let channel, let numbers):
                    events.append(.tailLost(epoch, channel, numbers))
                }
            }
        }
        for event in rooms.values.takeEvents() {
            switch event {
            case .progress(let id, let stage): events.append(.progress(id, stage))
            case .departed(let id): events.append(.departed(id))
            case .settled(let id, let outcome):
                connection.sessionIsOfUse()
                events.append(.settled(id, outcome))
            case .renumbered(let id, let now):
                valueWaits(now)
                events.append(.renumbered(id, as: now))
            case .recovered(let record):
                if let key = record.key {
                    events.append(
                        .recovered(record.id.channel, key, record.kind, payload: record.payload))
                }
            case .conflict(let ours, let theirs):
                events.append(
                    .conflict(
                        theirs.name.channel, theirs.name.key,
                        kept: ConflictingValue(kind: ours.kind, payload: ours.payload),
                        replaced: ConflictingValue(kind: theirs.kind, payload: theirs.payload)))
            }
        }
        if let progress = session?.catchUp.evaluate(waiting: rooms.waitingCount) {
            events.append(progress)
        }
        let oldest = oldestUncommitted()
        let change = alarm.evaluate(oldest, limit: configuration.overdueAge, at: time.now)
        if let change, !journal.hasFailed { events.append(change) }
    }

    // MARK: Deliveries

    private var hasDeliveries: Bool {
        for index in rooms.receivers.indices where rooms.receivers[index].hasDeliveries {
            return true
        }
        return rooms.heldValues.hasDeliveries
    }

    private mutating func deliver<Environment: PeerEnvironment & ~Copyable>(
        to environment: inout Environment
    ) {
        let (clock, now) = (time.wall, time.now)
        for index in rooms.receivers.indices {
            while let record = rooms.receivers[index].nextDelivery(clock: clock, at: now) {
                connection.sessionIsOfUse()
                let disposition = environment.deliver(record)
                rooms.receivers[index].disposed(record, disposition, clock: clock, at: now)
            }
        }
        for record in rooms.heldValues.takeDeliveries() {
            connection.sessionIsOfUse()
            let disposition = environment.deliver(record)
            rooms.heldValues.disposed(record, disposition, clock: clock)
        }
    }

    // MARK: Batches

    private mutating func persist<Environment: PeerEnvironment & ~Copyable>(
        to environment: inout Environment
    ) {
        guard rooms.hasEntries, !journal.hasFailed else { return }
        let receipt = journal.form()
        let entries =
            rooms.formBatch(receipt.rawValue)
            + path.entries(
                configuration.shape == nil ? session?.recovery : nil,
                address: connection.shownAddress)
        environment.persist(entries, receipt: receipt)
    }

    // MARK: Packets

    /// Gives packets to the carrier until there are none, or it takes no more (then false).
    private mutating func transmit<Environment: PeerEnvironment & ~Copyable>(
        to environment: inout Environment
    ) -> Bool {
        while true {
            guard let packet = output.next() else {
                guard closing == nil, connection.carrier != nil else { return true }
                let early = connection.canSeal ? nil : makeEarlyPacket()
                if let early {
                    output.append(early)
                } else if connection.canSeal {
                    makeDuePacket()
                }
                if output.isEmpty { return true }
                continue
            }
            let rest = output.rest
            let taken = environment.transmit(rest.span, to: packet.address)
            precondition((0...rest.count).contains(taken), "the environment took too much")
            counts.bytesSent += UInt64(taken)
            guard output.took(taken) else { return false }
            counts.packetsSent += 1
        }
    }
}
