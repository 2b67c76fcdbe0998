/// Identities of events in the order in which they are to be queued, each once.
struct IdentityQueue: Sendable {
    /// Removed identities stay here until they come to the front.
    private var order: [UInt128] = []
    private var head = 0
    private var members: Set<UInt128> = []

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }

    func contains(_ identity: UInt128) -> Bool { members.contains(identity) }

    /// Adds the identities that are not there.
    mutating func append(_ identities: some Sequence<UInt128>) {
        for identity in identities where members.insert(identity).inserted {
            order.append(identity)
        }
    }

    /// The first identity, which stays.
    mutating func first() -> UInt128? {
        while head < order.count, !members.contains(order[head]) { head += 1 }
        if head >= 1024 || head == order.count {
            order.removeFirst(head)
            head = 0
        }
        return head < order.count ? order[head] : nil
    }

    /// Removes the first identity.
    mutating func removeFirst() {
        guard let identity = first() else { return }
        members.remove(identity)
        head += 1
    }

    /// Removes an identity, wherever it stands.
    mutating func remove(_ identity: UInt128) { members.remove(identity) }
}
