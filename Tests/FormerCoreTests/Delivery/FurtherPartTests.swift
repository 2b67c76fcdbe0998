import Testing
import WatchProtoRecords

@testable import FormerCore

/// Parts that leave out how long their record is: the first and the last one tell.
@Suite struct FurtherPartTests {
    /// 100 bytes in pieces of 20: the three in the middle do not say of how many.
    private static func pieces(_ total: Int = 100) -> [PartFrame] {
        stride(from: 0, to: total, by: 20).map { offset in
            PartFrame(
                lane: .bulk, address: RecordAddress(epochIndex: 0, number: 1),
                totalBytes: offset == 0 || offset + 20 >= total ? total : nil, offset: offset,
                bytes: (offset..<min(total, offset + 20)).map { UInt8($0) })
        }
    }

    @Test func they_may_come_in_any_order() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            var pieces = Self.pieces()
            for place in pieces.indices.dropLast() {
                let other = Int(generator.uniform(in: UInt64(place)...4))
                pieces.swapAt(place, other)
            }
            var assembly = Assembly(pieces[0], limits: Limits())
            for (place, piece) in pieces.enumerated() {
                #expect(!assembly.isComplete)
                guard case .taken = try assembly.add(piece) else {
                    Issue.record("piece \(place) has no room")
                    return
                }
                let isToldByNow = pieces[...place].contains { $0.totalBytes != nil }
                #expect(assembly.totalBytes == (isToldByNow ? 100 : nil))
            }
            #expect(assembly.isComplete)
        }
    }

    @Test func what_reaches_beyond_the_length_is_refused() throws {
        let pieces = Self.pieces()
        // The last one tells the length; this one would be the last, and does not.
        for known in [pieces[0], pieces[4]] {
            var assembly = Assembly(known, limits: Limits())
            _ = try assembly.add(known)
            var last = pieces[3]
            last.bytes += [80, 81]
            _ = try assembly.add(last)
            last.bytes += (82..<100).map { UInt8($0) }
            #expect(throws: WireError.self) { try assembly.add(last) }
        }
        // It came before the length was known, in front of a gap or behind what has come.
        for early in [[pieces[3]], [pieces[1], pieces[2], pieces[3]]] {
            var assembly = Assembly(early[0], limits: Limits())
            for piece in early { _ = try assembly.add(piece) }
            for total in [60, 79] {
                var first = pieces[0]
                first.totalBytes = total
                var copy = assembly
                #expect(throws: WireError.self) { try copy.add(first) }
            }
            _ = try assembly.add(pieces[0])
            var other = pieces[4]
            other.totalBytes = 101
            #expect(throws: WireError.self) { try assembly.add(other) }
            #expect(assembly.totalBytes == 100)
        }
    }

    @Test func nothing_is_held_beyond_what_the_lane_allows() throws {
        var limits = Limits()
        limits.partsAhead = 3
        var assembly = Assembly(Self.pieces()[1], limits: limits)
        for offset in [20, 60, 100] {
            var piece = Self.pieces()[1]
            piece.offset = offset
            guard case .taken = try assembly.add(piece) else {
                Issue.record("\(offset) has no room")
                return
            }
        }
        var fourth = Self.pieces()[1]
        fourth.offset = 140
        guard case .noRoom = try assembly.add(fourth) else {
            Issue.record("a fourth one has room")
            return
        }
    }

    /// A file over BLE, some of it lost: told in the short form to who knows it, else in the other.
    @Test(arguments: [2, 1, 0] as [UInt8])
    func only_who_knows_them_is_sent_any(_ version: UInt8) throws {
        let box = PairInABox(.bleDatagram)
        var counts = (short: 0, long: 0)
        var datagrams = 0
        var generator = SeededGenerator(seed: 9)
        box.arrivals = { role, packet in
            var reader = WireReader(packet.span)
            guard let header = try? DatagramHeader.read(&reader) else { return [packet] }
            if role == .watch, header.kind == .handshake {
                // version, two sessions, role, pairing, and the version of its frames
                var other = packet
                other[reader.offset + 1 + 8 + 1 + 16] = version
                return [other]
            }
            guard role == .phone, header.kind == .transport else { return [packet] }
            while let frame = try? Frame.read(&reader, limits: Limits()) {
                guard case .part(let part) = frame else { continue }
                if part.totalBytes == nil { counts.short += 1 } else { counts.long += 1 }
            }
            datagrams += 1
            return generator.unitInterval() < 0.1 ? [] : [packet]
        }
        box.connect()
        box.advance(by: .seconds(1))
        let content = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let draft = RecordDraft(lane: .bulk, kind: .file, payload: content)
        _ = try box.phone.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        for _ in 0..<200 where !box.phone.outstanding.isEmpty {
            box.advance(by: .milliseconds(500))
        }
        #expect(box.watch.host.delivered.map { $0.payload } == [content])
        #expect(box.phone.outstanding.isEmpty)
        if version >= 2 {
            #expect(counts.short > 80 && counts.long < 20, "\(counts)")
        } else {
            #expect(counts.short == 0 && counts.long > 80, "\(counts)")
        }
    }
}
