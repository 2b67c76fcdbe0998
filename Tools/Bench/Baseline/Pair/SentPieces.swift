import WatchProtoCore

/// The parts of its records that a side has put into packets so far, byte by byte. Parts that it
/// sends again are not counted for an ideal.
struct SentPieces {
    private struct Name: Hashable {
        var channel: Channel
        var epochIndex: Int
        var number: UInt64
    }

    private var sent: [Name: SentRanges] = [:]

    /// Notes a packet of `bytes` that leaves with `contents`.
    ///
    /// - Returns: its bytes without those of the pieces that left before: pieces that are new, and
    ///   what one packet takes beside its pieces; nil where nothing in it is new.
    mutating func freshBytes(of contents: PacketContents, in bytes: Int) -> Int? {
        var old = 0
        var isFresh = false
        for piece in contents.pieces {
            let name = Name(
                channel: piece.channel, epochIndex: piece.epochIndex, number: piece.number)
            let end = piece.partBytes.map { piece.offset + $0 } ?? Int.max
            let (missing, known) = sent[name, default: SentRanges()].add(piece.offset..<end)
            // Of a piece that is partly new, what stands in front of it is needed once more.
            old += missing ? (piece.partBytes == nil ? 0 : known) : piece.frameBytes
            isFresh = isFresh || missing
        }
        return isFresh ? max(1, bytes - old) : nil
    }
}

/// The bytes of one record that have left.
private struct SentRanges {
    /// Apart from each other, in no order; one alone unless parts were left out.
    private var all: [Range<Int>] = []

    /// Adds `range`: whether any of it is new, and how much of it is not.
    mutating func add(_ range: Range<Int>) -> (isFresh: Bool, known: Int) {
        var known = 0
        var whole = range
        all.removeAll { other in
            guard other.lowerBound <= range.upperBound, range.lowerBound <= other.upperBound
            else { return false }
            known += other.clamped(to: range).count
            whole =
                min(whole.lowerBound, other.lowerBound)..<max(whole.upperBound, other.upperBound)
            return true
        }
        all.append(whole)
        return (known < range.count, known)
    }
}
