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
        var newest: RecordID?
        var others: [(place: UInt32, content: Content)] = []
        var writes: [any StoreWrite] = []
        var demoted: [Bool] = []
        var former: (planner: ComplicationPlanner, contents: [UInt32: Content], changes: Int)
    }

    /// Offers the newest state of a place.
    ///
    /// - Parameters:
    ///   - state: the state.
    ///   - place: the place of the face.
    ///   - isUrgent: whether it is to leave at once while any push is left.
    ///   - writes: changes of the store that become durable with the update, or with the decision
    ///     to keep it back.
    ///   - accepted: called with the record that stands for the update when it is queued: now, or
    ///     when its moment comes.
    /// - Returns: the planner's reason, and the record if there is one now.
    /// - Throws: `SendRefusal`; nothing has changed then.
    @discardableResult
    package func offer(
        _ state: ComplicationState, at place: ComplicationID = .main, isUrgent: Bool,
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
            let newest = link.newestValue(.complication, of: place.recordKey)
            let slotsLeft = max(0, Int(state.total) - Int(state.taken))
            let departure = decide(
                content, place.rawValue, isUrgent: isUrgent, slotsLeft: slotsLeft, newest)
            do throws(SendRefusal) {
                let id = try carryOut(departure, content, place.rawValue, link, writes)
                return (departure.reason, id)
            } catch {
                takeBack(departure)
                throw error
            }
        }
    }

    private func decide(
        _ content: Content, _ place: UInt32, isUrgent: Bool, slotsLeft: Int,
        _ newest: OutboundRecord?
    ) -> Departure {
        let (now, wall) = (clock.now, clock.wall)
        let departure = state.withLock { state in
            let former = (state.planner, state.contents, state.changes)
            var offer = ComplicationOffer(place: place, isUrgent: isUrgent, slotsLeft: slotsLeft)
            if let waiting = state.contents[place] {
                if waiting.payload == content.payload { offer.equality = .waiting }
            }
            if newest?.kind == .complication, newest?.payload == content.payload {
                offer.equality = .newest
            }
            let reason = state.planner.offer(offer, at: now, wall)
            var departure = Departure(reason: reason, newest: newest?.id, former: former)
            if reason.keepsBack { state.contents[place] = content }
            departure.others = state.planner.takeReleased().compactMap { place in
                state.contents.removeValue(forKey: place).map { (place, $0) }
            }
            departure.demoted = state.planner.takeDemoted()
            state.dropContents()
            if reason == .pushed || reason.keepsBack || former.1.count != state.contents.count {
                departure.writes = store.keep(state.plan, of: state.watch)
            }
            state.deadline = state.planner.nextDeadline(at: now, wall)
            return departure
        }
        report(state.withLock { $0.planner.left }, departure.demoted, at: now)
        return departure
    }

    private func carryOut(
        _ departure: Departure, _ content: Content, _ place: UInt32,
        _ link: any ComplicationLink, _ writes: [any StoreWrite]
    ) throws(SendRefusal) -> RecordID? {
        let all = writes + departure.writes
        let isPush = departure.reason == .pushed
        switch departure.reason {
        case .pushed, .foreground, .riding, .unreachable:
            let id = try link.transfer(
                Self.draft(place, content.payload, waitsForCommit: isPush), writes: all,
                accepted: content.accepted)
            for (other, content) in departure.others {
                _ = try? link.transfer(
                    Self.draft(other, content.payload, waitsForCommit: isPush), writes: [],
                    accepted: content.accepted)
            }
            return id
        case .equal where departure.newest != nil:
            if !all.isEmpty { link.write(all) }
            if let newest = departure.newest { content.accepted(newest, clock.now) }
            return departure.newest
        default:
            // Without writes too: the driver sets its timer.
            link.write(all)
            return nil
        }
    }

    /// The session refused the update. A former plan may hold a change of the session, too.
    private func takeBack(_ departure: Departure) {
        state.withLock { state in
            guard state.changes == departure.former.changes else { return }
            state.planner = departure.former.planner
            state.contents = departure.former.contents
            // A store in memory has kept the other plan.
            _ = store.keep(state.plan, of: state.watch)
        }
    }
}

extension ComplicationReason {
    /// Whether the update stays with the publisher.
    var keepsBack: Bool { [.waiting, .demoted, .inactive].contains(self) }
}
