import Locks
package import WatchProtoCore
import WatchProtoJournal
package import WatchProtoRecords
package import WatchProtoTransport

/// Offers of the application.
extension ComplicationPublisher {
    /// The records of one offer, and the writes that go with them.
    private struct Departure {
        var reason: ComplicationReason
        /// The newest record, if the update equals it.
        var equal: RecordID?
        /// An update before the new one, so that this is no equal of the newest record.
        var before: [UInt8]?
        var others: [(place: UInt32, content: Content)] = []
        var writes: [any StoreWrite] = []
        var demoted: [Bool] = []
        var former: State
    }

    /// Offers the newest state of a place.
    ///
    /// - Parameters:
    ///   - state: the state.
    ///   - offer: its place, its cause and the size of its change; the rest is found here.
    ///   - writes: changes of the store that become durable with the update, or with the decision
    ///     to keep it back.
    ///   - accepted: called with the record that stands for the update when it is queued: now, or
    ///     when its moment comes.
    /// - Returns: the planner's reason, and the record if there is one now.
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    package func offer(
        _ state: ComplicationState, _ offer: ComplicationOffer,
        writes: [any StoreWrite] = [],
        accepted: @escaping @Sendable (RecordID, Instant) -> Void = { _, _ in }
    ) throws(SendRefusal) -> (reason: ComplicationReason, id: RecordID?) {
        // A state whose texts fit the budget always encodes; one that does not is our caller's.
        guard let payload = try? state.encoded() else {
            throw .tooLarge(bytes: state.encodedSize, limit: ComplicationState.byteBudget)
        }
        return try offers.withLock { _ throws(SendRefusal) in
            guard let link = self.state.withLock({ $0.link }) else { throw .notReachable }
            let content = Content(payload: payload, accepted: accepted)
            let place = ComplicationID(rawValue: offer.place)
            let newest = link.newestValue(.complication, of: place.recordKey)
            var offer = offer
            offer.slotsLeft = max(0, Int(state.total) - Int(state.taken))
            if let newest, case .underWay = link.status(of: newest.id) { offer.isUnderWay = true }
            let departure = decide(content, offer, newest)
            do throws(SendRefusal) {
                let id = try carryOut(departure, content, offer.place, link, writes)
                report(departure.demoted, at: clock.now)
                return (departure.reason, id)
            } catch {
                takeBack(departure)
                throw error
            }
        }
    }

    private func decide(
        _ content: Content, _ offer: ComplicationOffer, _ newest: OutboundRecord?
    ) -> Departure {
        let (now, wall, place) = (clock.now, clock.wall, offer.place)
        return state.withLock { state in
            let former = state
            var offer = offer
            if let waiting = state.contents[place] {
                if waiting.payload == content.payload { offer.equality = .waiting }
            }
            let equalsNewest =
                newest?.kind == .complication && newest?.payload == content.payload
            if equalsNewest, state.shownThere[place] == nil { offer.equality = .newest }
            let reason = state.planner.offer(offer, at: now, wall)
            // The equal one may wait instead: it has no record yet.
            let equal = offer.equality == .newest ? newest?.id : nil
            var departure = Departure(reason: reason, equal: equal, former: former)
            if reason.keepsBack { state.contents[place] = content }
            let isShownThere = reason == .shownByTimeline || reason == .ownEvent
            if isShownThere { state.shownThere[place] = content.payload }
            if reason.leaves, let former = state.shownThere.removeValue(forKey: place) {
                departure.before = equalsNewest ? former : nil
            }
            departure.others = state.planner.takeReleased().compactMap { place in
                state.contents.removeValue(forKey: place).map { (place, $0) }
            }
            departure.demoted = state.planner.takeDemoted()
            state.dropContents()
            let isChanged =
                former.contents.count != state.contents.count
                || former.shownThere.count != state.shownThere.count
            if reason == .pushed || reason.keepsBack || isShownThere || isChanged {
                departure.writes = store.keep(state.plan, of: state.watch)
            }
            state.deadline = state.planner.nextDeadline(at: now, wall)
            return departure
        }
    }

    private func carryOut(
        _ departure: Departure, _ content: Content, _ place: UInt32,
        _ link: any ComplicationLink, _ writes: [any StoreWrite]
    ) throws(SendRefusal) -> RecordID? {
        let all = writes + departure.writes
        let isPush = departure.reason == .pushed
        switch departure.reason {
        case let reason where reason.leaves:
            if let before = departure.before {
                // The count of a push is durable before its first packet.
                let draft = Self.draft(place, before, waitsForCommit: isPush)
                _ = try link.transfer(draft, writes: departure.writes, accepted: { _, _ in })
            }
            let id = try link.transfer(
                Self.draft(place, content.payload, waitsForCommit: isPush),
                writes: departure.before == nil ? all : writes, accepted: content.accepted)
            for (other, content) in departure.others {
                do throws(SendRefusal) {
                    _ = try link.transfer(
                        Self.draft(other, content.payload, waitsForCommit: isPush), writes: [],
                        accepted: content.accepted)
                } catch {
                    state.withLock { $0.putBack(content, other) }
                }
            }
            return id
        case .equal where departure.equal != nil:
            if !all.isEmpty { link.write(all) }
            if let equal = departure.equal { content.accepted(equal, clock.now) }
            return departure.equal
        default:
            // Without writes too: the driver sets its timer.
            link.write(all)
            return nil
        }
    }

    /// The session refused the update. A former plan may hold a change of the session, too.
    private func takeBack(_ departure: Departure) {
        state.withLock { state in
            guard state.changes == departure.former.changes else {
                for (place, content) in departure.others { state.putBack(content, place) }
                return
            }
            state.planner = departure.former.planner
            state.contents = departure.former.contents
            state.shownThere = departure.former.shownThere
            // A store in memory has kept the other plan.
            _ = store.keep(state.plan, of: state.watch)
        }
    }
}

extension ComplicationReason {
    /// Whether the update leaves now.
    var leaves: Bool { [.pushed, .foreground, .riding, .unreachable].contains(self) }

    /// Whether the update stays with the publisher.
    var keepsBack: Bool { [.waiting, .demoted, .inactive].contains(self) }
}
