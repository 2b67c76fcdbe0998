import Testing
import WatchProtoTesting

@testable import WatchProto

/// The bytes of a comparison on the link, with those of the packets around the messages.
@Suite(.timeLimit(.minutes(2))) struct LedgerCostTests {
    /// The bytes of both devices in the minute after their link came back, with those of the
    /// handshake and of the doses, and the time until the ledgers were equal.
    private func cost(
        _ differences: Int, of count: Int
    ) async throws -> (bytes: UInt64, time: Duration) {
        var options = TestPair.Options()
        options.conditions = .bluetoothLowEnergy
        options.conditions.carriesPackets = false
        let pair = try await TestPair(options)
        await pair.link.cut()
        for number in 1...(count + differences) {
            let event = DoseEvent.example(number)
            let encoding = try event.encoded()
            // The odd ones of the last are the phone's, and the even ones the watch's.
            for (session, rest) in [(pair.phone, 1), (pair.watch, 0)]
            where number <= count || number % 2 == rest {
                session.ledger.store.inserted(event, encoding)
            }
        }
        let link = pair.link
        func sent() -> UInt64 { DeviceRole.allCases.reduce(0) { $0 + link.bytesSent(by: $1) } }
        let before = sent()
        link.restore()
        let start = pair.elapsed
        func isEqual() throws -> Bool {
            try pair.phone.ledger.store.digest() == pair.watch.ledger.store.digest()
        }
        while try !isEqual(), pair.elapsed - start < .seconds(60) {
            try await pair.run(for: .milliseconds(50))
        }
        let time = pair.elapsed - start
        try await pair.run(for: .seconds(60) - time)
        #expect(try isEqual() && pair.phone.ledger.isSettled && pair.watch.ledger.isSettled)
        let bytes = sent() - before
        await pair.close()
        return (bytes, time)
    }

    @Test(
        "The bytes on the link follow the number of doses that differ (D-10)",
        arguments: [(1, 2_000), (3, 4_000), (20, 12_000)])
    func doses_that_differ_are_found_after_a_disconnection(_ differences: Int, _ limit: UInt64)
        async throws
    {
        let none = try await cost(0, of: 10_000)
        let found = try await cost(differences, of: 10_000)
        #expect(found.bytes - none.bytes < limit && found.time < .seconds(1), "\(found) \(none)")
    }
}
