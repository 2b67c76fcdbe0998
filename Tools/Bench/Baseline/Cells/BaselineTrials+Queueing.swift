import WatchProtoCore
import WatchProtoRecords

/// The requests of the applications to their peers. Each gives, by the side that is to have them,
/// the records to wait for; the caller drains.
extension BaselineTrials {
    typealias Wanted = [Set<RecordID>]

    static var face: RecordKey { RecordKey(rawValue: 0xFACE) }
    static var recordBytes: Int { 200 }

    /// Queues an update of the face, and says what it is to show.
    func update(_ pair: PeerPair) -> [UInt8] {
        let payload = content.face()
        pair.phone.updateComplication(Self.face, payload, at: pair.now)
        return payload
    }

    private func send(_ draft: RecordDraft, from side: PairSide, at now: Instant)
        -> RecordID?
    {
        side.send(draft, at: now)
    }

    /// Records of 200 bytes that an application changed at once.
    func queueRecords(_ count: Int, on pair: PeerPair) -> Wanted {
        var ids = Set<RecordID>()
        for _ in 0..<count {
            let draft = RecordDraft(
                channel: .background, kind: .userInfo, payload: content.bytes(Self.recordBytes))
            if let id = send(draft, from: pair.phone, at: pair.now) { ids.insert(id) }
        }
        return [[], ids]
    }

    /// A file in the bulk channel.
    func queueFile(on pair: PeerPair) -> Wanted {
        let draft = RecordDraft(
            channel: .bulk, kind: .userInfo, payload: content.bytes(BaselineCell.bulkBytes))
        return [[], Set([send(draft, from: pair.phone, at: pair.now)].compactMap { $0 })]
    }

    /// Medications that the watch has nothing of.
    func queueList(on pair: PeerPair) -> Wanted {
        queue(content.list(50), on: pair)
    }

    /// Medications of which doses will be taken.
    func queueChangeable(on pair: PeerPair) -> Wanted {
        queue(content.list(100, isChangeable: true), on: pair)
    }

    /// Doses of `count` medications were taken.
    func queueChanges(_ count: Int, on pair: PeerPair) -> Wanted {
        queue((0..<count).map { _ in content.change() }, on: pair)
    }

    private func queue(
        _ values: [(RecordKey, [UInt8])], on pair: PeerPair
    ) -> Wanted {
        var ids = Set<RecordID>()
        for (key, payload) in values {
            let draft = RecordDraft(
                channel: .context, kind: .medication, key: key, payload: payload)
            if let id = send(draft, from: pair.phone, at: pair.now) { ids.insert(id) }
        }
        return [[], ids]
    }

    /// A message for right now.
    func queueMessage(on pair: PeerPair) -> Wanted {
        let draft = RecordDraft(
            channel: .interactive, kind: .message, payload: content.bytes(100))
        return [[], Set([send(draft, from: pair.phone, at: pair.now)].compactMap { $0 })]
    }

    /// Changed medications on the phone, and as many doses noted on the watch.
    func queueBothWays(_ count: Int, on pair: PeerPair) -> Wanted {
        var wanted = queueChanges(count, on: pair)
        for _ in 0..<count {
            let draft = RecordDraft(
                channel: .background, kind: .doseEvent, payload: content.bytes(32))
            if let id = send(draft, from: pair.watch, at: pair.now) { wanted[0].insert(id) }
        }
        return wanted
    }
}
