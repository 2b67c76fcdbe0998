import Locks
package import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
package import WatchProtoTransport

/// Events of the session. They come under the driver's lock.
extension ComplicationPublisher {
    /// When `wake(at:later:)` is due.
    package var nextDeadline: Instant? { state.withLock { $0.deadline } }

    /// Pushes what is due.
    package func wake(at now: Instant, later: inout DeferredInputs) {
        change(at: now, later: &later) { planner, wall in planner.wake(at: now, wall) }
    }

    /// The other device became reachable, or stopped being so.
    package func reachable(_ isReachable: Bool, at now: Instant, later: inout DeferredInputs) {
        change(at: now, later: &later) { planner, _ in planner.setReachable(isReachable) }
    }

    /// A session opened: the watch has not told about its face in it yet.
    package func opened(at now: Instant, later: inout DeferredInputs) {
        change(at: now, later: &later) { planner, _ in
            planner.setFace(
                isForeground: assumesForeground, activePlaces: planner.activePlaces)
        }
    }

    /// A record left for the other device: an update can ride with it.
    package func departed(
        _ id: RecordID, at now: Instant, later: inout DeferredInputs
    ) {
        guard id.channel.traits.isDurable, id.channel != .complication else { return }
        watchIsAwake(at: now, later: &later)
    }

    /// A record came from the other device, perhaps with the status of its application.
    package func received(
        _ status: AppStatus? = nil, at now: Instant, later: inout DeferredInputs
    ) {
        if let status, role == .phone {
            change(at: now, later: &later, keeps: true) { planner, _ in
                planner.setFace(
                    isForeground: status.isForeground, activePlaces: status.sortedPlaces)
            }
        }
        watchIsAwake(at: now, later: &later)
    }

    private func watchIsAwake(at now: Instant, later: inout DeferredInputs) {
        guard role == .phone else { return }
        let hasWaiting = state.withLock { state in
            // This is called for every record.
            if state.contents.isEmpty { state.planner.watchIsAwake(at: now) }
            return !state.contents.isEmpty
        }
        guard hasWaiting else { return }
        change(at: now, later: &later) { planner, _ in planner.watchIsAwake(at: now) }
    }

    /// Changes the plan, and gives the updates that leave to the driver. The write that keeps the
    /// plan goes with the first of them.
    private func change(
        at now: Instant, later: inout DeferredInputs, keeps: Bool = false,
        _ body: (inout ComplicationPlanner, WallClock) -> Void
    ) {
        let wall = clock.wall
        let (leaving, writes, isPush, demoted) = state.withLock { state in
            let pushes = state.planner.count(.pushed)
            state.changes += 1
            body(&state.planner, wall)
            var leaving: [(tag: UInt64, place: UInt32, payload: [UInt8])] = []
            for place in state.planner.takeReleased() {
                guard let content = state.contents.removeValue(forKey: place) else { continue }
                // Or an equal value would be the former record, which the watch does not show.
                if let former = state.shownThere.removeValue(forKey: place) {
                    leaving.append((Self.unreportedTag, place, former))
                }
                leaving.append((state.nextTag, place, content.payload))
                state.deferred[state.nextTag] = (place, content)
                state.nextTag += 1
            }
            state.deadline = state.planner.nextDeadline(at: now, wall)
            let isPush = state.planner.count(.pushed) > pushes
            let writes =
                keeps || isPush || !leaving.isEmpty
                ? store.keep(state.plan, of: state.watch) : []
            let demoted = state.planner.takeDemoted()
            return (leaving, writes, isPush, demoted)
        }
        for (index, one) in leaving.enumerated() {
            later.send(
                Self.draft(one.place, one.payload, waitsForCommit: isPush), tag: one.tag,
                writes: index == 0 ? writes : [])
        }
        if leaving.isEmpty { for write in writes { later.write(write) } }
        report(demoted, at: now)
    }

    /// The result of an update that was given to the driver; false for a tag of somebody else.
    @discardableResult
    package func deferredSend(
        _ tag: UInt64, _ result: Result<RecordID, SendRefusal>, at now: Instant
    ) -> Bool {
        if tag == Self.unreportedTag { return true }
        guard let (place, content) = state.withLock({ $0.deferred.removeValue(forKey: tag) })
        else { return false }
        switch result {
        case .success(let id): content.accepted(id, now)
        case .failure: state.withLock { $0.putBack(content, place) }
        }
        return true
    }

    /// The tag of a record whose result nobody hears.
    static let unreportedTag = firstTag - 1

    /// The carrier says how many pushes remain today.
    package func report(remaining: Int) {
        let (now, wall) = (clock.now, clock.wall)
        let (link, writes) = state.withLock { state in
            state.planner.report(remaining: remaining, at: now, wall)
            state.deadline = state.planner.nextDeadline(at: now, wall)
            return (state.link, store.keep(state.plan, of: state.watch))
        }
        link?.write(writes)
        report([], at: now)
    }
}

extension AppStatus {
    /// The numbers of the places that the face in use shows; nil for all.
    var sortedPlaces: [UInt32]? { activePlaces.map { $0.map(\.rawValue).sorted() } }
}
