/// The bytes of a text in pieces of one size, so that those that have been read can be given back
/// before the text ends.
package final class ChunkedText {
    private var chunks: [[UInt8]] = []
    private let shift: Int
    private var size = 0
    private var released = 0
    /// Reads a piece; nil for a text whose pieces were given.
    private let read: ((Int) -> [UInt8])?
    /// The pieces that were read and not given back.
    private var loaded: [Int] = []

    /// Bytes of a piece.
    package static let chunkBytes = 1 << 16

    /// An empty text, to which pieces are appended.
    package init() {
        shift = 16
        read = nil
    }

    /// The text of these bytes, in one piece.
    package init(_ bytes: [UInt8]) {
        shift = Int.bitWidth - 2
        chunks = [bytes]
        size = bytes.count
        read = nil
    }

    /// A text of `count` bytes whose pieces are read when they are needed, and again when they are
    /// needed after they were given back.
    ///
    /// - Parameters:
    ///   - count: the bytes of the text.
    ///   - read: returns the bytes of a piece, of which the last one is shorter than the others.
    package init(count: Int, reading read: @escaping (Int) -> [UInt8]) {
        shift = 16
        size = count
        chunks = Array(repeating: [], count: (count + Self.chunkBytes - 1) / Self.chunkBytes)
        self.read = read
    }

    /// Appends bytes.
    package func append(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            if size & (Self.chunkBytes - 1) == 0 {
                chunks.append([])
                chunks[chunks.count - 1].reserveCapacity(Self.chunkBytes)
            }
            let part = rest.prefix(Self.chunkBytes - size & (Self.chunkBytes - 1))
            chunks[chunks.count - 1] += part
            size += part.count
            rest = rest.dropFirst(part.count)
        }
    }

    /// The number of bytes, with those that were given back.
    package var count: Int { size }

    /// Takes out all bytes, of which none were given back. The text is given back.
    package func takeBytes() -> [UInt8] {
        var bytes = chunks.count == 1 ? chunks[0] : []
        bytes.reserveCapacity(size)
        for place in chunks.indices {
            if bytes.count < size { bytes += chunks[place] }
            chunks[place] = []
        }
        released = chunks.count
        return bytes
    }

    /// Gives back the pieces that end before an offset. If they were given and not read, nobody may
    /// read them again.
    package func release(before offset: Int) {
        guard read == nil else {
            let kept = loaded.filter { $0 >= offset >> shift }
            for place in loaded where place < offset >> shift { chunks[place] = [] }
            loaded = kept
            return
        }
        while released < offset >> shift {
            chunks[released] = []
            released += 1
        }
    }

    /// The bytes of a range; nil if some of them were given back.
    package func slice(_ range: Range<Int>) -> [UInt8]? {
        guard range.isEmpty || range.lowerBound >> shift >= released else { return nil }
        return range.map { self[$0] }
    }

    private func load(_ place: Int) {
        guard let read else { return }
        chunks[place] = read(place)
        loaded.append(place)
    }
}

extension ChunkedText: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { size }

    package subscript(position: Int) -> UInt8 {
        let place = position >> shift
        if chunks[place].isEmpty { load(place) }
        return chunks[place][position & (1 << shift - 1)]
    }
}
