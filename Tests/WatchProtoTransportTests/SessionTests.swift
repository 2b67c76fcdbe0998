import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProtoTransport

/// The asynchronous face.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SessionTests {
    /// Answers, refuses or keeps silent, as the first byte of a message says.
    final class Moody: SessionDelegate {
        func deliver(
            _ record: InboundRecord, at now: Instant, later: inout DeferredInputs
        ) -> Disposition {
            switch record.payload.first {
            case UInt8(ascii: "a"):
                later.send(
                    RecordDraft(
                        channel: .interactive, kind: .message, payload: Array("yes".utf8),
                        inReplyTo: record.id.number))
                return .applied
            case UInt8(ascii: "r"): return .rejected(code: 42)
            default: return .applied
            }
        }

        func event(_ event: PeerEvent, at now: Instant, later: inout DeferredInputs) {}
    }

    struct Pair {
        let directory = TemporaryDirectory()
        let phone: DriverSession
        let watch: DriverSession

        init(watchDelegate: (any SessionDelegate)? = Moody(), eventLimit: Int = 4096) throws {
            func make(
                _ role: DeviceRole, _ delegate: (any SessionDelegate)?, _ path: String
            ) throws -> DriverSession {
                var options = DriverSessionOptions(
                    PeerConfiguration(role: role, pairing: PairingID(rawValue: 7), kinds: .product),
                    at: .unixStream(path: path))
                options.eventLimit = eventLimit
                return try DriverSession(
                    options, security: testSecurity(role), delegate: delegate)
            }
            phone = try make(.phone, nil, directory.file("s"))
            watch = try make(.watch, watchDelegate, directory.file("s"))
        }

        func activate() async throws {
            try watch.activate()
            try phone.activate()
            #expect(await eventually { phone.isReachable && watch.isReachable })
        }

        func close() {
            phone.close()
            watch.close()
        }
    }

    @Test("a message brings its reply")
    func reply() async throws {
        let pair = try Pair()
        defer { pair.close() }
        try await pair.activate()
        for _ in 0..<50 {
            #expect(try await pair.phone.sendMessage(Array("ask".utf8)) == Array("yes".utf8))
        }
        try await pair.phone.sendMessageWithoutReply(Array("tell".utf8))
    }

    @Test("many messages at once each get their own reply")
    func concurrent() async throws {
        let directory = TemporaryDirectory()
        let address = LinkAddress.unixStream(path: directory.file("s"))
        let (phone, watch) = try await linkedSides(at: address)
        let session = phone.session
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await session.sendMessage([UInt8(number)]) == [UInt8(number)]
                }
            }
            for try await isOwn in group { #expect(isOwn) }
        }
        phone.session.close()
        watch.session.close()
    }

    @Test("failures say whether sending again is safe")
    func failures() async throws {
        let pair = try Pair()
        defer { pair.close() }
        // Nobody there: nothing left.
        await #expect(throws: DeliveryFailure.notDelivered(.refused(.notReachable))) {
            try await pair.phone.sendMessage(Array("ask".utf8))
        }
        try await pair.activate()
        // No reply: it may have been acted upon.
        await #expect(throws: DeliveryFailure.outcomeUnknown(.timedOut)) {
            try await pair.phone.sendMessage(Array("silence".utf8), timeout: .milliseconds(50))
        }
        await #expect(throws: DeliveryFailure.permanent(.rejected(code: 42))) {
            try await pair.phone.sendMessage(Array("refuse".utf8))
        }
        let limit = Channel.interactive.traits.recordByteLimit
        await #expect(
            throws: DeliveryFailure.permanent(
                .refused(.tooLarge(bytes: limit + 1, limit: limit)))
        ) {
            try await pair.phone.sendMessage([UInt8](repeating: 0, count: limit + 1))
        }
    }

    @Test("a suspended counterpart makes messages time out, a lost link makes them unknown")
    func lost() async throws {
        let pair = try Pair()
        try await pair.activate()
        pair.watch.suspendLink()
        let phone = pair.phone
        async let first = Self.failure(phone, "ask")
        #expect(await eventually { !phone.outstandingTransfers.isEmpty })
        pair.watch.abandon()
        let failure = await first
        #expect(failure == .outcomeUnknown(.linkLost))
        phone.close()
    }

    @Test("closing the session ends every wait")
    func closed() async throws {
        let pair = try Pair()
        try await pair.activate()
        let phone = pair.phone
        async let first = Self.failure(phone, "silence")
        #expect(
            await eventually {
                phone.counters.bytesWritten > 0 && phone.peerCounters.recordsAccepted > 0
            })
        pair.close()
        let failure = await first
        #expect(
            failure == .outcomeUnknown(.sessionClosed) || failure == .outcomeUnknown(.linkLost))
        await #expect(throws: DeliveryFailure.self) { try await phone.sendMessage([1]) }
        #expect(throws: LinkError.closed) { try phone.activate() }
    }

    @Test("a caller that gives up is told at once")
    func cancelled() async throws {
        let pair = try Pair()
        defer { pair.close() }
        try await pair.activate()
        let phone = pair.phone
        let task = Task { await Self.failure(phone, "silence", timeout: .seconds(600)) }
        #expect(await eventually { phone.peerCounters.recordsAccepted > 0 })
        task.cancel()
        let failure = await task.value
        #expect(
            failure == .outcomeUnknown(.cancelled) || failure == .notDelivered(.cancelled),
            "\(failure as Any)")
    }

    /// The failure of a message, as a value.
    private static func failure(
        _ session: DriverSession, _ text: String, timeout: Duration = .seconds(10)
    ) async -> DeliveryFailure? {
        do throws(DeliveryFailure) {
            _ = try await session.sendMessage(Array(text.utf8), timeout: timeout)
            return nil
        } catch {
            return error
        }
    }

    @Test("without a delegate records wait as pending until the reader has applied them")
    func pending() async throws {
        let pair = try Pair(watchDelegate: nil)
        defer { pair.close() }
        try await pair.activate()
        let id = try pair.phone.transferUserInfo([1])
        let other = try pair.phone.transferUserInfo([2])
        var seen = 0
        for await event in pair.watch.events {
            guard case .received(let record, _) = event else { continue }
            seen += 1
            #expect(pair.phone.status(of: id) != .settled(.applied) || seen == 2)
            if record.payload == [1] {
                pair.watch.applied(record.id)
            } else {
                pair.watch.rejected(record.id, code: 9)
                break
            }
        }
        #expect(await eventually { pair.phone.status(of: id) == .settled(.applied) })
        #expect(await eventually { pair.phone.status(of: other) == .settled(.rejected(code: 9)) })
    }

    @Test("a slow reader loses no record, and learns how many other events it missed")
    func missed() async throws {
        let pair = try Pair(watchDelegate: nil, eventLimit: 8)
        try await pair.activate()
        let ids = try (0..<100).map { try pair.phone.transferUserInfo([UInt8($0)]) }
        // Each progress is an event at the phone, which nobody reads.
        #expect(await eventually { pair.phone.missedEvents > 0 })
        #expect(
            await eventually {
                ids.allSatisfy { id in
                    if case .underWay(let stage) = pair.phone.status(of: id) {
                        stage >= .received
                    } else {
                        false
                    }
                }
            })
        #expect(
            await eventually {
                (try? pair.phone.transferUserInfo([])) != nil && pair.phone.missedEvents > 100
            })
        pair.close()
        var missed = 0
        for await event in pair.phone.events {
            if case .missed(let count) = event { missed += count }
        }
        #expect(missed == Int(pair.phone.missedEvents))
        var records: [UInt8] = []
        for await event in pair.watch.events {
            if case .received(let record, _) = event { records += record.payload }
        }
        #expect(records == (0..<100).map { UInt8($0) })
    }

    @Test("every kind of transfer arrives in its channel")
    func transfers() async throws {
        let directory = TemporaryDirectory()
        let address = LinkAddress.unixStream(path: directory.file("s"))
        let (phone, watch) = try await linkedSides(at: address)
        let ids = [
            try phone.session.updateApplicationContext([1]),
            try phone.session.transferUserInfo([2]),
            try phone.session.transfer(
                RecordDraft(
                    channel: .complication, kind: .complication, key: RecordKey(rawValue: 1),
                    payload: [3])),
            try phone.session.transfer(
                RecordDraft(channel: .bulk, kind: .userInfo, payload: [4])),
        ]
        #expect(
            await eventually {
                watch.recorder.recordCount == 4
                    && ids.allSatisfy { phone.session.status(of: $0) == .settled(.applied) }
            })
        let channels = Dictionary(grouping: watch.recorder.records, by: { $0.id.channel })
            .mapValues { $0.map(\.payload) }
        #expect(channels[.context] == [[1]])
        #expect(channels[.background] == [[2]])
        #expect(channels[.complication] == [[3]])
        #expect(channels[.bulk] == [[4]])
        #expect(!phone.session.isSealed)
        #expect(!phone.session.isDurable)
        let values = [SyncValue(key: RecordKey(rawValue: 9), kind: .opaque, payload: [6])]
        let result = try phone.session.synchronize(
            .context, values, kinds: [.opaque], removalKind: .medicationRemoval)
        guard case .queued(let queued) = result else {
            Issue.record("expected records")
            return
        }
        #expect(queued.count >= 1)
        phone.session.close()
        watch.session.close()
    }
}
