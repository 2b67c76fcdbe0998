/// A dictionary that cannot be iterated, and so may have an order that changes with every process.
/// Where the values are listed as well, see ``OrderedTable``, which costs more per change.
struct LookupTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: Value] = [:]

    /// The value of `key`; setting nil removes it.
    subscript(key: Key) -> Value? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// Sets the value of `key`, and gives the one before it.
    @discardableResult
    mutating func update(_ key: Key, to value: Value) -> Value? {
        values.updateValue(value, forKey: key)
    }

    /// Removes the value of `key`, and gives it.
    @discardableResult
    mutating func remove(_ key: Key) -> Value? { values.removeValue(forKey: key) }
}
