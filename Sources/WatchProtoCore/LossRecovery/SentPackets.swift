/// The packets in flight, oldest first.
struct SentPackets<Reference: PacketReference>: Sendable {
    /// A packet in flight.
    struct Packet: Sendable {
        var number: UInt64
        var sentAt: Instant
        var bytes: Int
        var references: [Reference]
        /// Pacing delayed the packet, or delays others behind it.
        var wasPaced: Bool
        /// The number of the last repair packet of its block; its own number where there is none.
        var coveredBy: UInt64
    }

    private var packets: [Packet?] = []
    /// The numbers of all that stand in ``packets``, those taken out included.
    private var numbers: [UInt64] = []
    private var head = 0
    /// Packets in flight.
    private(set) var count = 0
    /// Their bytes.
    private(set) var bytes = 0

    var isEmpty: Bool { count == 0 }

    /// The oldest packet.
    var first: Packet? { head < packets.count ? packets[head] : nil }

    /// All packets, oldest first.
    var all: [Packet] { packets[head...].compactMap { $0 } }

    mutating func append(_ packet: Packet) {
        packets.append(packet)
        numbers.append(packet.number)
        count += 1
        bytes += packet.bytes
    }

    /// Sets the length of packet `number` if it is the one that was added last; says whether it is.
    mutating func setLast(_ number: UInt64, bytes: Int) -> Bool {
        guard numbers.last == number, packets[packets.count - 1] != nil else { return false }
        packets[packets.count - 1]?.bytes = bytes
        self.bytes += bytes
        return true
    }

    /// Records that repair packets up to number `last` cover the packets in `range`.
    mutating func cover(_ range: ClosedRange<UInt64>, by last: UInt64) {
        var place = numbers[head...].partitioningIndex { $0 >= range.lowerBound }
        while place < numbers.count, numbers[place] <= range.upperBound {
            packets[place]?.coveredBy = last
            place += 1
        }
    }

    /// Takes out the packets whose numbers are in `range`, oldest first.
    mutating func remove(_ range: ClosedRange<UInt64>) -> [Packet] {
        var removed: [Packet] = []
        var place = numbers[head...].partitioningIndex { $0 >= range.lowerBound }
        while place < numbers.count, numbers[place] <= range.upperBound {
            if let packet = take(place) { removed.append(packet) }
            place += 1
        }
        advance()
        return removed
    }

    /// Takes out the packets that are lost, of all up to `last`, oldest first.
    mutating func remove(upTo last: UInt64, where isLost: (Packet) -> Bool) -> [Packet] {
        var removed: [Packet] = []
        var place = head
        while place < numbers.count, numbers[place] <= last {
            if let packet = packets[place], isLost(packet), take(place) != nil {
                removed.append(packet)
            }
            place += 1
        }
        advance()
        return removed
    }

    /// Takes out the oldest `count` packets.
    mutating func removeFirst(_ count: Int) -> [Packet] {
        var removed: [Packet] = []
        while removed.count < count, let first = first {
            removed.append(first)
            _ = take(head)
            advance()
        }
        return removed
    }

    private mutating func take(_ place: Int) -> Packet? {
        guard let packet = packets[place] else { return nil }
        packets[place] = nil
        count -= 1
        bytes -= packet.bytes
        return packet
    }

    /// Moves the head to the oldest packet in flight. The empty front leaves in one sweep.
    private mutating func advance() {
        while head < packets.count, packets[head] == nil { head += 1 }
        guard head > 64, head * 2 > packets.count else { return }
        packets.removeFirst(head)
        numbers.removeFirst(head)
        head = 0
    }
}
