import Locks
import Testing
import WatchProto

/// Sessions over a carrier of the application.
@Suite(.timeLimit(.minutes(2))) struct CarrierTests {
    private static let places: [(String, @Sendable () -> MeetingPlace)] = [
        ("a stream in parts of 7 bytes", { MeetingPlace(.stream, partBytes: 7) }),
        (
            "packets of 244 bytes",
            { MeetingPlace(.packets(largestBytes: 244, canLose: false)) }
        ),
        (
            "packets of 1,200 bytes, each ninth lost",
            { MeetingPlace(.packets(largestBytes: 1200, canLose: true), lossEvery: 9) }
        ),
    ]

    private func sessions(
        _ place: MeetingPlace, _ folder: Folder
    ) async throws -> (phone: CompanionSession, watch: CompanionSession) {
        func options(_ role: DeviceRole) -> SessionOptions {
            SessionOptions(
                role: role, carrier: place.carrier(role),
                journal: .file(folder.file("\(role)"), key: .unsealed))
        }
        return (
            try await CompanionSession(options(.phone)), try await CompanionSession(options(.watch))
        )
    }

    @Test(arguments: 0..<3)
    func two_devices_pair_and_every_record_arrives_once_over_cuts(_ number: Int) async throws {
        let (folder, place) = (try Folder(), Self.places[number].1())
        let (phone, watch) = try await sessions(place, folder)
        try await pair(phone, watch)
        try watch.activate()
        try phone.activate()
        let arriving = watch.deliveries(of: UserInfo.self)
        let counted = Task {
            var seen: [[UInt8]] = []
            for await delivery in arriving {
                seen.append(delivery.value.bytes)
                delivery.accept()
                if seen.count == 60 { break }
            }
            return seen
        }
        var transfers: [Transfer] = []
        for count in 0..<60 {
            transfers.append(try phone.send(UserInfo(.init(repeating: UInt8(count), count: 900))))
            if count % 20 == 10 {
                _ = try await transfers[count - 5].outcome(reaching: .committed)
                place.cut()
            }
        }
        for transfer in transfers { #expect(try await transfer.outcome() == .reached(.applied)) }
        #expect(await counted.value == (0..<60).map { .init(repeating: $0, count: 900) })
        await phone.close()
        await watch.close()
        // The links that were open are closed, for all the time that the last bytes take.
        for _ in 0..<300 where place.openCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(place.openCount == 0)
    }

    @Test func an_error_of_the_carrier_is_reported_and_the_link_is_tried_again() async throws {
        let (folder, place) = (try Folder(), MeetingPlace(.stream))
        let (phone, watch) = try await sessions(place, folder)
        try await pair(phone, watch)
        place.refuse(1)
        let events = phone.events()
        try phone.activate()
        var texts: [String] = []
        for await event in events {
            guard case .linkLost(let text) = event else { continue }
            texts.append(text)
            break
        }
        #expect(texts == ["the radio is out of range"])
        try watch.activate()
        watch.apply(UserInfo.self) { _, _ in }
        #expect(try await phone.send(UserInfo([1])).outcome() == .reached(.applied))
        await phone.close()
        await watch.close()
    }

    @Test(arguments: [243, 65_537, 0, -1, .max])
    func packets_of_an_impossible_size_are_refused(_ size: Int) async throws {
        let place = MeetingPlace(.packets(largestBytes: size, canLose: true))
        let error = await #expect(throws: OpenError.self) {
            _ = try await CompanionSession(
                SessionOptions(
                    role: .phone, carrier: place.carrier(.phone), journal: .inMemoryOnly))
        }
        #expect(
            "\(try #require(error))"
                == "the carrier's largest packet has \(size) bytes; it must have 244 to 65,536")
    }

    @Test func a_carrier_that_floods_the_session_ends_its_link() async throws {
        let link = CallbackLink(send: { _, done in done(nil) }, close: {})
        for _ in 0..<16 { link.received(.init(repeating: 1, count: 1 << 16)) }
        link.received([1])
        for _ in 0..<16 { #expect(try await link.receive()?.count == 1 << 16) }
        let error = await #expect(throws: (any Error).self) { _ = try await link.receive() }
        #expect("\(try #require(error))".contains("1,048,576"))
        await #expect(throws: CancellationError.self) { try await link.send([1]) }
    }

    @Test(arguments: [true, false])
    func a_foreign_device_on_the_carrier_costs_one_link(_ isStream: Bool) async throws {
        let delivery =
            isStream
            ? CarrierDelivery.stream : CarrierDelivery.packets(largestBytes: 1200, canLose: true)
        let (folder, place) = (try Folder(), MeetingPlace(delivery))
        let (phone, watch) = try await sessions(place, folder)
        try await pair(phone, watch)
        // The foreign device answers the watch first, and floods it.
        let foreign = Task {
            let link = try await place.carrier(.phone).open()
            var random = SystemRandomNumberGenerator()
            for _ in 0..<200 {
                let bytes = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) }
                try await link.send(bytes)
            }
            await link.close()
        }
        try watch.activate()
        _ = await foreign.result
        try phone.activate()
        watch.apply(UserInfo.self) { _, _ in }
        #expect(try await phone.send(UserInfo([1])).outcome() == .reached(.applied))
        await phone.close()
        await watch.close()
    }

    @Test func a_session_that_rests_opens_no_link() async throws {
        let (folder, place) = (try Folder(), MeetingPlace(.stream))
        let (phone, watch) = try await sessions(place, folder)
        try await pair(phone, watch)
        try phone.activate()
        phone.deactivate()
        try await Task.sleep(for: .milliseconds(50))
        try watch.activate()
        try await Task.sleep(for: .milliseconds(50))
        #expect(place.openCount == 0)
        try phone.activate()
        watch.apply(UserInfo.self) { _, _ in }
        #expect(try await phone.send(UserInfo([1])).outcome() == .reached(.applied))
        await phone.close()
        await watch.close()
    }

    /// A connection that calls a link back, as the article shows it.
    private final class Connection: Sendable {
        let link = Mutex<CallbackLink?>(nil)

        func connect() -> CallbackLink {
            let link = CallbackLink(
                send: { [self] _, done in
                    done(self.link.withLock { $0 } == nil ? OutOfRange() : nil)
                },
                close: { [self] in self.link.withLock { $0 }?.ended() })
            self.link.withLock { $0 = link }
            return link
        }
    }

    @Test func a_closed_link_releases_the_connection_that_calls_it_back() async throws {
        var connection: Connection? = Connection()
        weak let left = connection
        let link = try #require(connection?.connect())
        connection = nil
        #expect(left != nil)
        try await link.send([1])
        await link.close()
        await #expect(throws: CancellationError.self) { try await link.send([2]) }
        #expect(left == nil)
    }
}
