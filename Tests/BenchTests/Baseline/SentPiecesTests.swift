import Testing
import WatchProtoCore

@testable import Bench

@Suite struct SentPiecesTests {
    private func packet(_ pieces: [PacketContents.Piece]) -> PacketContents {
        var contents = PacketContents(frames: [], from: 0)
        contents.pieces = pieces
        return contents
    }

    private func record(_ number: UInt64, frame: Int = 210) -> PacketContents.Piece {
        PacketContents.Piece(
            channel: .background, epochIndex: 0, number: number, offset: 0, frameBytes: frame)
    }

    private func part(_ range: Range<Int>) -> PacketContents.Piece {
        PacketContents.Piece(
            channel: .bulk, epochIndex: 0, number: 1, offset: range.lowerBound,
            partBytes: range.count, frameBytes: range.count + 10)
    }

    @Test func a_record_counts_once_and_its_packet_with_what_packets_take() {
        var sent = SentPieces()
        #expect(sent.freshBytes(of: packet([record(1), record(2)]), in: 460) == 460)
        // One of three is new: the packet is the 40 bytes that packets take, and that one.
        #expect(
            sent.freshBytes(of: packet([record(1), record(2), record(3)]), in: 670) == 250)
        #expect(sent.freshBytes(of: packet([record(3), record(1)]), in: 460) == nil)
        #expect(sent.freshBytes(of: packet([]), in: 60) == nil)
        // The same number in another epoch is another record.
        var other = record(1)
        other.epochIndex = 1
        #expect(sent.freshBytes(of: packet([other]), in: 250) == 250)
    }

    @Test func parts_are_known_by_their_bytes_and_not_by_where_they_begin() {
        var sent = SentPieces()
        #expect(sent.freshBytes(of: packet([part(0..<1000)]), in: 1050) == 1050)
        #expect(sent.freshBytes(of: packet([part(2000..<3000)]), in: 1050) == 1050)
        // Cut anew: 500 of the first are old, and 100 of the last.
        #expect(sent.freshBytes(of: packet([part(500..<2100)]), in: 1650) == 1050)
        #expect(sent.freshBytes(of: packet([part(700..<2900)]), in: 2250) == nil)
        #expect(sent.freshBytes(of: packet([part(2500..<3001)]), in: 551) == 51)
        #expect(sent.freshBytes(of: packet([part(0..<3001)]), in: 3051) == nil)
    }
}
