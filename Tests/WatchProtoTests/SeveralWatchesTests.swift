import Locks
import Testing
import WatchProtoCore
import WatchProtoJournal
import WatchProtoSecurity
import WatchProtoTransport

@testable import WatchProto

/// A phone with two watches, of which one is active.
@Suite(.timeLimit(.minutes(2))) struct SeveralWatchesTests {
    private static func watch(_ folder: Folder, _ name: String) async throws -> CompanionSession {
        try await CompanionSession(
            SessionOptions(
                role: .watch, link: address(folder, name),
                journal: .file(folder.file("\(name).journal"), key: .unsealed)))
    }

    private static func address(_ folder: Folder, _ name: String) -> String {
        "unix:\(folder.file(name))"
    }

    /// A phone that is paired with two watches; the second one is active. Both listen.
    private static func devices(
        _ folder: Folder, phoneMemory: DeviceMemory = DeviceMemory()
    ) async throws -> (phone: CompanionSession, first: CompanionSession, second: CompanionSession) {
        let options = folder.options(.phone)
        let phone = try await CompanionSession(
            options, links: SessionLinks(options.link), clock: HostClock.shared,
            memory: phoneMemory)
        let (first, second) = (try await watch(folder, "s"), try await watch(folder, "t"))
        try await pair(phone, first)
        try await pair(phone, second, over: .address(address(folder, "t")))
        for session in [first, second, phone] { try session.activate() }
        return (phone, first, second)
    }

    @Test func records_go_to_the_active_watch_and_those_of_the_other_wait() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        let pairings = phone.pairings
        #expect(pairings == [first.state.pairing, second.state.pairing])
        let taken = Mutex<[String]>([])
        for (name, session) in [("first", first), ("second", second)] {
            session.apply(UserInfo.self) { info, _ in
                taken.withLock { $0.append("\(name) \(info.value.bytes)") }
            }
        }
        let one = try phone.send(UserInfo([1]))
        #expect(try await one.outcome() == .reached(.applied))
        try await Self.deactivate(second, of: phone)
        let waiting = try phone.send(UserInfo([2]))

        try await phone.setActiveWatch(pairings[0])
        #expect(phone.pairings == pairings.reversed() && phone.state.pairing == pairings[0])
        let three = try phone.send(UserInfo([3]))
        #expect(try await three.outcome() == .reached(.applied))
        // The outcomes of the other watch's records are known still.
        #expect(phone.outcome(of: one.id) == .reached(.applied))
        #expect(phone.outcome(of: waiting.id) == .reached(.queued))
        #expect(taken.withLock { $0 } == ["second [1]", "first [3]"])

        try second.activate()
        try await phone.setActiveWatch(pairings[1])
        #expect(try await waiting.outcome() == .reached(.applied))
        #expect(phone.outcome(of: three.id) == .reached(.applied))
        #expect(taken.withLock { $0 } == ["second [1]", "first [3]", "second [2]"])
        for session in [phone, first, second] { await session.close() }
    }

    /// Handlers may answer before the session that the records came from is the one in use.
    @Test func what_nobody_answered_is_delivered_when_its_watch_comes_back() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        let pairings = phone.pairings
        let sent = try (0..<100 as Range<UInt8>).map { try second.send(UserInfo([$0])) }
        for transfer in sent { _ = try await transfer.outcome(reaching: .committed) }
        try await phone.setActiveWatch(pairings[0])
        let taken = Mutex<[UInt8]>([])
        phone.apply(UserInfo.self) { info, _ in taken.withLock { $0 += info.value.bytes } }
        for _ in 0..<3 {
            for pairing in pairings.reversed() { try await phone.setActiveWatch(pairing) }
        }
        try await phone.setActiveWatch(pairings[1])
        for transfer in sent { #expect(try await transfer.outcome() == .reached(.applied)) }
        #expect(Set(taken.withLock { $0 }) == Set(0..<100))
        for session in [phone, first, second] { await session.close() }
    }

    /// The session that delivered them has ended, and takes no answer any more.
    @Test func what_nobody_answered_is_answered_after_a_pairing_that_failed() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        let sent = try (0..<20 as Range<UInt8>).map { try second.send(UserInfo([$0])) }
        for transfer in sent { _ = try await transfer.outcome(reaching: .committed) }
        let steps = phone.pair(.showCode)
        phone.cancelPairing()
        await #expect(throws: PairingError.cancelled) { for try await _ in steps {} }
        phone.apply(UserInfo.self) { _, _ in }
        for transfer in sent { #expect(try await transfer.outcome() == .reached(.applied)) }
        for session in [phone, first, second] { await session.close() }
    }

    @Test func a_message_to_the_former_watch_ends_once() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        var arriving = second.messages().makeAsyncIterator()
        let info = try phone.send(UserInfo([1]))
        _ = try await info.outcome(reaching: .received)
        let asked = Task { try await phone.sendMessage([1]) }
        #expect(await arriving.next()?.body == [1])
        try await phone.setActiveWatch(phone.pairings[0])
        guard case .unknown = try await asked.value else {
            Issue.record("the outcome of a message that arrived is not known")
            return
        }
        // The session with the other watch answers.
        let answers = first.messages()
        let answering = Task { for await message in answers { try message.reply([9]) } }
        first.apply(UserInfo.self) { _, _ in }
        #expect(try await phone.send(UserInfo([2])).outcome() == .reached(.applied))
        #expect(try await phone.sendMessage([2]) == .reply([9]))
        for session in [phone, first, second] { await session.close() }
        try await answering.value
    }

    @Test func doses_reach_a_watch_when_it_becomes_the_active_one() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        let slot = DoseSlot(medication: MedicationID(rawValue: 7), entry: 480, day: 2500)
        let planned = PlannedDose(day: 2500, minute: 480)
        let dose = DoseEvent(
            id: DoseEventID(rawValue: 1), medication: slot.medication, planned: planned,
            status: .taken, time: phone.doses.now)
        try await phone.doses.record(dose)
        try await Self.eventually { try await second.doses.state(of: slot).isClosed }
        #expect(try await first.doses.state(of: slot).isOpen)
        // The first watch has no session, and may have recorded doses of its own (rule 12).
        #expect(try await phone.doses.lastCheck() == nil)
        try await phone.setActiveWatch(phone.pairings[0])
        try await Self.eventually { try await first.doses.state(of: slot).isClosed }
        // Back from the first watch, over the phone, to the second one.
        let shown = try await first.doses.state(of: slot)
        try await first.doses.record(shown.undo(at: first.doses.now))
        try await Self.eventually { try await phone.doses.state(of: slot).isOpen }
        try await phone.setActiveWatch(phone.pairings[0])
        try await Self.eventually { try await second.doses.state(of: slot).isOpen }
        for session in [phone, first, second] { await session.close() }
    }

    /// A dose of a slot of its own.
    private static func dose(_ number: Int, of device: CompanionSession) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: UInt128(number)), medication: MedicationID(rawValue: 7),
            planned: PlannedDose(day: UInt16(2500 + number), minute: 480), status: .taken,
            time: device.doses.now)
    }

    @Test("A dose reaches every connected watch once, and does not go back (rule 10 of doses)")
    func doses_reach_all_connected_watches() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        let pairings = phone.pairings
        try await phone.connect(pairings[0])
        // Both watches have been compared with.
        try await Self.eventually { try await phone.doses.lastCheck() != nil }
        let devices = [phone, first, second]
        let arrivals = devices.map { _ in ArrivalCounts() }
        for (device, arrived) in zip(devices, arrivals) { device.ledger.setObserver(arrived) }
        for (number, device) in zip(1..., devices) {
            try await device.doses.record(Self.dose(number, of: device))
        }
        for device in devices {
            try await Self.eventually { try await device.doses.newestEvents(limit: 9).count == 3 }
        }
        try await Self.eventually { devices.allSatisfy(\.ledger.isSettled) }
        for (number, arrived) in zip(1..., arrivals) {
            var others = [1: 1, 2: 1, 3: 1]
            others[number] = nil
            #expect(arrived.counts.withLock { $0 } == others, "device \(number)")
        }
        #expect(phone.state.pairing == pairings[1] && phone.pairings == pairings)
        await phone.close()
        #expect(phone.connections.isEmpty && phone.ledger.exchanges.isEmpty)
        try await Self.eventually { !first.state.isReachable && !second.state.isReachable }
        for session in [first, second] { await session.close() }
    }

    @Test("A connected watch keeps its link, whichever watch is active")
    func a_connected_watch_keeps_its_link() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        let pairings = phone.pairings
        for pairing in pairings { try await phone.connect(pairing) }
        let areReachable = { @Sendable () -> Bool in
            let sessions = phone.connections.map(\.driven) + [first, second].compactMap(\.current)
            return sessions.count == 4 && sessions.allSatisfy(\.isReachable)
        }
        try await Self.eventually(areReachable)
        let lost = Flag()
        for watch in [first, second] {
            let events = watch.events()
            Task {
                for await event in events {
                    if case .reachability(false) = event { lost.isSet.withLock { $0 = true } }
                }
            }
        }
        for session in [phone, first, second] { session.apply(UserInfo.self) { _, _ in } }
        let messages = phone.messages()
        let answering = Task { for await message in messages { try message.reply([9]) } }
        try first.report(AppStatus(capabilities: ["first"]))
        for place in [1, 0, 1] {
            try await phone.setActiveWatch(pairings[place])
            #expect(phone.state.pairing == pairings[place] && phone.state.isReachable)
            let info = try phone.send(UserInfo([UInt8(place)]))
            #expect(try await info.outcome() == .reached(.applied))
            for watch in [first, second] {
                #expect(try await watch.send(UserInfo([2])).outcome() == .reached(.applied))
                #expect(try await watch.sendMessage([1]) == .reply([9]))
            }
            let capabilities = phone.state.counterpart?.capabilities
            #expect((capabilities == ["first"]) == (place == 0))
        }
        try phone.report(AppStatus(capabilities: ["phone"]))
        try await Self.eventually {
            [first, second].allSatisfy { $0.state.counterpart?.capabilities == ["phone"] }
        }
        let wasLost = lost.isSet.withLock { $0 }
        #expect(!wasLost)
        phone.deactivate()
        try await Self.eventually { !first.state.isReachable && !second.state.isReachable }
        try phone.activate()
        try await Self.eventually(areReachable)
        for session in [phone, first, second] { await session.close() }
        try await answering.value
    }

    @Test func records_that_wait_leave_when_their_watch_is_connected() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        let pairings = phone.pairings
        second.deactivate()
        let waiting = try phone.send(UserInfo([1]))
        try await phone.setActiveWatch(pairings[0])
        for session in [first, second] { session.apply(UserInfo.self) { _, _ in } }
        try second.activate()
        try await phone.connect(pairings[1])
        #expect(try await waiting.outcome() == .reached(.applied))
        #expect(phone.state.pairing == pairings[0])
        // A pairing ends all sessions. Those of the connected watches are opened again.
        let steps = phone.pair(.showCode)
        phone.cancelPairing()
        await #expect(throws: PairingError.cancelled) { for try await _ in steps {} }
        #expect(phone.connections.count == 2)
        let dose = Self.dose(1, of: phone)
        try await phone.doses.record(dose)
        for watch in [first, second] {
            try await Self.eventually {
                try await watch.doses.newestEvents(limit: 9).map(\.id) == [dose.id]
            }
        }
        for session in [phone, first, second] { await session.close() }
    }

    @Test func a_connected_watch_tells_of_its_restart_and_stays_when_paired_anew() async throws {
        let folder = try Folder()
        let (phone, former, second) = try await Self.devices(folder)
        let pairings = phone.pairings
        try await phone.connect(pairings[0])
        try await Self.eventually { former.state.isReachable }
        let events = phone.events()
        let changed = Task {
            for await case .counterpartChanged(_, let pairing) in events { return pairing }
            return PairingID(rawValue: 0)
        }
        await former.close()
        let first = try await Self.watch(folder, "s")
        try first.activate()
        #expect(await changed.value == pairings[0])
        #expect(phone.state.pairing == pairings[1])

        try await pair(phone, first)
        let anew = try #require(first.state.pairing)
        #expect(phone.pairings == [pairings[1], anew])
        try await phone.setActiveWatch(pairings[1])
        let connected = Set(phone.connections.map(\.device.pairing))
        #expect(connected == [pairings[1], anew])
        try await Self.eventually { first.state.isReachable }

        await phone.disconnect(pairings[1])
        #expect(phone.state.pairing == pairings[1] && phone.connections.count == 2)
        await phone.disconnect(anew)
        #expect(phone.connections.map(\.device.pairing) == [pairings[1]])
        try await Self.eventually { !first.state.isReachable }
        phone.apply(UserInfo.self) { _, _ in }
        let waiting = try first.send(UserInfo([1]))
        try await phone.connect(anew)
        #expect(try await waiting.outcome() == .reached(.applied))
        for session in [phone, first, second] { await session.close() }
    }

    @Test func an_unpaired_watch_is_gone_and_the_next_one_is_active() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        let pairings = phone.pairings
        let dose = Self.dose(1, of: phone)
        try await phone.doses.record(dose)
        second.deactivate()
        let waiting = try phone.send(UserInfo([1]))
        try await phone.unpair(pairings[1])
        #expect(phone.pairings == [pairings[0]] && phone.state.pairing == pairings[0])
        #expect(try await waiting.outcome() == .unknown)
        first.apply(UserInfo.self) { info, _ in #expect(info.pairing == pairings[0]) }
        #expect(try await phone.send(UserInfo([2])).outcome() == .reached(.applied))
        try second.activate()
        let last = try phone.send(ApplicationContext([3]))
        try await phone.unpair(pairings[0])
        #expect(phone.pairings.isEmpty && phone.state.pairing == nil)
        #expect(try await last.outcome() == .unknown)
        #expect(throws: Refusal.notPaired) { try phone.send(UserInfo([3])) }
        #expect(!second.state.isReachable)
        #expect(try await phone.doses.newestEvents(limit: 9).map(\.id) == [dose.id])
        try await pair(phone, first)
        try await Self.eventually { first.state.isReachable && phone.state.isReachable }
        // The doses on a watch are those of the phone's wearer.
        try await Self.eventually { try await first.doses.newestEvents(limit: 9).count == 1 }
        try await first.unpair(try #require(first.state.pairing))
        #expect(first.pairings.isEmpty)
        #expect(try await first.doses.newestEvents(limit: 9).isEmpty)
        await #expect(throws: OpenError.self) { try await phone.unpair(pairings[0]) }
        for session in [phone, first, second] { await session.close() }
    }

    /// The other watch has content, and does not say so.
    @Test func a_task_drains_every_connected_watch() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        try await phone.connect(phone.pairings[0])
        try await Self.eventually {
            first.state.isReachable && second.state.isReachable
                && phone.connections.allSatisfy(\.driven.isReachable)
        }
        #expect(try await phone.drain())
        first.current?.suspendLink()
        #expect(try await phone.drain(within: .seconds(1)) == false)
        first.current?.resumeLink()
        #expect(try await phone.drain())
        for session in [phone, first, second] { await session.close() }
    }

    /// A change begins behind the earlier ones, so the last call counts.
    @Test func a_watch_that_is_being_connected_can_be_disconnected() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        let pairings = phone.pairings
        for _ in 0..<20 {
            async let connected: Void = phone.connect(pairings[0])
            while phone.life.withLock({ $0.changes == 0 && $0.connections.count == 1 }) {
                await Task.yield()
            }
            await phone.disconnect(pairings[0])
            try await connected
            #expect(phone.connections.map(\.device.pairing) == [pairings[1]])
        }
        for session in [phone, first, second] { await session.close() }
    }

    @Test func a_watch_that_cannot_be_connected_changes_nothing() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        let (pairings, active) = (phone.pairings, phone.state.pairing)
        let unknown = PairingID(rawValue: 99)
        await #expect(throws: OpenError.self) { try await phone.connect(unknown) }
        await #expect(throws: OpenError.self) { try await first.connect(unknown) }
        let link = SessionLink.address(Self.address(folder, "t"))
        do throws(OpenError) {
            try await phone.connect(pairings[0], over: link)
            Issue.record("two watches share a link")
        } catch {
            guard case .badLink = error else { throw error }
        }
        #expect(phone.connections.count == 1 && phone.state.pairing == active)
        second.apply(UserInfo.self) { _, _ in }
        #expect(try await phone.send(UserInfo([1])).outcome() == .reached(.applied))
        await phone.close()
        await #expect(throws: OpenError.closed) { try await phone.connect(pairings[0]) }
        for session in [first, second] { await session.close() }
    }

    @Test func a_change_that_is_refused_changes_nothing() async throws {
        let folder = try Folder()
        let (phone, first, second) = try await Self.devices(folder)
        second.apply(UserInfo.self) { _, _ in }
        let (active, pairings) = (phone.state.pairing, phone.pairings)
        let unknown = PairingID(rawValue: 99)
        await #expect(throws: OpenError.self) { try await phone.setActiveWatch(unknown) }
        await #expect(throws: OpenError.self) {
            try await phone.setActiveWatch(pairings[0], over: .address("nowhere"))
        }
        #expect(phone.state.pairing == active)
        // The active one stays as it is.
        try await phone.setActiveWatch(pairings[1])
        #expect(try await phone.send(UserInfo([1])).outcome() == .reached(.applied))
        let steps = phone.pair(.showCode)
        await #expect(throws: OpenError.self) {
            try await phone.setActiveWatch(pairings[0])
        }
        phone.cancelPairing()
        await #expect(throws: PairingError.self) { for try await _ in steps {} }
        #expect(phone.state.pairing == active)
        // A close at the same time: the change ends, well or as one of a closed session.
        let change = Task { try await phone.setActiveWatch(pairings[0]) }
        await phone.close()
        if case .failure(let error) = await change.result {
            #expect(error as? OpenError == .closed)
        }
        await #expect(throws: OpenError.closed) {
            try await phone.setActiveWatch(pairings[0])
        }
        for session in [first, second] { await session.close() }
    }

    @Test("If the disk fails under a change, nothing is lost, and a later call changes the watch")
    func diskFailsUnderChange() async throws {
        let folder = try Folder()
        let isFull = Flag()
        let fault = JournalFault { call in
            guard case .commit = call else { return nil }
            return isFull.isSet.withLock { $0 } ? 13 : nil
        }
        let (phone, first, second) = try await Self.devices(
            folder, phoneMemory: DeviceMemory(failingWith: fault))
        let pairings = phone.pairings
        try await Self.deactivate(second, of: phone)
        let waiting = try phone.send(UserInfo([1]))
        let reached = try await waiting.outcome(reaching: .queued)
        // Perhaps it was sent in vain: the phone may not know of the link's end yet.
        #expect([.reached(.queued), .reached(.sent)].contains(reached))
        isFull.isSet.withLock { $0 = true }
        do throws(OpenError) {
            try await phone.setActiveWatch(pairings[0])
            Issue.record("the disk is full")
        } catch {
            guard case .journal = error else { throw error }
        }
        let inUse = phone.state.pairing
        #expect(inUse.map { pairings.contains($0) } ?? true)
        isFull.isSet.withLock { $0 = false }

        try await phone.setActiveWatch(pairings[0])
        #expect(phone.state.pairing == pairings[0] && phone.pairings == pairings.reversed())
        let taken = Mutex<[String]>([])
        for (name, session) in [("first", first), ("second", second)] {
            session.apply(UserInfo.self) { info, _ in
                taken.withLock { $0.append("\(name) \(info.value.bytes)") }
            }
        }
        #expect(try await phone.send(UserInfo([2])).outcome() == .reached(.applied))
        try second.activate()
        try await phone.setActiveWatch(pairings[1])
        try await Self.eventually { phone.outcome(of: waiting.id) == .reached(.applied) }
        #expect(taken.withLock { $0 } == ["first [2]", "second [1]"])
        for session in [phone, first, second] { await session.close() }
    }

    /// Ends the link to the active watch, and waits until the phone knows it. A record of before
    /// that can still go out.
    private static func deactivate(
        _ watch: CompanionSession, of phone: CompanionSession
    ) async throws {
        watch.deactivate()
        try await eventually { !phone.state.isReachable }
    }

    /// Waits at most ten seconds.
    private static func eventually(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<1000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await condition())
    }
}

/// Counts the events that a device receives, by their numbers; repeated ones, too.
private final class ArrivalCounts: LedgerObserver {
    let counts = Mutex<[Int: Int]>([:])

    func queued(_ event: DoseEventID, _ encoding: [UInt8], as id: RecordID, at now: Instant) {}
    func recorded(_ events: [DoseEvent]) {}
    func checked(_ pairing: PairingID) {}

    func arrived(_ arrivals: [LedgerArrival]) {
        for arrival in arrivals {
            let number = Int(arrival.event?.id.rawValue ?? 99)
            counts.withLock { $0[number, default: 0] += 1 }
        }
    }
}

private final class Flag: Sendable {
    let isSet = Mutex(false)
}
