/// A dictionary that may be iterated: its order follows from the operations alone, so that a run
/// replays from its seed. (The order of `Dictionary` changes with every process.)
package struct OrderedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var slots: [Key: Int] = [:]
    /// The keys, in an order that depends only on insertions and removals.
    package private(set) var keys: [Key] = []
    /// The values, in the order of ``keys``.
    package private(set) var values: [Value] = []

    package init() {}

    /// The number of keys that have a value.
    package var count: Int { keys.count }
    /// Whether no key has a value.
    package var isEmpty: Bool { keys.isEmpty }

    /// The value of `key`. Setting nil removes; a removal moves the last key into the gap.
    package subscript(key: Key) -> Value? {
        get { slots[key].map { values[$0] } }
        set {
            guard let newValue else {
                remove(key)
                return
            }
            // One search where the key is new, which it mostly is.
            if let slot = slots.updateValue(keys.count, forKey: key) {
                slots[key] = slot
                values[slot] = newValue
            } else {
                keys.append(key)
                values.append(newValue)
            }
        }
    }

    /// Changes the value of `key` in place, after putting `initial` there when there is none.
    package mutating func update<Result>(
        _ key: Key, default initial: @autoclosure () -> Value, _ change: (inout Value) -> Result
    ) -> Result {
        if let slot = slots[key] { return change(&values[slot]) }
        slots[key] = keys.count
        keys.append(key)
        values.append(initial())
        return change(&values[keys.count - 1])
    }

    /// Changes the value of `key` in place where there is one; says nil where there is none.
    @discardableResult
    package mutating func modify<Result>(
        _ key: Key, _ change: (inout Value) -> Result
    ) -> Result? {
        guard let slot = slots[key] else { return nil }
        return change(&values[slot])
    }

    /// Removes the value of `key`, and gives it.
    @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        guard let slot = slots.removeValue(forKey: key) else { return nil }
        let value = values[slot]
        closeGap(at: slot)
        return value
    }

    /// Changes every value in place, in the order of ``keys``.
    package mutating func modifyAll(_ change: (Key, inout Value) -> Void) {
        for slot in keys.indices { change(keys[slot], &values[slot]) }
    }

    /// Empties the table.
    package mutating func removeAll() {
        slots.removeAll()
        keys.removeAll()
        values.removeAll()
    }

    private mutating func closeGap(at slot: Int) {
        let lastKey = keys.removeLast()
        let lastValue = values.removeLast()
        if slot < keys.count {
            keys[slot] = lastKey
            values[slot] = lastValue
            slots[lastKey] = slot
        }
    }
}

/// Two tables are equal when they hold the same in the same order.
extension OrderedTable: Equatable where Value: Equatable {}
