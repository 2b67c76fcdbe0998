/// What the counterpart's greeting shows of its past: whether it goes on from where this side last
/// met it, from before that (restored from a backup, wiped, or its last records lost in a crash),
/// or is another device that was copied from it.
struct Lineage: Sendable {
    /// It knows less of what it sent than this side holds.
    var isRolledBack = false
    /// It speaks of an epoch it had abandoned.
    var isCloned = false
    /// It speaks of an epoch this side has forgotten, if it ever knew it: who was restored from so
    /// old a backup might be given what it had once, and give what came long ago.
    var isOutdated = false
    /// Epochs it went on from before.
    var abandoned: [EpochID] = []
    /// The present opening was judged; not where what lies before it was not listed.
    var judged: EpochID?
    /// The present opening.
    var present: EpochID?
    /// Those before it that had a session.
    var former: [EpochID] = []
}

extension Inbox {
    /// Gives every epoch of a greeting its place among the known ones: an unseen one is newer than
    /// all of them, unless a known one shows that it is not. (Nothing of it may have arrived before
    /// something of a newer one did; or this side has forgotten it.)
    ///
    /// Until something arrives in it, its place among ``epochs`` is all it has: its rank is that of
    /// the newest known one below it. So a counterpart that only lists epochs uses no ranks up.
    mutating func rankEpochs(_ greeting: Greeting) {
        for (index, own) in greeting.ownEpochs.enumerated()
        where !epochs.contains(where: { $0.id == own.id }) {
            var rank = max(epochs.last?.rank ?? 0, lineage.epochs.last?.rank ?? 0)
            var place = epochs.count
            if let former = lineage[own.id] {
                retired.append(own.id)
                rank = former.rank
                place = epochs.firstIndex { $0.rank >= rank } ?? place
            } else if let younger = oldestKnown(after: index, of: greeting) {
                let below = lineage.epochs.last { $0.rank < younger }?.rank ?? 0
                rank = max(below, epochs.last { $0.rank < younger }?.rank ?? 0)
                place = epochs.firstIndex { $0.rank >= younger } ?? place
            }
            epochs.insert(InboundEpoch(id: own.id, rank: rank, parent: own.parent), at: place)
        }
    }

    /// The journal is about to hear of an epoch: it gets a rank of its own, right above the one
    /// below it. Every higher one moves up, here as in the journal's image, so that no two meet.
    mutating func giveRank(_ epoch: Int) {
        guard lineage[epochs[epoch].id] == nil else { return }
        let room = RankRoom(at: epochs[epoch].rank + 1)
        epochs[epoch].rank = room.rank
        for place in (epoch + 1)..<epochs.count { epochs[place].rank += 1 }
        guard let newest = lineage.epochs.last, newest.rank >= room.rank else { return }
        room.make(&lineage.epochs)
        for index in lanes.indices { lanes[index].makeRoom(room) }
    }

    /// The rank of the oldest known epoch that is newer than one of a greeting: one listed after
    /// it, or, of those the counterpart went on from before, one whose parent is it or is listed
    /// after it or is the parent of one listed after it. Or the stamps say so, and the newest one's
    /// does not belie them: if a clock had been set back, it would be below that of the known one,
    /// or say that it is counted.
    private func oldestKnown(after index: Int, of greeting: Greeting) -> UInt64? {
        let newer = greeting.ownEpochs[(index + 1)...]
        let own = greeting.ownEpochs[index].id
        let present = greeting.isCut ? greeting.present?.id : newer.last?.id
        let newest = present.map { $0.wasClockBehind ? 0 : $0.stamp } ?? 0
        return lineage.epochs.first { known in
            if known.id == present || newer.contains(where: { $0.id == known.id }) { return true }
            if own.stamp < known.id.stamp, known.id.stamp < newest,
                !greeting.ownEpochs.contains(where: { $0.id == known.id })
            {
                return true
            }
            guard let parent = known.parent,
                !greeting.ownEpochs.contains(where: { $0.id == known.id })
            else { return false }
            return parent == own || newer.contains { $0.id == parent || $0.parent == parent }
        }?.rank
    }

    /// What shows that records of a listed epoch were passed, besides epochs that are listed: of
    /// each ordered lane the newest epoch that is over, of which the application was given
    /// something, and which lies on the line that leads from the present opening back to the listed
    /// one. (Stamps are no proof: of a side that was wiped while its clock was set back they tell
    /// the wrong order, and a record that was taken for passed would be lost.)
    func passes(_ greeting: Greeting) -> (passed: [[Bool]], by: [EpochID]) {
        var passed = greeting.ownEpochs.map { _ in lanes.map { _ in false } }
        var by: [EpochID] = []
        let line = self.line(of: greeting)
        for lane in Lane.allCases where lane.traits.isDurable && lane.traits.order == .ordered {
            let index = Int(lane.rawValue)
            var passing: EpochID?
            for id in line {
                if let place = greeting.ownEpochs.firstIndex(where: { $0.id == id }) {
                    guard let passing else { continue }
                    passed[place][index] = true
                    if !by.contains(passing) { by.append(passing) }
                } else if passing == nil, let epoch = epochs.first(where: { $0.id == id }),
                    epoch.lanes[index].wasGiven(from: 1)
                {
                    passing = id
                }
            }
        }
        return (passed, by)
    }

