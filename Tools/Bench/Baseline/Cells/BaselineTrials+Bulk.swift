import Simulation
import WatchProtoCore

/// Complication updates beside a bulk transfer, and the progress of the transfer meanwhile.
extension BaselineTrials {
    /// Keeps two files waiting or leaving.
    private func fillBulk(_ pair: PeerPair) {
        let waiting = pair.phone.outstanding(.bulk)
        guard waiting < 2 else { return }
        // The line is never without a file: between the ends of two it carried the second.
        if let fileEnd {
            samples.filesBeside += 2 - waiting
            samples.fileTime += fileEnd.duration(to: pair.now).sample
        }
        if isFilled { fileEnd = pair.now }
        isFilled = true
        for _ in waiting..<2 { _ = queueFile(on: pair) }
        pair.drain(pair.phone)
    }

    /// One update while a transfer has the line. The first ideal is a datagram on an idle line;
    /// the second one shares a line that is always busy with the largest datagrams, and waits for
    /// the rest of one of them alone.
    func complicationBesideBulk(on pair: PeerPair) -> Bool {
        fillBulk(pair)
        // The one before must be over, or the next would be gathered; then a random moment.
        let last = pair.now.advanced(by: timeLimit)
        while pair.phone.outstanding(.complication) > 0, pair.step(until: last) {
            fillBulk(pair)
        }
        let rest = UInt64(max(10_000_000, (conditions.delay * 2).nanosecondsClamped))
        let end = pair.now.advanced(by: .nanoseconds(Int64(random.uniform(in: rest...2 * rest))))
        while pair.step(until: end) { fillBulk(pair) }
        _ = takeObservations(of: pair)
        let start = pair.now
        let before = tallies(pair)
        let payload = update(pair)
        pair.drain(pair.phone)
        let course = watch(pair, for: payload, from: start)
        let bytes = course.bytes ?? 0
        samples.ours.append(course.shownAfter?.sample ?? BaselineSamples.never)
        let idle = LinkModel(conditions, seed: random.next())
        let ideal = Ideal.datagram(bytes: bytes, through: idle, at: start)
        addIdeal(ideal?.latency)
        let largest = Ideal.serialization(bytes: settings.datagramBytes, conditions)
        let limit = Ideal.limit(bytes: bytes, conditions)
        samples.sharedIdeal.append((largest * random.unitInterval() + limit).sample)
        samples.limit.append(limit.sample)
        samples.idealPackets += 1
        samples.idealBytes += UInt64(bytes)
        count(pair, since: before)
        return course.shownAfter != nil
    }
}
