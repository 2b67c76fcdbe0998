/// A dictionary that may be iterated: its order follows from the operations alone, so that a run
/// replays from its seed. (The order of `Dictionary` changes with every process.)
package struct OrderedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Up to this many keys, a table has no index and is searched one by one.
    private static var fewKeys: Int { 8 }

    /// The places of the keys by their hash, each one higher; 0 where none is. A key stands at the
    /// first free entry from that of its hash on. Empty for few keys.
    private var index: [UInt32] = []
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
        get { place(of: key).map { values[$0] } }
        set {
            if let newValue {
                if let place = place(of: key) {
                    values[place] = newValue
                } else {
                    append(key, newValue)
                }
            } else {
                remove(key)
            }
        }
    }

    /// Changes the value of `key` in place, after putting `initial` there when there is none.
    package mutating func update<Result>(
        _ key: Key, default initial: @autoclosure () -> Value, _ change: (inout Value) -> Result
    ) -> Result {
        if let place = place(of: key) { return change(&values[place]) }
        append(key, initial())
        return change(&values[keys.count - 1])
    }

    /// Changes the value of `key` in place where there is one; says nil where there is none.
    @discardableResult
    package mutating func modify<Result>(
        _ key: Key, _ change: (inout Value) -> Result
    ) -> Result? {
        guard let place = place(of: key) else { return nil }
        return change(&values[place])
    }

    /// Removes the value of `key`, and gives it.
    @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        guard let place = place(of: key) else { return nil }
        let value = values[place]
        removeFromIndex(place)
        let lastKey = keys.removeLast()
        let lastValue = values.removeLast()
        if place < keys.count {
            keys[place] = lastKey
            values[place] = lastValue
        }
        return value
    }

    /// Changes every value in place, in the order of ``keys``.
    package mutating func modifyAll(_ change: (Key, inout Value) -> Void) {
        for place in keys.indices { change(keys[place], &values[place]) }
    }

    /// Empties the table.
    package mutating func removeAll() { self = OrderedTable() }

    // MARK: The index

    private func place(of key: Key) -> Int? {
        guard !index.isEmpty else { return keys.firstIndex(of: key) }
        var entry = firstEntry(of: key)
        while index[entry] != 0 {
            let place = Int(index[entry]) - 1
            if keys[place] == key { return place }
            entry = (entry + 1) & (index.count - 1)
        }
        return nil
    }

    private func firstEntry(of key: Key) -> Int { key.hashValue & (index.count - 1) }

    private mutating func append(_ key: Key, _ value: Value) {
        // A large table grows by a quarter: doubled, it could hold as much room as contents.
        if keys.count == keys.capacity, keys.count >= 1024 {
            keys.reserveCapacity(keys.count + keys.count / 4)
            values.reserveCapacity(keys.capacity)
        }
        keys.append(key)
        values.append(value)
        if index.isEmpty ? keys.count > Self.fewKeys : keys.count * 4 > index.count * 3 {
            index = Array(repeating: 0, count: max(4 * Self.fewKeys, index.count * 2))
            for place in keys.indices { addToIndex(place) }
        } else if !index.isEmpty {
            addToIndex(keys.count - 1)
        }
    }

    private mutating func addToIndex(_ place: Int) {
        var entry = firstEntry(of: keys[place])
        while index[entry] != 0 { entry = (entry + 1) & (index.count - 1) }
        index[entry] = UInt32(place + 1)
    }

    private func entry(of place: Int) -> Int {
        var entry = firstEntry(of: keys[place])
        while index[entry] != UInt32(place + 1) { entry = (entry + 1) & (index.count - 1) }
        return entry
    }

    /// Takes a place out, and gives the last place its number.
    private mutating func removeFromIndex(_ place: Int) {
        guard !index.isEmpty else { return }
        let last = keys.count - 1
        let lastEntry = entry(of: last)
        var gap = entry(of: place)
        index[lastEntry] = UInt32(place + 1)
        // Those behind the gap move up, but never before the first entry of their hash.
        let mask = index.count - 1
        var next = (gap + 1) & mask
        while index[next] != 0 {
            let key = keys[next == lastEntry ? last : Int(index[next]) - 1]
            if (next - firstEntry(of: key)) & mask >= (next - gap) & mask {
                index[gap] = index[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        index[gap] = 0
    }
}

/// Two tables are equal when they hold the same in the same order.
extension OrderedTable: Equatable where Value: Equatable {
    package static func == (left: OrderedTable, right: OrderedTable) -> Bool {
        left.keys == right.keys && left.values == right.values
    }
}
