import Testing
import WatchProto
import WatchProtoRecords

/// Receipts of numbers with more gaps between them than one frame can name. Found by
/// `rig crash disk` under load: both sides linked, the phone's records under way for ever; seeds
/// 1085, 1253, 1301 and 1373 see it where a receipt has room for one range.
@Suite struct ManyGapsTests {
    private func value(_ key: UInt64, _ byte: UInt8) -> RecordDraft {
        RecordDraft(
            lane: .context, kind: .applicationContext, key: RecordKey(rawValue: UInt128(key)),
            payload: [byte])
    }

    /// The first record was lost after it had left, and replaced: it ends when the last one, behind
    /// all the gaps, is known to have arrived.
    private func replaced(_ box: PairInABox, gaps: Int) throws {
        box.connect()
        _ = try box.phone.peer.send(value(1, 0), at: box.now)
        box.phone.drain(at: box.now)
        box.cut()
        for gap in 1...gaps {
            _ = try box.phone.peer.send(value(UInt64(100 + gap), 1), at: box.now)
            // Replaces the one before it, which never leaves.
            _ = try box.phone.peer.send(value(1, UInt8(gap)), at: box.now)
            box.phone.drain(at: box.now)
        }
        box.reconnect()
        box.advance(by: .seconds(10))
    }

    @Test func every_gap_of_a_receipt_gets_its_turn() throws {
        let gaps = 2 * Limits().receiptRanges + 5
        let box = PairInABox()
        try replaced(box, gaps: gaps)
        #expect(box.watch.host.delivered.count == gaps + 1)
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func so_it_does_where_packets_are_small_and_lost() throws {
        let gaps = 2 * Limits().receiptRanges + 5
        let box = PairInABox(.lossyDatagram)
        var count = 0
        box.connect()
        box.loses = { _ in
            count += 1
            return count % 3 == 0
        }
        try replaced(box, gaps: gaps)
        box.advance(by: .seconds(30))
        #expect(box.watch.host.delivered.count == gaps + 1)
        #expect(box.phone.outstanding.isEmpty)
    }
}
