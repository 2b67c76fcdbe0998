import Testing

@testable import WatchProtoCore

@Suite("Questions to a peer")
struct PeerQuestionTests {
    private static let face = RecordKey(rawValue: 5)

    @Test("Outstanding transfers are listed by channel, oldest first, until they settle durably")
    func outstanding() throws {
        let pair = PeerPair()
        let bulk = try pair.send(pair.phone, [1], .bulk)
        let first = try pair.send(pair.phone, [2])
        let second = try pair.send(pair.phone, [3])
        let value = try pair.write(pair.phone, 4, [4])
        let shown = try pair.write(pair.phone, 5, [5], .complication)
        let all = [shown, first, second, value, bulk]
        #expect(pair.phone.peer?.outstandingTransfers == all)
        // A value that gives way stands there until the journal holds its successor.
        let newer = try pair.write(pair.phone, 4, [6])
        #expect(
            pair.phone.peer?.outstandingTransfers == [shown, first, second, value, newer, bulk])
        pair.run(for: .milliseconds(20))
        #expect(pair.phone.settled(value) == .superseded)
        #expect(pair.phone.peer?.outstandingTransfers == [shown, first, second, newer, bulk])
        pair.activate()
        let isDone = pair.run {
            // Every record that is not reported as over is outstanding, and no other.
            let over = [shown, first, second, newer, bulk].filter {
                pair.phone.settled($0) != nil
            }
            let open = pair.phone.peer?.outstandingTransfers ?? []
            #expect(over.allSatisfy { !open.contains($0) } && over.count + open.count == 5)
            return over.count == 5
        }
        #expect(isDone)
        let unsettled = pair.phone.peer?.unsettledCount
        #expect(unsettled == 0)
    }

    @Test(
        "A durable record that waits too long raises the alarm, once in each process",
        arguments: [Channel.background, .context, .complication])
    func overdue(_ channel: Channel) throws {
        var conditions = PeerPair.Conditions()
        conditions.overdueAge = .seconds(2)
        let pair = PeerPair(conditions)
        pair.isLinkPossible = false
        pair.activate()
        let key = channel == .background ? nil : RecordKey(rawValue: 9)
        func alarms() -> [RecordID] {
            pair.phone.events.compactMap { event in
                guard case .overdue(let id, let age) = event else { return nil }
                return age >= .seconds(2) ? id : nil
            }
        }
        let id = try pair.send(
            pair.phone, RecordDraft(channel: channel, kind: .opaque, key: key, payload: [1]))
        pair.run(for: .milliseconds(1900))
        #expect(alarms() == [])
        pair.run(for: .seconds(5))
        #expect(alarms() == [id])
        pair.crash(pair.phone)
        // The wall clock of the pair stands still between processes.
        pair.run(for: .seconds(5))
        #expect(alarms() == [id, id])
        pair.isLinkPossible = true
        pair.linkWanted()
        let isOver = pair.run { pair.phone.events.contains(.overdueEnded) }
        #expect(isOver)
        #expect(alarms() == [id, id])
    }

    @Test(
        "A record that was left pending is pending until the application decides",
        arguments: [Channel.background, .context])
    func pending(_ channel: Channel) throws {
        let pair = PeerPair()
        pair.activate()
        pair.watch.disposition = .pending
        let key = channel == .context ? RecordKey(rawValue: 9) : nil
        let id = try pair.send(
            pair.phone, RecordDraft(channel: channel, kind: .opaque, key: key, payload: [1]))
        let isGiven = pair.run { pair.watch.peer?.isPending(id) == true }
        #expect(isGiven)
        let isCommitted = pair.run { pair.phone.peer?.status(of: id) == .underWay(.committed) }
        #expect(isCommitted)
        pair.input(pair.watch) { $0.decide(id, .rejected(code: 7), at: $1) }
        #expect(pair.watch.peer?.isPending(id) == false)
        let isOver = pair.run { pair.phone.settled(id) == .rejected(code: 7) }
        #expect(isOver)
    }

    @Test("A draft with the idempotency key of a record under way is that record")
    func idempotencyKey() throws {
        let pair = PeerPair()
        let draft = RecordDraft(
            channel: .background, kind: .opaque, payload: [1], idempotencyKey: 77)
        #expect(pair.phone.peer?.recordUnderWay(for: draft) == nil)
        let id = try pair.send(pair.phone, draft)
        #expect(pair.phone.peer?.recordUnderWay(for: draft) == id)
        let again = try pair.send(pair.phone, draft)
        #expect(again == id)
        pair.activate()
        let isOver = pair.run { pair.phone.settled(id) == .applied }
        #expect(isOver)
        #expect(pair.phone.peer?.recordUnderWay(for: draft) == nil)
        // Sent once more it is another record, which the receiver answers as the first one.
        let later = try pair.send(pair.phone, draft)
        #expect(later != id)
        let isAnswered = pair.run { pair.phone.settled(later) == .applied }
        #expect(isAnswered)
        #expect(pair.watch.payloads == [[1]])
        #expect(pair.watch.peer?.counters.recordsRepeated == 1)
    }

    @Test("Equal complications are not accepted anew; replaced ones are counted")
    func complications() throws {
        let pair = PeerPair()
        let first = try pair.write(pair.phone, 5, [1], .complication)
        let equal = try pair.write(pair.phone, 5, [1], .complication)
        #expect(equal == first)
        let second = try pair.write(pair.phone, 5, [2], .complication)
        #expect(pair.phone.peer?.newestValue(.complication, Self.face)?.id == second)
        #expect(pair.phone.peer?.counters.valuesEqual == 1)
        #expect(pair.phone.peer?.counters.valuesReplaced == 1)
    }

    @Test("Round trip and quality of the link are known once they are measured")
    func measurements() {
        let pair = PeerPair(.datagrams())
        #expect(pair.phone.peer?.roundTripTime == nil && pair.phone.peer?.linkQuality == nil)
        pair.activate()
        let isMeasured = pair.run { pair.phone.peer?.linkQuality != nil }
        #expect(isMeasured)
        let trip = pair.phone.peer?.roundTripTime ?? .zero
        #expect(trip >= .milliseconds(20) && trip < .milliseconds(40))
    }

    @Test("The tag of a label does not name the pairing")
    func label() {
        let one = PeerLabel(role: .phone, pairing: PairingID(rawValue: 7))
        let other = PeerLabel(role: .phone, pairing: PairingID(rawValue: 8))
        #expect(one.pairingTag == one.counterpart.pairingTag)
        #expect(one.pairingTag != other.pairingTag)
        #expect(one.pairingTag != 7)
    }
}
