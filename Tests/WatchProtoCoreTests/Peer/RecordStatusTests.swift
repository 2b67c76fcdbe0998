import Testing

@testable import WatchProtoCore

@Suite("The status of a record")
struct RecordStatusTests {
    /// The clock of every process of a pair when it starts.
    private static func expiry(_ after: Int64) -> WallTime {
        WallTime(milliseconds: 1_700_000_000_000 + after)
    }

    /// How a record comes to its status, and whether that is known after a restart.
    struct Row: Sendable {
        var status: RecordStatus
        var isDurable = true
        /// Sends a record and lets it come to its status.
        var make: @Sendable () throws -> (PeerPair, RecordID)
    }

    static let rows: [Row] = [
        Row(status: .underWay(.queued)) {
            let pair = PeerPair()
            return (pair, try pair.send(pair.phone, [1]))
        },
        Row(status: .underWay(.sent), isDurable: false) {
            let pair = PeerPair.connected()
            pair.conditions.delay = .seconds(1)
            return (pair, try pair.send(pair.phone, [1]))
        },
        Row(status: .underWay(.committed)) {
            let pair = PeerPair.connected()
            pair.watch.disposition = .pending
            return (pair, try pair.send(pair.phone, [1]))
        },
        Row(status: .settled(.applied)) {
            let pair = PeerPair.connected()
            return (pair, try pair.send(pair.phone, [1]))
        },
        Row(status: .settled(.applied)) {
            let pair = PeerPair.connected()
            return (pair, try pair.write(pair.phone, 4, [1]))
        },
        Row(status: .settled(.rejected(code: 9))) {
            let pair = PeerPair.connected()
            pair.watch.disposition = .rejected(code: 9)
            return (pair, try pair.send(pair.phone, [1]))
        },
        Row(status: .settled(.cancelled)) {
            let pair = PeerPair()
            let id = try pair.send(pair.phone, [1])
            pair.input(pair.phone) { $0.cancel(id, at: $1) }
            return (pair, id)
        },
        Row(status: .settled(.expired)) {
            let pair = PeerPair()
            let draft = RecordDraft(
                channel: .background, kind: .opaque, payload: [1], expiresAt: expiry(100))
            return (pair, try pair.send(pair.phone, draft))
        },
        Row(status: .settled(.superseded)) {
            let pair = PeerPair()
            let id = try pair.write(pair.phone, 4, [1])
            try pair.write(pair.phone, 4, [2])
            return (pair, id)
        },
        Row(status: .settled(.outcomeUnknown), isDurable: false) {
            let pair = PeerPair.connected()
            let id = try pair.send(pair.phone, [1], .interactive)
            pair.cutLink()
            return (pair, id)
        },
        Row(status: .settled(.notDelivered), isDurable: false) {
            let pair = PeerPair.connected()
            // The records before it take the credit, which keeps the last one here.
            for _ in 0..<300 { try pair.send(pair.phone, [1], .interactive) }
            let id = try pair.send(pair.phone, [2], .interactive)
            pair.cutLink()
            return (pair, id)
        },
        Row(status: .lostSince) {
            let pair = PeerPair.connected()
            let backup = pair.watch.image
            let id = try pair.send(pair.phone, [1])
            let isApplied = pair.run { pair.phone.settled(id) == .applied }
            #expect(isApplied)
            pair.run(for: .seconds(1))
            pair.restore(pair.watch, backup)
            _ = pair.run { pair.phone.changes.contains(.wentBack) }
            return (pair, id)
        },
        Row(status: .unknown) {
            let pair = PeerPair.connected()
            let id = try pair.send(pair.phone, [1])
            return (
                pair, RecordID(epoch: id.epoch, channel: id.channel, number: RecordNumber(99))
            )
        },
    ]

    @Test(
        "Each status is what happened, and a durable one is known after a restart",
        arguments: rows.indices)
    func table(_ index: Int) throws {
        let row = Self.rows[index]
        let (pair, id) = try row.make()
        pair.run(for: .milliseconds(400))
        #expect(pair.phone.peer?.status(of: id) == row.status)
        if case .settled(let outcome) = row.status { #expect(pair.phone.settled(id) == outcome) }
        guard row.isDurable else { return }
        pair.isLinkPossible = false
        pair.crash(pair.phone)
        #expect(pair.phone.peer?.status(of: id) == row.status)
    }

    @Test(
        "4,096 outcomes are known after a restart, and the one before them is unknown, by no guess")
    func outcomes() throws {
        let pair = PeerPair()
        var ids: [RecordID] = []
        for _ in 0...4096 {
            ids.append(try pair.send(pair.phone, [1]))
            pair.input(pair.phone) { $0.cancel(ids[ids.count - 1], at: $1) }
        }
        pair.run(for: .seconds(1))
        pair.crash(pair.phone)
        #expect(pair.phone.peer?.status(of: ids[0]) == .unknown)
        for id in ids.dropFirst() {
            #expect(pair.phone.peer?.status(of: id) == .settled(.cancelled))
        }
    }
}
