/// Keeps the packets that arrived last, and puts lost ones together from parity.
///
/// What is kept is bounded, whatever arrives: ``ParityEncoder/byteLimit`` bytes of packets twice
/// over, and as many of parity.
struct ParityDecoder: Sendable {
    private struct Packet: Sendable {
        var number: UInt64
        var source: [UInt8]
    }

    /// Ascending by number.
    private var packets: [Packet] = []
    private var packetBytes = 0
    private var parities: [ParityFrame] = []
    private var parityBytes = 0

    private static let byteLimit = 2 * ParityEncoder.byteLimit
    private static let packetLimit = 2 * ParityFrame.largestCount

    /// Notes what packet `number` carried.
    mutating func arrived(_ number: UInt64, _ frames: [UInt8]) {
        let source = ParityEncoder.source(of: frames)
        guard source.count <= ParityEncoder.byteLimit else { return }
        let place = packets.partitioningIndex { $0.number >= number }
        guard place == packets.count || packets[place].number != number else { return }
        packets.insert(Packet(number: number, source: source), at: place)
        packetBytes += source.count
        while packets.count > Self.packetLimit || packetBytes > Self.byteLimit {
            packetBytes -= packets.removeFirst().source.count
        }
    }

    /// Notes a parity; false where it is known, or nothing is missing of what it combines, as
    /// `received` tells.
    mutating func arrived(_ parity: ParityFrame, received: NumberRanges) -> Bool {
        let last = parity.first + UInt64(parity.count) - 1
        guard !received.covers(parity.first...last),
            parity.bytes.count <= ParityEncoder.byteLimit,
            !parities.contains(where: { $0.first == parity.first && $0.row == parity.row })
        else { return false }
        parities.append(parity)
        parityBytes += parity.bytes.count
        while parities.count > ParityFrame.largestRows || parityBytes > Self.byteLimit {
            parityBytes -= parities.removeFirst().bytes.count
        }
        return true
    }

    /// Whether any parity waits for a packet to arrive, or for another parity.
    var isWaiting: Bool { !parities.isEmpty }

    /// The packets that can be put together now, with their frames. Call after each arrival; what
    /// is given back counts as arrived. Those of a counterpart that combined something else come
    /// out as anything, and may be no frames at all.
    mutating func restored(received: NumberRanges) -> [(number: UInt64, frames: [UInt8])] {
        var found: [(number: UInt64, frames: [UInt8])] = []
        var place = 0
        while place < parities.count {
            let first = parities[place].first
            let count = parities[place].count
            let group = parities.filter { $0.first == first && $0.count == count }
            guard !received.covers(first...(first + UInt64(count) - 1)) else {
                remove(first)
                continue
            }
            let sources = sources(first, count)
            // Those that arrived and are not kept any more have to be solved for as well.
            guard sources.count(where: { $0 == nil }) <= group.count else {
                place += 1
                continue
            }
            found += solve(first, sources, group, received)
            remove(first)
        }
        return found
    }

    /// What is kept of the packets from `first` on.
    private func sources(_ first: UInt64, _ count: Int) -> [[UInt8]?] {
        var sources = [[UInt8]?](repeating: nil, count: count)
        for place in packets.partitioningIndex(where: { $0.number >= first })..<packets.count {
            guard packets[place].number - first < UInt64(count) else { break }
            sources[Int(packets[place].number - first)] = packets[place].source
        }
        return sources
    }

    private func solve(
        _ first: UInt64, _ sources: [[UInt8]?], _ group: [ParityFrame], _ received: NumberRanges
    ) -> [(number: UInt64, frames: [UInt8])] {
        let missing = sources.indices.filter { sources[$0] == nil }
        let combinations = group.map { (row: $0.row, bytes: $0.bytes) }
        guard let solved = ParityCode.restore(sources, from: combinations) else { return [] }
        var found: [(number: UInt64, frames: [UInt8])] = []
        for (place, source) in zip(missing, solved) {
            let number = first + UInt64(place)
            let length = Int(source[0]) | Int(source[1]) << 8
            // One that arrived but is not kept any more was only needed to solve.
            guard !received.contains(number), length <= source.count - 2 else { continue }
            found.append((number, Array(source[2..<(2 + length)])))
        }
        return found
    }

    private mutating func remove(_ first: UInt64) {
        parities.removeAll { parity in
            guard parity.first == first else { return false }
            parityBytes -= parity.bytes.count
            return true
        }
    }
}
