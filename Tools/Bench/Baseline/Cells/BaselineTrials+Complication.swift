import Simulation
import WatchProtoCore

/// Complication updates, each beside one datagram of the same size that is never lost.
extension BaselineTrials {
    /// The course of one update.
    struct UpdateCourse {
        /// When it was shown; nil for never.
        var shownAfter: Duration?
        /// Bytes of the packet that carried it first.
        var bytes: Int?
        var carriers = 0
    }

    /// Waits until the watch shows `payload`.
    func watch(
        _ pair: PeerPair, for payload: [UInt8], from start: Instant
    ) -> UpdateCourse {
        var course = UpdateCourse()
        let end = start.advanced(by: timeLimit)
        func look() {
            for observation in takeObservations(of: pair) {
                switch observation {
                case .sent(0, let bytes, let contents?) where contents.has(.complication):
                    if course.bytes == nil { course.bytes = bytes }
                    course.carriers += 1
                case .delivered(1, let record) where record.payload == payload:
                    course.shownAfter = course.shownAfter ?? start.duration(to: pair.now)
                default: break
                }
            }
        }
        look()
        while course.shownAfter == nil, pair.step(until: end) { look() }
        return course
    }

    /// Notes the datagram beside an update: it is never lost, so that one which does not arrive is
    /// a mistake in the measuring.
    func addIdeal(_ latency: Duration?) {
        if latency == nil { samples.idealNever += 1 }
        samples.ideal.append(latency?.sample ?? BaselineSamples.never)
    }

    func complication(on pair: PeerPair, pausing: Bool = true) -> Bool {
        if pausing { pause(pair) }
        _ = takeObservations(of: pair)
        let link = pair.phone.link
        let start = pair.now
        let before = tallies(pair)
        let payload = update(pair)
        pair.drain(pair.phone)
        return finish(pair, payload, start, link, before)
    }

    /// The second of two updates: the watch shows it as soon as if it were alone.
    func complicationSecond(on pair: PeerPair) -> Bool {
        pause(pair)
        _ = update(pair)
        pair.drain(pair.phone)
        pair.run(for: .milliseconds(30))
        return complication(on: pair, pausing: false)
    }

    /// The link comes `dialling` after the update.
    func complicationEarly(
        on pair: PeerPair, restarts: Bool = false, dialling: Duration = .zero
    ) -> Bool {
        pair.disconnect()
        pause(pair)
        let before = tallies(pair)
        if restarts { pair.restart(pair.phone) }
        let payload = update(pair)
        if dialling > .zero {
            pair.drain(pair.phone)
            pair.run(for: dialling)
        }
        let start = pair.now
        let seed = random.next()
        pair.connect(seed: seed, called: 1)
        let link = LinkModel(conditions, seed: seed &* 2)
        return finish(pair, payload, start, link, before)
    }

    private func finish(
        _ pair: PeerPair, _ payload: [UInt8], _ start: Instant, _ link: LinkModel,
        _ before: [PairTally]
    ) -> Bool {
        let course = watch(pair, for: payload, from: start)
        samples.ours.append(course.shownAfter?.sample ?? BaselineSamples.never)
        let bytes = course.bytes ?? 0
        var ideal = Ideal.datagram(bytes: bytes, through: link, at: start)
        if ideal?.waited == true {
            // Leftovers of ours do not make the ideal slower.
            samples.busyLines += 1
            let idle = LinkModel(conditions, seed: random.next())
            ideal = Ideal.datagram(bytes: bytes, through: idle, at: start)
        }
        addIdeal(ideal?.latency)
        samples.limit.append(Ideal.limit(bytes: bytes, conditions).sample)
        samples.idealPackets += 1
        samples.idealBytes += UInt64(bytes)
        guard course.shownAfter != nil else { return false }
        settle(pair)
        count(pair, since: before)
        return true
    }
}
