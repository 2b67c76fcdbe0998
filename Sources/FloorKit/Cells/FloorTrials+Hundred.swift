import SimKit
import WatchProto

/// 100 changed records, beside the ideal retransmission scheme for the same packets.
extension FloorTrials {
    static var hundred: Int { 100 }
    static var recordBytes: Int { 200 }

    /// Queues 100 records, as an application that changed them at once.
    func queueHundred(on pair: PeerPair<Security>) -> Set<RecordID> {
        var ids = Set<RecordID>()
        for _ in 0..<Self.hundred {
            let draft = RecordDraft(
                lane: .background, kind: .userInfo,
                payload: Payload.bytes(random.next(), count: Self.recordBytes))
            if let id = try? pair.phone.peer.send(draft, at: pair.now) { ids.insert(id) }
        }
        return ids
    }

    func hundred(on pair: PeerPair<Security>) -> Bool {
        pause(pair)
        let link = pair.phone.link
        let start = pair.now
        let before = tallies(pair)
        let ids = queueHundred(on: pair)
        pair.drain(pair.phone)
        return finish(pair, ids, start, link, before)
    }

    func hundredCold(on pair: PeerPair<Security>) -> Bool {
        pair.disconnect()
        pause(pair)
        let start = pair.now
        let before = tallies(pair)
        let ids = queueHundred(on: pair)
        let seed = random.next()
        pair.connect(seed: seed)
        let link = LinkModel(settings.weather, seed: seed &* 2)
        return finish(pair, ids, start, link, before)
    }

    private func finish(
        _ pair: PeerPair<Security>, _ ids: Set<RecordID>, _ start: Instant, _ link: LinkModel,
        _ before: [PairTally]
    ) -> Bool {
        let end = start.advanced(by: Self.timeLimit)
        var missing = ids
        var delivered = Set<RecordID>()
        var seen = Set<PacketContents.Piece>()
        var sizes: [Int] = []
        func look() {
            for sight in pair.takeSights() {
                switch sight {
                case .sent(0, let bytes, let contents?):
                    let fresh = contents.pieces.filter { seen.insert($0).inserted }
                    if !fresh.isEmpty { sizes.append(bytes) }
                case .delivered(1, let record):
                    if !delivered.insert(record.id).inserted { samples.repeated += 1 }
                case .durable(1, let id): missing.remove(id)
                default: break
                }
            }
        }
        look()
        while !missing.isEmpty, pair.step(until: end) { look() }
        let isOver = missing.isEmpty
        samples.ours.append(isOver ? start.duration(to: pair.now).sample : FloorSamples.never)
        let ideal = Ideal.scheme(sizes: sizes, through: link, at: start)
        samples.ideal.append(ideal?.time.sample ?? FloorSamples.never)
        samples.idealPackets += UInt64(ideal?.packets ?? 0)
        samples.idealBytes += UInt64(ideal?.bytes ?? 0)
        let bytes = sizes.reduce(0, +)
        samples.limit.append(Ideal.limit(bytes: bytes, settings.weather).sample)
        guard isOver else { return false }
        settle(pair)
        count(pair, since: before)
        return true
    }
}
