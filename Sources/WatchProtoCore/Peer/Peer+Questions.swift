/// Questions that the application and the environment ask at any time. They change nothing.
extension Peer {
    // MARK: Records

    /// The known status of a record that this side sent; never a guess.
    package func status(of id: RecordID) -> RecordStatus {
        id.channel.traits.order == .latestValue
            ? rooms.values.status(of: id)
            : rooms.senders[Rooms.place(of: id.channel)].status(of: id)
    }

    /// Why one of these drafts would be refused if all were sent in their order; nil if none would.
    package mutating func refusal(of drafts: [RecordDraft], at now: Instant) -> SendRefusal? {
        advance(to: now)
        guard !journal.hasFailed else { return .journalFailed }
        // A single draft is refused without a trace anyway.
        guard drafts.count > 1 else { return nil }
        var copy = rooms
        var accepted = 0
        do throws(SendRefusal) {
            for draft in drafts {
                _ = try copy.accept(draft, conditions(of: draft))
                accepted += 1
            }
        } catch {
            guard case .queueFull(let records) = error else { return error }
            // Those of the drafts are in the copy alone.
            return .queueFull(records: max(0, records - accepted))
        }
        return nil
    }

    /// The conditions on which a draft is accepted.
    func conditions(of draft: RecordDraft) -> Rooms.Conditions {
        // The asker waits for the reply in this session, also while that is new or silent.
        let mayReply = draft.inReplyTo != nil && reachability.state != .unreachable
        return Rooms.Conditions(
            byteLimit: configuration.kinds[draft.kind]?.byteLimit ?? .max,
            isReachable: isReachable || mayReply, time: time)
    }

    /// The record under way, in any ordered channel, that stands for `draft`, because both have one
    /// idempotency key.
    package func recordUnderWay(for draft: RecordDraft) -> RecordID? {
        guard draft.idempotencyKey != nil else { return nil }
        for place in rooms.senders.indices {
            if let id = rooms.senders[place].underWay(draft) { return id }
        }
        return nil
    }

    /// The records of a kind that are under way in the ordered channels.
    package func recordsUnderWay(_ kind: ContentKind) -> [OutboundRecord] {
        var found: [OutboundRecord] = []
        for sender in rooms.senders { found += sender.underWay(kind) }
        return found
    }

    /// The newest value of a key of this side, settled or not; nil where it has none.
    package func newestValue(_ channel: Channel, _ key: RecordKey) -> OutboundRecord? {
        rooms.values.newest(ValueName(channel: channel, key: key))
    }

    /// Records accepted and not durably settled, channel by channel, oldest first. A block of a
    /// file is no transfer of the application.
    package var outstandingTransfers: [RecordID] {
        var ids: [RecordID] = []
        for channel in Channel.allCases where channel != .block {
            if channel.traits.order == .latestValue {
                ids += rooms.values.outstanding(channel)
            } else {
                ids += rooms.senders[Rooms.place(of: channel)].outstanding
            }
        }
        return ids
    }

    /// Whether a durable record of this side is not committed at the counterpart.
    package var hasUncommitted: Bool {
        for channel in Channel.allCases where channel.traits.isDurable {
            let ids =
                channel.traits.order == .latestValue
                ? rooms.values.outstanding(channel)
                : rooms.senders[Rooms.place(of: channel)].outstanding
            for id in ids {
                if case .underWay(let stage) = status(of: id), stage < .committed { return true }
            }
        }
        return false
    }

    /// Whether the application was given a record and has not decided on it.
    package var hasPending: Bool {
        for receiver in rooms.receivers where receiver.hasPending { return true }
        return rooms.heldValues.hasPending
    }

    /// The value of a key that the application has applied, of the counterpart's; nil without one.
    package func heldValue(_ channel: Channel, _ key: RecordKey) -> InboundRecord? {
        rooms.heldValues.held(ValueName(channel: channel, key: key))
    }

    /// Records of ordered channels that are accepted and not settled.
    package var unsettledCount: Int { rooms.senders.reduce(0) { $0 + $1.unsettledCount } }

    /// Whether a record of the counterpart was given to the application, which has not decided on
    /// it: ``decide(_:_:at:)`` does.
    package func isPending(_ id: RecordID) -> Bool {
        id.channel.traits.order == .latestValue
            ? rooms.heldValues.isPending(id)
            : rooms.receivers[Rooms.place(of: id.channel)].isPending(id)
    }

    /// Whether this side's values are being compared with those that the counterpart holds, because
    /// one of the two lost state.
    package var isComparing: Bool { rooms.values.isComparing }

    /// Whether a packet that needs an acknowledgement has none yet.
    package var awaitsAcknowledgement: Bool { session?.recovery?.inFlight.isEmpty == false }

    // MARK: The session

    /// Whether the counterpart can answer now.
    package var isReachable: Bool { reachability.isReachable }

    /// The evidence of that, with the newest proofs; nil before the first change.
    package var reachabilityEvidence: ReachabilityEvidence? { reachability.evidence }

    /// The activation state of the session.
    package var activationState: ActivationState {
        switch connection.phase {
        case .established: .activated
        case .down: .notActivated
        default: .inactive
        }
    }

    /// The epoch of this opening.
    package var presentEpoch: EpochID { rooms.ownEpochs.presentEpoch }

    /// The smoothed round-trip time of this session; nil before the first sample.
    package var roundTripTime: Duration? { session?.smoothedRoundTrip }

    /// The quality of the link as it was measured last; nil before anything was.
    package var linkQuality: LinkQuality? { quality.quality }

    // MARK: Counts

    /// Counts of this peer's actions and drops since it was opened.
    package var counters: PeerCounters {
        var all = counts
        all.packetsDropped += connection.counters.packetsDropped
        all.packetsRepeated += connection.counters.packetsRepeated
        all.deltasSent = rooms.values.deltasSent
        all.valuesEqual = rooms.values.equalSkipped
        all.valuesReplaced = rooms.values.replacedUnsent
        for index in rooms.receivers.indices {
            all.recordsRepeated += rooms.receivers[index].repetitions
        }
        return all
    }

    /// Counts of the packets that the connection dropped, repeated and refused.
    package var connectionCounters: ConnectionCounters { connection.counters }
}
