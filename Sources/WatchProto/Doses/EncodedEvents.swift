/// The encodings of many dose events. They take less than half the memory of the events.
package struct EncodedEvents: Sendable {
    private var pieces: [[UInt8]] = []
    /// For each event the number of its piece and its offset there, where its length stands.
    private var places: [UInt32] = []

    private static let pieceBytes = 1 << 16

    /// No events.
    package init() {}

    /// Adds the encoding of an event, which has at most 200 bytes.
    package mutating func append(_ encoding: [UInt8]) {
        if (pieces.last?.count ?? Self.pieceBytes) + 1 + encoding.count > Self.pieceBytes {
            var piece: [UInt8] = []
            piece.reserveCapacity(Self.pieceBytes)
            pieces.append(piece)
        }
        let last = pieces.count - 1
        places.append(UInt32(last << 16 | pieces[last].count))
        pieces[last].append(UInt8(encoding.count))
        pieces[last] += encoding
    }

    /// Keeps the events with these indices, in this order.
    package mutating func select(_ indices: [Int]) { places = indices.map { places[$0] } }
}

extension EncodedEvents: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { places.count }

    package subscript(index: Int) -> [UInt8] {
        let (piece, offset) = (Int(places[index] >> 16), Int(places[index] & 0xFFFF))
        return Array(pieces[piece][(offset + 1)...].prefix(Int(pieces[piece][offset])))
    }
}
