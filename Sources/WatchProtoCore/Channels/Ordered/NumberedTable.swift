/// Values by ascending numbers, most of which go in the order in which they came. Its size follows
/// what it holds, however far apart the numbers are.
struct NumberedTable<Value: Sendable>: Sendable {
    /// Ascending; those before `head` are gone.
    private var numbers: [UInt64] = []
    /// Nil where the value was taken out.
    private var values: [Value?] = []
    private var head = 0
    /// The number of entries that have a value.
    private(set) var count = 0

    /// The number of slots, those of removed values included.
    var slotCount: Int { numbers.count }
    /// Whether no number has a value.
    var isEmpty: Bool { count == 0 }
    /// The lowest number that has a value.
    var first: UInt64? { count == 0 ? nil : numbers[head] }

    /// The value of a number.
    subscript(number: UInt64) -> Value? {
        slot(from: number).flatMap { numbers[$0] == number ? values[$0] : nil }
    }

    /// Gives a number a value that is above all before it; any other number is ignored.
    mutating func append(_ number: UInt64, _ value: Value) {
        guard numbers.last.map({ $0 < number }) ?? true else { return }
        numbers.append(number)
        values.append(value)
        count += 1
    }

    /// Changes the value of a number; says nil where it has none.
    @discardableResult
    mutating func modify<Result>(
        _ number: UInt64, _ change: (inout Value) -> Result
    ) -> Result? {
        guard let slot = slot(from: number), numbers[slot] == number, values[slot] != nil else {
            return nil
        }
        return change(&values[slot]!)
    }

    /// Takes the value of a number out.
    @discardableResult
    mutating func remove(_ number: UInt64) -> Value? {
        guard let slot = slot(from: number), numbers[slot] == number, let value = values[slot]
        else { return nil }
        values[slot] = nil
        count -= 1
        while head < values.count, values[head] == nil { head += 1 }
        if values.count > 64, count * 2 < values.count { sweep() }
        return value
    }

    /// The lowest number from `number` on whose value is as asked.
    func first(from number: UInt64, where isWanted: (Value) -> Bool) -> UInt64? {
        guard var slot = slot(from: number) else { return nil }
        while slot < numbers.count {
            if let value = values[slot], isWanted(value) { return numbers[slot] }
            slot += 1
        }
        return nil
    }

    /// The highest number below `number` whose value is as asked.
    func last(below number: UInt64, where isWanted: (Value) -> Bool) -> UInt64? {
        var slot = slot(from: number) ?? numbers.count
        while slot > head {
            slot -= 1
            if let value = values[slot], isWanted(value) { return numbers[slot] }
        }
        return nil
    }

    /// The numbers in `range` that have a value, ascending.
    func numbers(in range: ClosedRange<UInt64>) -> [UInt64] {
        guard var slot = slot(from: range.lowerBound) else { return [] }
        var found: [UInt64] = []
        while slot < numbers.count, numbers[slot] <= range.upperBound {
            if values[slot] != nil { found.append(numbers[slot]) }
            slot += 1
        }
        return found
    }

    /// Changes every value, lowest number first.
    mutating func modifyAll(_ change: (UInt64, inout Value) -> Void) {
        for slot in head..<numbers.count where values[slot] != nil {
            change(numbers[slot], &values[slot]!)
        }
    }

    /// Visits every value, lowest number first.
    func visit(_ body: (UInt64, Value) -> Void) {
        for slot in head..<numbers.count {
            if let value = values[slot] { body(numbers[slot], value) }
        }
    }

    /// The first slot whose number is not below `number`; nil where there is none.
    private func slot(from number: UInt64) -> Int? {
        guard let last = numbers.last, number <= last else { return nil }
        if number == last { return numbers.count - 1 }
        if head < numbers.count, number <= numbers[head] { return head }
        return numbers.partitioningIndex { $0 >= number }
    }

    private mutating func sweep() {
        var kept: [UInt64] = []
        var keptValues: [Value?] = []
        for slot in head..<numbers.count where values[slot] != nil {
            kept.append(numbers[slot])
            keptValues.append(values[slot])
        }
        (numbers, values, head) = (kept, keptValues, 0)
    }
}

/// Two tables are equal when they hold the same.
extension NumberedTable: Equatable where Value: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        var isEqual = true
        left.visit { number, value in if right[number] != value { isEqual = false } }
        return isEqual
    }
}
