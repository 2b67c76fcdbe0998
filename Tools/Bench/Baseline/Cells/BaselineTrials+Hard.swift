import Simulation
import WatchProtoCore
import WatchProtoRecords

/// The hard cases of the QUIC interop runner: files, with records and faces meanwhile, over a link
/// whose queue holds 25 packets. All must arrive, nothing twice, and ordered channels in order.
extension BaselineTrials {
    private var files: Int { cell == .hardBlackout ? 5 : 1 }
    private static var recordsMeanwhile: Int { 50 }

    func hard(on pair: PeerPair) -> Bool {
        pause(pair)
        let links = pair.sides.map(\.link)
        let start = pair.now
        let before = tallies(pair)
        var wanted: Wanted = [[], []]
        for _ in 0..<files { wanted[1].formUnion(queueFile(on: pair)[1]) }
        for _ in 0..<Self.recordsMeanwhile {
            let draft = RecordDraft(
                channel: .background, kind: .userInfo, payload: content.bytes(Self.recordBytes))
            if let id = pair.phone.send(draft, at: pair.now) { wanted[1].insert(id) }
        }
        pair.drain(pair.phone)
        var nextFace = start
        let course = follow(pair, until: wanted, .durable, from: start) {
            guard pair.now >= nextFace else { return }
            nextFace = pair.now.advanced(by: .milliseconds(250))
            _ = update(pair)
            pair.drain(pair.phone)
        }
        add(course, start, links)
        // A second copy of a record may arrive late: wait for it.
        if course.took != nil { settle(pair) }
        count(pair, since: before)
        return false
    }
}
