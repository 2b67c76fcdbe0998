import Testing
import WatchProto
import WatchProtoTesting

/// Large application contexts over a link: fewer bytes, and the same content.
@Suite(.timeLimit(.minutes(2))) struct CompressedContextTests {
    /// The bytes that the phone sends for a context.
    private func cost(
        of content: [UInt8], _ conditions: LinkConditions = LinkConditions()
    ) async throws -> UInt64 {
        var options = TestPair.Options()
        options.conditions = conditions
        let pair = try await TestPair(options)
        try await pair.run(for: .seconds(5))
        let before = pair.link.bytesSent(by: .phone)
        let deliveries = pair.watch.deliveries(of: ApplicationContext.self)
        try pair.phone.send(ApplicationContext(content))
        let delivery = try #require(try await pair.run { await deliveries.first { _ in true } })
        #expect(delivery.value.bytes == content)
        delivery.accept()
        try await pair.run(for: .seconds(5))
        // The context can be read again, as it was sent.
        #expect(pair.phone.state.outstandingTransfers.isEmpty)
        let sent = pair.link.bytesSent(by: .phone) - before
        await pair.close()
        return sent
    }

    @Test func zeros_leave_as_one_packet() async throws {
        let sent = try await cost(of: [UInt8](repeating: 0, count: 60_000))
        #expect(sent < 1_500, "\(sent) bytes")
    }

    /// A link that loses packets carries a large context without compression.
    @Test func a_large_context_comes_whole_over_a_link_that_loses() async throws {
        var conditions = LinkConditions.edge
        conditions.carriesPackets = true
        let content = (0..<8_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let sent = try await cost(of: content, conditions)
        #expect(sent > 8_000, "\(sent) bytes")
        let zeros = try await cost(of: [UInt8](repeating: 0, count: 60_000), conditions)
        #expect(zeros < 3_000, "\(zeros) bytes")
    }

    @Test func a_list_of_texts_is_compressed_over_every_stream() async throws {
        let entry = "Amoxicillin 500 mg, capsule, one capsule three times a day with water. "
        var content: [UInt8] = []
        for number in 0..<600 { content += Array("\(number): \(entry)".utf8) }
        for conditions in [LinkConditions(), .bluetoothLowEnergy] {
            let sent = try await cost(of: content, conditions)
            #expect(sent < UInt64(content.count) / 4, "\(sent) of \(content.count) bytes")
        }
    }

    @Test func content_that_does_not_shrink_costs_what_it_is() async throws {
        var random = SystemRandomNumberGenerator()
        let content = (0..<60_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let sent = try await cost(of: content)
        #expect(sent > 60_000 && sent < 63_000, "\(sent) bytes")
    }
}
