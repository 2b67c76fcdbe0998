/// What is to be told of the records of one epoch and lane: once through their numbers for each
/// stage, the furthest first, in as many frames as it takes.
///
/// However many gaps there are, each number gets its turn. A sender may be unable to move its floor
/// before it hears of the highest: a value that was replaced after it had left ends only when the
/// value that replaced it has arrived.
struct ReceiptsDue: Sendable {
    static var all: ClosedRange<UInt64> { 0...UInt64.max }

    let epochIndex: Int
    private var numbers: ClosedRange<UInt64>
    /// The stage to tell next.
    private(set) var stage = Stage.applied
    /// What is left to tell of it.
    private(set) var left: ClosedRange<UInt64>
    private var isBegun = false
    /// What has changed behind our back, to be told when this is through.
    private var later: ClosedRange<UInt64>?

    init(epochIndex: Int, numbers: ClosedRange<UInt64>) {
        self.epochIndex = epochIndex
        self.numbers = numbers
        left = numbers
    }

    /// There is something to tell of these, too.
    mutating func add(_ more: ClosedRange<UInt64>) {
        if !isBegun {
            numbers = numbers.hull(more)
            left = numbers
        } else if stage != .applied || more.lowerBound < left.lowerBound
            || more.upperBound > left.upperBound
        {
            later = later?.hull(more) ?? more
        }
    }

    /// What is below `next` was told, or all (nil). Says whether there is more to tell.
    mutating func told(below next: UInt64?) -> Bool {
        isBegun = true
        if let next {
            left = next...left.upperBound
            return true
        }
        if stage > .received, let lower = Stage(rawValue: stage.rawValue - 1) {
            stage = lower
            left = numbers
            return true
        }
        guard let later else { return false }
        self = ReceiptsDue(epochIndex: epochIndex, numbers: later)
        return true
    }
}

extension ClosedRange<UInt64> {
    /// The shortest range that holds both.
    fileprivate func hull(_ other: Self) -> Self {
        Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}

extension Inbox {
    /// A packet with no more in it than this has room for most receipts.
    private static var littleElseBytes: Int { 64 }

    /// The numbers that a receipt of this stage may name; none when a further stage says as much.
    private func numbers(
        _ lane: Lane, _ epochIndex: Int, at stage: Stage
    ) -> NumberRanges {
        guard let epoch = position(epochIndex) else { return NumberRanges() }
        var numbers = epochs[epoch].lanes[Int(lane.rawValue)]
        if numbers.unknownBelow > 1 { numbers.forgetUnknown() }
        switch stage {
        case .applied: return numbers.applied
        case .committed where numbers.committed != numbers.applied: return numbers.committed
        case .received where numbers.arrived != numbers.committed && numbers.exceptions.isEmpty:
            return numbers.arrived
        default: return NumberRanges()
        }
    }

    /// Whether anything is left to tell of what is due.
    func hasReceipt(_ lane: Lane, _ due: ReceiptsDue) -> Bool {
        var due = due
        repeat {
            if !numbers(lane, due.epochIndex, at: due.stage).isEmpty { return true }
        } while due.told(below: nil)
        return false
    }

    /// Writes receipts that are due, up to where `writer` holds `limit` bytes. An empty packet has
    /// room for at least one range.
    mutating func writeReceipts(
        _ lane: Lane, to writer: inout WireWriter, limit: Int
    ) -> [FrameReference] {
        let index = Int(lane.rawValue)
        var references: [FrameReference] = []
        while let due = lanes[index].receiptsDue.first {
            let all = numbers(lane, due.epochIndex, at: due.stage)
            var next: UInt64?
            if !all.isEmpty {
                var receipt = WireWriter()
                var count = limits.receiptRanges
                while true {
                    let (told, rest) = all.excerpt(from: due.left, atMost: count)
                    next = rest
                    receipt = WireWriter()
                    ReceiptFrame(
                        lane: lane, stage: due.stage, epochIndex: due.epochIndex, numbers: told
                    ).write(to: &receipt, limits: limits)
                    if writer.count + receipt.count <= limit { break }
                    // Cut short only in a packet that has little else: the next one has more room.
                    guard writer.count <= Self.littleElseBytes, count > 1 else {
                        return references
                    }
                    count /= 2
                }
                writer.append(receipt.bytes)
                let last = next.map { $0 - 1 } ?? due.left.upperBound
                references.append(
                    .receipt(
                        lane, epochIndex: due.epochIndex,
                        numbers: due.left.lowerBound...last))
            }
            if !lanes[index].receiptsDue[0].told(below: next) {
                lanes[index].receiptsDue.removeFirst()
            }
        }
        return references
    }
}

extension NumberRanges {
    /// The range that begins with 1, and at most `limit` of the others that touch `numbers`, lowest
    /// first; and where the next one begins, if there is one.
    fileprivate func excerpt(
        from numbers: ClosedRange<UInt64>, atMost limit: Int
    ) -> (NumberRanges, next: UInt64?) {
        var excerpt = NumberRanges()
        var index = ranges.partitioningIndex { $0.upperBound >= numbers.lowerBound }
        if let first = ranges.first, first.lowerBound <= 1 {
            excerpt.insert(first)
            index = max(index, 1)
        }
        let end = index + limit
        while index < ranges.count, ranges[index].lowerBound <= numbers.upperBound {
            guard index < end else { return (excerpt, ranges[index].lowerBound) }
            excerpt.insert(ranges[index])
            index += 1
        }
        return (excerpt, nil)
    }
}
