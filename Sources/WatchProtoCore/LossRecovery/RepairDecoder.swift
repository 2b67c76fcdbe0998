/// Stores the packets that arrived last, and recovers lost ones from repair packets.
///
/// Its memory is bounded, whatever arrives: twice ``RepairEncoder/byteLimit`` bytes of packets, and
/// as many of repair packets.
struct RepairDecoder: Sendable {
    /// A packet recovered from repair packets.
    struct Recovered: Hashable, Sendable {
        /// Its number.
        var number: UInt64
        /// Its frames. A counterpart that combined something else makes them anything.
        var frames: [UInt8]
    }

    private struct Packet: Sendable {
        var number: UInt64
        var source: [UInt8]
    }

    /// Ascending by number.
    private var packets: [Packet] = []
    private var packetBytes = 0
    private var repairs: [RepairFrame] = []
    private var repairBytes = 0

    private static let byteLimit = 2 * RepairEncoder.byteLimit
    private static let packetLimit = 2 * RepairFrame.mostPackets

    /// Bytes of the packets and repair packets stored, and how many of each.
    var stored: (packets: Int, packetBytes: Int, repairs: Int, repairBytes: Int) {
        (packets.count, packetBytes, repairs.count, repairBytes)
    }

    /// Stores the frames of packet `number`.
    mutating func arrived(_ number: UInt64, _ frames: [UInt8]) {
        let source = RepairEncoder.source(of: frames)
        guard source.count <= RepairEncoder.byteLimit else { return }
        let place = packets.partitioningIndex { $0.number >= number }
        guard place == packets.count || packets[place].number != number else { return }
        packets.insert(Packet(number: number, source: source), at: place)
        packetBytes += source.count
        while packets.count > Self.packetLimit || packetBytes > Self.byteLimit {
            packetBytes -= packets.removeFirst().source.count
        }
    }

    /// Stores a repair packet; false where it is known, or where all packets of its block are in
    /// `received`.
    mutating func arrived(_ repair: RepairFrame, received: NumberRanges) -> Bool {
        let last = repair.first + UInt64(repair.count) - 1
        guard !received.covers(repair.first...last),
            repair.bytes.count <= RepairEncoder.byteLimit,
            !repairs.contains(where: { $0.first == repair.first && $0.index == repair.index })
        else { return false }
        repairs.append(repair)
        repairBytes += repair.bytes.count
        while repairs.count > RepairFrame.mostRepairs || repairBytes > Self.byteLimit {
            repairBytes -= repairs.removeFirst().bytes.count
        }
        return true
    }

    /// Whether any repair packet waits for a packet or for another repair packet.
    var isWaiting: Bool { !repairs.isEmpty }

    /// The packets that can be recovered now. Call after each arrival, and treat each recovered
    /// packet as arrived.
    mutating func recovered(received: NumberRanges) -> [Recovered] {
        var found: [Recovered] = []
        var place = 0
        while place < repairs.count {
            let first = repairs[place].first
            let count = repairs[place].count
            let block = repairs.filter { $0.first == first && $0.count == count }
            guard !received.covers(first...(first + UInt64(count) - 1)) else {
                remove(first)
                continue
            }
            let sources = sources(first, count)
            // Packets that arrived but are not stored any more have to be solved for as well.
            guard sources.count(where: { $0 == nil }) <= block.count else {
                place += 1
                continue
            }
            found += solve(first, sources, block, received)
            remove(first)
        }
        return found
    }

    /// The stored packets from `first` on; nil for those that are not stored.
    private func sources(_ first: UInt64, _ count: Int) -> [[UInt8]?] {
        var sources = [[UInt8]?](repeating: nil, count: count)
        for place in packets.partitioningIndex(where: { $0.number >= first })..<packets.count {
            guard packets[place].number - first < UInt64(count) else { break }
            sources[Int(packets[place].number - first)] = packets[place].source
        }
        return sources
    }

    private func solve(
        _ first: UInt64, _ sources: [[UInt8]?], _ block: [RepairFrame], _ received: NumberRanges
    ) -> [Recovered] {
        let missing = sources.indices.filter { sources[$0] == nil }
        let combinations = block.map { (index: $0.index, bytes: $0.bytes) }
        guard let solved = ErasureCode.recover(sources, from: combinations) else { return [] }
        var found: [Recovered] = []
        for (place, source) in zip(missing, solved) {
            let number = first + UInt64(place)
            let length = Int(source[0]) | Int(source[1]) << 8
            // A packet that arrived before was only needed to solve the equations.
            guard !received.contains(number), length <= source.count - 2 else { continue }
            found.append(Recovered(number: number, frames: Array(source[2..<(2 + length)])))
        }
        return found
    }

    private mutating func remove(_ first: UInt64) {
        repairs.removeAll { repair in
            guard repair.first == first else { return false }
            repairBytes -= repair.bytes.count
            return true
        }
    }
}

/// FEC of early packets, which have numbers of their own, on carriers that can lose.
struct EarlyRepair: Sendable {
    /// Bytes by which an early packet is shorter so that its repair packet fits, too.
    static let overheadBytes = RepairEncoder.overhead(first: 127)
    /// The early packets that left.
    var encoder = RepairEncoder()
    /// Repair packets that leave next.
    var due: [RepairFrame] = []
    /// The early packets that came.
    var decoder = RepairDecoder()
}
