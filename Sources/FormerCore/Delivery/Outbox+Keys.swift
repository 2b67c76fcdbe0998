/// Keys of which this side need not know anything any more.
///
/// The removals applied last are remembered: should the counterpart be restored from a backup that
/// holds the value, they tell that this side has removed it. Of one that is forgotten the value
/// would be handed back.
extension Outbox {
    /// The counterpart has applied a removal, which is the last word on its key.
    mutating func noteRemoved(_ index: Int, _ key: RecordKey) {
        guard !lanes[index].removedKeys.contains(key) else { return }
        lanes[index].removedKeys.append(key)
        while lanes[index].removedKeys.count > limits.removals { forgetOldestRemoval(index) }
    }

    /// Makes room for a new key where removed ones take it; false where there is none.
    mutating func makeKeyRoom(_ index: Int) -> Bool {
        while lanes[index].keys.count >= limits.keys {
            guard !lanes[index].removedKeys.isEmpty else { return false }
            forgetOldestRemoval(index)
        }
        return true
    }

    private mutating func forgetOldestRemoval(_ index: Int) {
        let key = lanes[index].removedKeys.removeFirst()
        guard lanes[index].keys[key]?.isRemoved == true else { return }
        lanes[index].keys[key] = nil
        entries.append(.ownKeyForgotten(lanes[index].lane, key))
    }
}
