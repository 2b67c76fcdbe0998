import Testing

@testable import WatchProtoCore

/// Packets in flight against a plain list of them.
@Suite struct SentPacketsTests {
    private static func packet(_ number: UInt64, bytes: Int = 0)
        -> SentPackets<TestReference>.Packet
    {
        SentPackets<TestReference>.Packet(
            number: number, sentAt: Instant(nanoseconds: number), bytes: bytes, references: [],
            wasPaced: false, coveredBy: number)
    }

    @Test("Packets in flight behave as a plain list in random walks")
    func packetsInFlightBehaveAsAPlainList() {
        for seed in UInt64(1)...20 {
            var generator = SeededGenerator(seed: seed)
            var sent = SentPackets<TestReference>()
            var model: [(number: UInt64, bytes: Int)] = []
            var next: UInt64 = 0
            for _ in 0..<1500 {
                let gone: [UInt64]
                switch generator.uniform(in: 0...9) {
                case 0...5:
                    // Numbers that elicit no acknowledgement are left out.
                    next += generator.uniform(in: 1...3)
                    let bytes = Int(generator.uniform(in: 1...1200))
                    sent.append(Self.packet(next))
                    let isLast = sent.setLast(next, bytes: bytes)
                    #expect(isLast)
                    model.append((next, bytes))
                    continue
                case 6:
                    let first = generator.uniform(in: 0...next)
                    let range = first...(first + generator.uniform(in: 0...8))
                    gone = sent.remove(range).map { $0.number }
                    #expect(gone == model.map { $0.number }.filter { range.contains($0) })
                case 7:
                    let last = generator.uniform(in: 0...next)
                    gone = sent.remove(upTo: last) { $0.number.isMultiple(of: 3) }.map(\.number)
                    let expected = model.map { $0.number }
                        .filter { $0 <= last && $0.isMultiple(of: 3) }
                    #expect(gone == expected)
                case 8:
                    gone = sent.removeFirst(2).map { $0.number }
                    #expect(gone == model.prefix(2).map { $0.number })
                default:
                    let first = generator.uniform(in: 0...next)
                    sent.cover(first...next, by: next + 5)
                    let oldest = sent.first
                    let isCovered = oldest.map { $0.coveredBy > $0.number } ?? false
                    #expect(isCovered || (oldest?.number ?? 0) < first || oldest == nil)
                    continue
                }
                model.removeAll { gone.contains($0.number) }
                #expect(sent.count == model.count)
                #expect(sent.bytes == model.reduce(0) { $0 + $1.bytes })
                #expect(sent.first?.number == model.first?.number)
                #expect(sent.isEmpty == model.isEmpty)
            }
        }
    }

    @Test("A repair packet covers the packets of its block")
    func aRepairPacketCoversThePacketsOfIts() {
        var sent = SentPackets<TestReference>()
        for number in UInt64(0)..<5 { sent.append(Self.packet(number)) }
        sent.cover(2...3, by: 9)
        #expect(sent.removeFirst(5).map { $0.coveredBy } == [0, 1, 9, 9, 4])
    }

    @Test("Only the last packet gets its length")
    func onlyTheLastPacketGetsItsLength() {
        var sent = SentPackets<TestReference>()
        sent.append(Self.packet(3))
        for (number, isLast) in [(4, false), (3, true)] as [(UInt64, Bool)] {
            let isSet = sent.setLast(number, bytes: 7)
            #expect(isSet == isLast && sent.bytes == (isLast ? 7 : 0))
        }
        #expect(sent.remove(3...3).map { $0.bytes } == [7])
        let isSet = sent.setLast(3, bytes: 9)
        #expect(!isSet && sent.bytes == 0 && sent.isEmpty)
    }
}