    /// The line of the counterpart's epochs from the present one back, as far as it is known. It
    /// descends in rank, or leads nowhere: one walk down the lineage is all that it costs.
    private func line(of greeting: Greeting) -> [EpochID] {
        guard let present = greeting.presentID else { return [] }
        var line = [present]
        var parent = greeting.newestLink.parent
        var below = lineage.epochs.count
        var listed = greeting.ownEpochs
        while let id = parent {
            if let place = listed.firstIndex(where: { $0.id == id }) {
                parent = listed.remove(at: place).parent
            } else if let place = lineage.epochs[..<below].lastIndex(where: { $0.id == id }) {
                parent = lineage.epochs[place].parent
                below = place
            } else {
                break
            }
            line.append(id)
        }
        return line
    }

    /// Judges a greeting by where the line of its epochs, followed back from the newest, meets what
    /// is known here.
    func judge(_ greeting: Greeting) -> Lineage {
        var found = Lineage()
        found.present = greeting.presentID
        found.former = greeting.formerOpenings
        let listed = greeting.ownEpochs.map { $0.id }
        for own in greeting.ownEpochs {
            if known(own.id)?.isAbandoned == true { found.isCloned = true }
            guard !isSeen(own.id) else { continue }
            // The present opening is none of long ago, whatever a clock that is behind says.
            let isOver = own.id != greeting.presentID
            if isOver, lineage.isForgotten(own.id) { found.isOutdated = true }
            if let parent = own.parent, known(parent)?.isAbandoned == true {
                found.isCloned = true
            }
        }
        if let present = greeting.present, !isSeen(present.id), let parent = present.parent,
            known(parent)?.isAbandoned == true
        {
            found.isCloned = true
        }
        guard let newest = greeting.presentID else { return found }
        if metOpenings.isCopied(newest, after: found.former) { found.isCloned = true }
        guard !isSeen(newest) else {
            found.judged = newest
            return found
        }
        var after: UInt64 = 0
        var link = greeting.newestLink
        while let parent = link.parent {
            if let former = known(parent) {
                if holdsMore(of: parent, than: link.highest) { found.isRolledBack = true }
                after = former.rank
                break
            }
            let before = greeting.ownEpochs[..<link.place]
            guard let place = before.firstIndex(where: { $0.id == parent }) else {
                // Between those listed and the present one there may be more.
                if greeting.present == nil { found.judged = newest }
                return found
            }
            // Of an epoch in which nothing ever arrived, nothing can have been lost here.
            guard !isSeen(parent) else {
                found.judged = newest
                return found
            }
            link = greeting.link(at: place)
        }
        found.judged = newest
        for epoch in lineage.epochs
        where epoch.rank > after && !epoch.isAbandoned && !listed.contains(epoch.id) {
            found.abandoned.append(epoch.id)
        }
        if !found.abandoned.isEmpty { found.isRolledBack = true }
        return found
    }

    private func known(_ id: EpochID) -> JournalImage.CounterpartEpoch? { lineage[id] }

    private func isSeen(_ id: EpochID) -> Bool {
        known(id) != nil || judged.contains(id)
    }

    private func holdsMore(of id: EpochID, than highest: [UInt64]) -> Bool {
        guard let epoch = epochs.first(where: { $0.id == id }) else { return false }
        return Lane.allCases.contains { lane in
            let index = Int(lane.rawValue)
            return lane.traits.isDurable
                && (epoch.lanes[index].arrived.last ?? 0) > highest[index]
        }
    }

    /// The counterpart is a copy: whatever it opens next is of the same device, and may name this
    /// opening as one that had a session.
    mutating func noteRefused(_ found: Lineage) {
        guard let present = found.present, !metOpenings.refused.contains(present) else { return }
        metOpenings.refuse(present)
        entries.append(.counterpartRefused(present))
    }

    /// Notes what was judged, once the counterpart has shown that it is the one it says it is.
    mutating func noteJudged(_ found: Lineage) {
        judged.removeAll { id in !epochs.contains { $0.id == id } }
        let newest = found.judged.map { [$0] } ?? []
        if let present = found.present, present != metOpenings.newest {
            metOpenings.meet(present, after: found.former)
            entries.append(.counterpartMet(present, former: found.former))
        }
        judged += (sessionEpochs + newest).filter { !judged.contains($0) }
        for id in found.abandoned {
            lineage.abandon(id)
            entries.append(.counterpartEpochAbandoned(id))
        }
    }
}

extension Greeting {
    /// One step back in the line of the sender's epochs.
    fileprivate struct Link {
        var parent: EpochID?
        var highest: [UInt64]
        /// Only those listed before this place can be the parent.
        var place: Int
    }

    fileprivate var newestLink: Link {
        guard let present else { return link(at: ownEpochs.count - 1) }
        return Link(
            parent: present.parent, highest: present.parentHighest, place: ownEpochs.count)
    }

    fileprivate func link(at place: Int) -> Link {
        let own = ownEpochs[place]
        return Link(parent: own.parent, highest: own.parentHighest, place: place)
    }
}
