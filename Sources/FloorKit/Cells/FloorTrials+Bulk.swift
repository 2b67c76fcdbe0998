import SimKit
import WatchProto

/// 2 MB in the bulk lane, and complication updates beside such a transfer.
extension FloorTrials {
    /// Queues a file in the bulk lane.
    func queueBulk(on pair: PeerPair<Security>) -> RecordID? {
        let draft = RecordDraft(
            lane: .bulk, kind: .file,
            payload: Payload.bytes(random.next(), count: FloorCell.bulkBytes))
        return try? pair.phone.peer.send(draft, at: pair.now)
    }

    /// At least as long as any trial, and five times what the line needs.
    private var bulkLimit: Duration {
        max(Self.timeLimit, Ideal.limit(bytes: FloorCell.bulkBytes, settings.weather) * 5)
    }

    func bulk(on pair: PeerPair<Security>) -> Bool {
        pause(pair)
        let link = pair.phone.link
        let start = pair.now
        let before = tallies(pair)
        let id = queueBulk(on: pair)
        pair.drain(pair.phone)
        let end = start.advanced(by: bulkLimit)
        var isOver = false
        var isDelivered = false
        var seen = Set<PacketContents.Piece>()
        var sizes: [Int] = []
        func look() {
            for sight in pair.takeSights() {
                switch sight {
                case .sent(0, let bytes, let contents?):
                    let fresh = contents.pieces.filter { seen.insert($0).inserted }
                    if !fresh.isEmpty { sizes.append(bytes) }
                case .delivered(1, let record) where record.id == id:
                    if isDelivered { samples.repeated += 1 }
                    isDelivered = true
                case .durable(1, let durable) where durable == id: isOver = true
                default: break
                }
            }
        }
        look()
        while !isOver, pair.step(until: end) { look() }
        samples.ours.append(isOver ? start.duration(to: pair.now).sample : FloorSamples.never)
        let ideal = Ideal.scheme(sizes: sizes, through: link, at: start)
        samples.ideal.append(ideal?.time.sample ?? FloorSamples.never)
        samples.idealPackets += UInt64(ideal?.packets ?? 0)
        samples.idealBytes += UInt64(ideal?.bytes ?? 0)
        samples.limit.append(
            Ideal.limit(bytes: sizes.reduce(0, +), settings.weather).sample)
        count(pair, since: before)
        return false
    }

    /// Keeps two files waiting or leaving.
    private func fillBulk(_ pair: PeerPair<Security>) {
        let waiting = pair.phone.peer.outstandingTransfers.count { $0.lane == .bulk }
        guard waiting < 2 else { return }
        for _ in waiting..<2 { _ = queueBulk(on: pair) }
        pair.drain(pair.phone)
    }

    /// One update while a transfer has the line. The first ideal is a datagram on an idle line;
    /// the second one shares a line that is always busy with the largest datagrams, and waits for
    /// the rest of one of them alone.
    func complicationBesideBulk(on pair: PeerPair<Security>) -> Bool {
        fillBulk(pair)
        // The one before must be over, or the next would be gathered; then a random moment.
        let last = pair.now.advanced(by: Self.timeLimit)
        while pair.phone.peer.outstandingTransfers.contains(where: { $0.lane == .complication }),
            pair.step(until: last)
        {
            fillBulk(pair)
        }
        let rest = UInt64(max(10_000_000, (settings.weather.delay * 2).nanosecondsClamped))
        let end = pair.now.advanced(by: .nanoseconds(Int64(random.uniform(in: rest...2 * rest))))
        while pair.step(until: end) { fillBulk(pair) }
        _ = pair.takeSights()
        let start = pair.now
        let before = tallies(pair)
        let payload = update(pair)
        pair.drain(pair.phone)
        let course = watch(pair, for: payload, from: start, limit: Self.timeLimit)
        let bytes = course.bytes ?? 0
        samples.ours.append(course.shownAfter?.sample ?? FloorSamples.never)
        let idle = LinkModel(settings.weather, seed: random.next())
        let ideal = Ideal.datagram(bytes: bytes, through: idle, at: start)
        samples.ideal.append(ideal?.latency.sample ?? FloorSamples.never)
        let largest = Ideal.serialization(bytes: settings.datagramBytes, settings.weather)
        let share = largest * random.unitInterval()
        samples.beside.append(samples.ours[samples.ours.count - 1])
        samples.besideIdeal.append(
            (share + Ideal.limit(bytes: bytes, settings.weather)).sample)
        samples.limit.append(Ideal.limit(bytes: bytes, settings.weather).sample)
        samples.idealPackets += 1
        samples.idealBytes += UInt64(bytes)
        count(pair, since: before)
        return course.shownAfter != nil
    }
}
