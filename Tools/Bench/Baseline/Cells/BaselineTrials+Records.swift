import Simulation
import WatchProtoCore

/// Records until all are there, beside the ideal retransmission scheme for the same packets.
extension BaselineTrials {
    /// When a record counts.
    enum Counts { case delivered, durable, committed }

    /// The observations of one trial.
    struct Course {
        /// When all was there; nil for never.
        var took: Duration?
        /// Sizes of the packets that carried something for the first time, by side, without what
        /// they carried again.
        var sizes: [[Int]] = [[], []]
        var isInOrder = true
    }

    /// Queues on a link that is up, warm and idle.
    func warm(
        on pair: PeerPair, counts: Counts = .durable, _ queue: () -> Wanted
    ) -> Bool {
        pause(pair)
        let links = pair.sides.map(\.link)
        let start = pair.now
        let before = tallies(pair)
        let wanted = queue()
        for side in pair.sides { pair.drain(side) }
        return finish(pair, wanted, counts, start, links, before)
    }

    /// Queues while there is no link, which comes up in the same moment: for the watch with the
    /// first packet, unless it has something to say as well and opens it, too.
    func cold(
        on pair: PeerPair, called: Int? = 1, counts: Counts = .durable,
        _ queue: () -> Wanted
    ) -> Bool {
        pair.disconnect()
        pause(pair)
        let before = tallies(pair)
        return connect(pair, queue(), counts, before, called: called)
    }

    /// A record is queued when the link comes up, which is cut before the phone can be told that
    /// it is committed, and comes back in that moment: from there on.
    func committedCut(on pair: PeerPair) -> Bool {
        pair.disconnect()
        pause(pair)
        let before = tallies(pair)
        let wanted = queueRecords(1, on: pair)
        pair.connect(seed: random.next(), called: 1)
        let span = (conditions.delay * 2 + settings.commitTime).nanosecondsClamped
        pair.run(for: .nanoseconds(Int64(random.uniform(in: 0...UInt64(max(1, span) - 1)))))
        pair.disconnect()
        return connect(pair, wanted, .committed, before, called: 1)
    }

    private func connect(
        _ pair: PeerPair, _ wanted: Wanted, _ counts: Counts, _ before: [PairTally],
        called: Int?
    ) -> Bool {
        let start = pair.now
        let seed = random.next()
        pair.connect(seed: seed, called: called)
        let links = (0..<2).map { LinkModel(conditions, seed: seed &* 2 &+ UInt64($0)) }
        return finish(pair, wanted, counts, start, links, before)
    }

    private func finish(
        _ pair: PeerPair, _ wanted: Wanted, _ counts: Counts, _ start: Instant,
        _ links: [LinkModel], _ before: [PairTally]
    ) -> Bool {
        let course = follow(pair, until: wanted, counts, from: start)
        add(course, start, links)
        guard course.took != nil else { return false }
        settle(pair)
        count(pair, since: before)
        return true
    }

    /// Lets time pass until all of `wanted` counts.
    func follow(
        _ pair: PeerPair, until wanted: Wanted, _ counts: Counts, from start: Instant,
        whileWaiting act: () -> Void = {}
    ) -> Course {
        var course = Course()
        let end = start.advanced(by: timeLimit)
        var missing = wanted
        var newest = [RecordNumber?](repeating: nil, count: 2 * Channel.count)
        var sent = [SentPieces(), SentPieces()]
        var durable: Set<RecordID> = []
        func look() {
            for observation in takeObservations(of: pair) {
                switch observation {
                case .sent(let side, let bytes, let contents?):
                    guard let fresh = sent[side].freshBytes(of: contents, in: bytes) else {
                        break
                    }
                    course.sizes[side].append(fresh)
                    samples.carriers.note(bytes)
                case .delivered(let side, let record):
                    let place = side * Channel.count + Int(record.id.channel.rawValue)
                    if record.id.channel.traits.order == .ordered {
                        if let last = newest[place], record.id.number < last {
                            course.isInOrder = false
                        }
                        newest[place] = record.id.number
                    }
                    if counts == .delivered { missing[side].remove(record.id) }
                case .durable(let side, let id):
                    durable.insert(id)
                    if counts == .durable { missing[side].remove(id) }
                case .progress(let side, let id, .committed) where counts == .committed:
                    // Told sooner it is not true.
                    if !durable.contains(id) { course.isInOrder = false }
                    missing[1 - side].remove(id)
                default: break
                }
            }
        }
        look()
        while !missing.allSatisfy(\.isEmpty), pair.step(until: end) {
            look()
            act()
        }
        let isEmpty = wanted.allSatisfy(\.isEmpty)
        if isEmpty { samples.refused += 1 }
        if missing.allSatisfy(\.isEmpty), !isEmpty { course.took = start.duration(to: pair.now) }
        return course
    }

    /// Notes a trial beside its ideal: both directions at once, where both have something to say.
    func add(_ course: Course, _ start: Instant, _ links: [LinkModel]) {
        samples.disordered += course.isInOrder ? 0 : 1
        samples.ours.append(course.took?.sample ?? BaselineSamples.never)
        var (ideal, limit): (UInt64, UInt64) = (0, 0)
        for side in links.indices where !course.sizes[side].isEmpty {
            var scheme = Ideal.scheme(
                sizes: course.sizes[side], through: links[side], at: start)
            if scheme?.waited == true {
                // Leftovers of ours do not make the ideal slower.
                samples.busyLines += 1
                let idle = LinkModel(conditions, seed: random.next())
                scheme = Ideal.scheme(sizes: course.sizes[side], through: idle, at: start)
            }
            if scheme == nil { samples.idealNever += 1 }
            ideal = max(ideal, scheme?.time.sample ?? BaselineSamples.never)
            samples.idealPackets += UInt64(scheme?.packets ?? 0)
            samples.idealBytes += UInt64(scheme?.bytes ?? 0)
            let bytes = course.sizes[side].reduce(0, +)
            limit = max(limit, Ideal.limit(bytes: bytes, conditions).sample)
        }
        samples.ideal.append(ideal)
        samples.limit.append(limit)
    }
}
