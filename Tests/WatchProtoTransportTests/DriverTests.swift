import Glibc
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProtoTransport

/// Two real drivers over real descriptors.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DriverTests {
    @Test("thousands of messages cross both ways over every carrier", arguments: LinkKind.allCases)
    func traffic(_ kind: LinkKind) async throws {
        let directory = TemporaryDirectory()
        let (phoneAddress, watchAddress) = try kind.addresses(in: directory)
        let (phone, watch) = try await linkedSides(at: phoneAddress, watchAddress)
        let count = 2000
        for number in 0..<count {
            try phone.session.transfer(background(bytes(of: number)))
            try watch.session.transfer(background(bytes(of: number)))
        }
        #expect(
            await eventually(within: .seconds(30)) {
                phone.recorder.recordCount == count && watch.recorder.recordCount == count
                    && phone.session.outstandingTransfers.isEmpty
                    && watch.session.outstandingTransfers.isEmpty
            })
        let expected = (0..<count).map(bytes(of:))
        #expect(watch.recorder.records.map(\.payload) == expected)
        #expect(phone.recorder.records.map(\.payload) == expected)
        phone.session.close()
        watch.session.close()
        #expect(directory.names.isEmpty)
    }

    private func bytes(of number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
            + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 300)
    }

    @Test("a file crosses in parts, larger than every buffer below", arguments: LinkKind.allCases)
    func file(_ kind: LinkKind) async throws {
        let directory = TemporaryDirectory()
        let (phoneAddress, watchAddress) = try kind.addresses(in: directory)
        let phone = try Side(.phone, at: phoneAddress)
        let watch = try Side(.watch, at: watchAddress)
        try watch.session.activate()
        try phone.session.activate()
        var generator = SeededGenerator(seed: 1)
        let contents = (0..<(2 << 20)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        let id = try phone.session.transfer(
            RecordDraft(channel: .bulk, kind: .userInfo, payload: contents))
        #expect(
            await eventually(within: .seconds(30)) {
                phone.session.status(of: id) == .settled(.applied)
            })
        // Millions of bytes are no message for a failure.
        let isSame = watch.recorder.records.first?.payload == contents
        #expect(isSame)
        phone.session.close()
        watch.session.close()
    }

    @Test("either side may start first", arguments: LinkKind.sockets, [true, false])
    func order(_ kind: LinkKind, phoneFirst: Bool) async throws {
        let directory = TemporaryDirectory()
        let (phoneAddress, watchAddress) = try kind.addresses(in: directory)
        let phone = try Side(.phone, at: phoneAddress)
        let watch = try Side(.watch, at: watchAddress)
        for side in phoneFirst ? [phone, watch] : [watch, phone] {
            try side.session.activate()
            await pause(.milliseconds(100))
        }
        #expect(await eventually { phone.isReachable && watch.isReachable })
        phone.session.close()
        watch.session.close()
    }

    @Test(
        "a side that dies comes back, and what was queued arrives", arguments: LinkKind.sockets,
        DeviceRole.allCases)
    func comeback(_ kind: LinkKind, victim: DeviceRole) async throws {
        let directory = TemporaryDirectory()
        let (phoneAddress, watchAddress) = try kind.addresses(in: directory)
        let journals = [MemoryJournal(), MemoryJournal()]
        func make(_ role: DeviceRole) throws -> Side {
            let side = try Side(
                role, at: role == .phone ? phoneAddress : watchAddress,
                journal: journals[Int(role.rawValue)])
            try side.session.activate()
            return side
        }
        var sides = [try make(.phone), try make(.watch)]
        #expect(await eventually { sides.allSatisfy(\.isReachable) })
        for round in 1...2 {
            let dead = Int(victim.rawValue)
            let alive = 1 - dead
            sides[dead].session.abandon()
            let id = try sides[alive].session.transfer(background([UInt8(round)]))
            await pause(.milliseconds(50))
            sides[dead] = try make(victim)
            #expect(await eventually { sides.allSatisfy(\.isReachable) })
            #expect(await eventually { sides[alive].session.status(of: id) == .settled(.applied) })
            #expect(sides[dead].recorder.records.map(\.payload) == [[UInt8(round)]])
        }
        for side in sides { side.session.close() }
        #expect(directory.names.isEmpty)
    }

    @Test(
        "a link that is cut comes back by itself", arguments: LinkKind.sockets,
        DeviceRole.allCases)
    func cut(_ kind: LinkKind, by role: DeviceRole) async throws {
        let directory = TemporaryDirectory()
        let (phoneAddress, watchAddress) = try kind.addresses(in: directory)
        let (phone, watch) = try await linkedSides(at: phoneAddress, watchAddress)
        for round in 1...3 {
            (role == .phone ? phone : watch).session.cutLink()
            // Packets so short that a reset would be longer are not answered by one.
            let record = [UInt8](repeating: UInt8(round), count: 30)
            let id = try phone.session.transfer(background(record))
            #expect(await eventually { phone.session.status(of: id) == .settled(.applied) })
        }
        #expect(watch.recorder.records.map { $0.payload[0] } == [1, 2, 3])
        phone.session.close()
        watch.session.close()
    }

    @Test("an idle pair makes no wake-ups", arguments: LinkKind.allCases)
    func idle(_ kind: LinkKind) async throws {
        let directory = TemporaryDirectory()
        let (phoneAddress, watchAddress) = try kind.addresses(in: directory)
        let (phone, watch) = try await linkedSides(at: phoneAddress, watchAddress)
        let id = try phone.session.transfer(background([1]))
        #expect(await eventually { phone.session.status(of: id) == .settled(.applied) })
        // Work that is still under way (acknowledgements, first timers) may end.
        let wakeUps = { [phone, watch].map(\.session.counters.wakeUps) }
        #expect(
            await eventually {
                let before = wakeUps()
                await pause(.milliseconds(300))
                return wakeUps() == before
            })
        let before = wakeUps()
        await pause(.milliseconds(300))
        #expect(wakeUps() == before)
        phone.session.close()
        watch.session.close()
    }

    @Test("an earlier deadline wakes the thread when it has come, and not when it is set")
    func timer() async throws {
        let directory = TemporaryDirectory()
        let (phoneAddress, watchAddress) = try LinkKind.stream.addresses(in: directory)
        let (phone, watch) = try await linkedSides(at: phoneAddress, watchAddress)
        // Nobody answers: what follows is this side's own doing.
        watch.session.suspendLink()
        #expect(await eventually { phone.session.counters.requestedWakeUps > 0 })
        let before = phone.session.counters
        for _ in 0..<100 { try phone.session.transfer(background([1])) }
        await #expect(throws: DeliveryFailure.self) {
            _ = try await phone.session.sendMessage([1], timeout: .milliseconds(30))
        }
        let after = phone.session.counters
        #expect(after.requestedWakeUps == before.requestedWakeUps)
        #expect(after.deadlineWakeUps > before.deadlineWakeUps)
        phone.session.close()
        watch.session.close()
    }
}
