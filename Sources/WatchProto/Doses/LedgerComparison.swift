import WatchProtoCore
import WatchProtoRecords

/// A comparison of this device's ledger with another one, question by question. The phone compares;
/// the watch answers. Both descend from the root of a tree of digests to the nodes that differ.
struct LedgerComparison: Sendable {
    /// The step after an answer.
    enum Step: Hashable, Sendable {
        /// The next question.
        case ask(LedgerRequest)
        /// Every node that differs was compared.
        case finished(Next)
    }

    /// The consequence of a comparison.
    enum Next: Hashable, Sendable {
        /// The ledgers are equal.
        case equal
        /// Events came while the ledgers were compared, so they are compared again.
        case afterPause
        /// Neither ledger was found to lack an event: perhaps they are equal since then, or two
        /// short forms were the same. They are compared again, but not for ever.
        case onceMore
        /// This device sends events that the other one lacks, or the other one sends events and
        /// calls then.
        case nothing
    }

    /// When the digests of this ledger were read, or before.
    let begunAt: WallTime
    private let salt: LedgerSalt
    /// The nodes that differ and were not asked for yet.
    private var remaining: [LedgerNode] = []
    /// The events that the last question names, in its order.
    private var named: [UInt128] = []
    /// The digest of this ledger at the beginning.
    private var own = LedgerDigest()
    /// Whether the other device lacked an event.
    private var hasMissing = false
    /// Whether the other device had events that this one lacked.
    private var otherHasMore = false

    init(
        begunAt: WallTime = WallTime(milliseconds: 0),
        salt: LedgerSalt = LedgerSalt(byte: .random(in: 0...255))
    ) {
        self.begunAt = begunAt
        self.salt = salt
    }

    /// Begins: the first question, with the wall clock of the beginning.
    ///
    /// - Throws: the error of a read; the file is at fault.
    mutating func begin(_ ledger: any LedgerStore) throws -> LedgerRequest {
        own = try ledger.digest()
        return .compare(own, salt, at: begunAt)
    }

    /// Receives an answer. `missing` gets the identities of this ledger that the other one lacks.
    ///
    /// - Returns: the next step; nil if this is no answer to the question.
    /// - Throws: the error of a read; the file is at fault.
    mutating func receive(
        _ reply: LedgerReply, to request: LedgerRequest, _ ledger: any LedgerStore,
        missing: inout [UInt128]
    ) throws -> Step? {
        var tree = try LedgerTree(ledger)
        switch (request, reply) {
        case (.compare, .equal): return .finished(.equal)
        case (.compare, .digests(let digests)):
            try descend(from: [.root], digests, &tree, missing: &missing)
        case (.nodes, .found(let found)):
            if found.hasMore { otherHasMore = true }
            missing += zip(named, found.lacks).filter(\.1).map(\.0)
            try descend(from: request.asked.opened, found.digests, &tree, missing: &missing)
        default: return nil
        }
        if !missing.isEmpty { hasMissing = true }
        if !remaining.isEmpty { return .ask(try next(&tree)) }
        if hasMissing { return .finished(.nothing) }
        if tree.whole != own { return .finished(.afterPause) }
        return .finished(otherHasMore ? .nothing : .onceMore)
    }

    /// Finds the children of nodes that differ by the other device's digests.
    private mutating func descend(
        from nodes: [LedgerNode], _ digests: [UInt32], _ tree: inout LedgerTree,
        missing: inout [UInt128]
    ) throws {
        for (child, other) in zip(nodes.flatMap(\.children), digests)
        where try salt.short(tree.digest(of: child)) != other {
            if other == 0 {
                missing += try tree.marks(in: child).map(\.identity)
            } else {
                remaining.append(child)
            }
        }
    }

    /// The nodes of the next question: at least one, and further ones as long as few events are
    /// read for them.
    private mutating func nextNodes(_ tree: LedgerTree) -> [LedgerNode] {
        remaining.sort()
        var (nodes, events): ([LedgerNode], Int) = ([], 0)
        for node in remaining.prefix(LedgerRequest.nodeLimit) {
            if nodes.last?.buckets != node.buckets { events += tree.count(in: node.buckets) }
            guard nodes.isEmpty || events <= LedgerRequest.eventLimit else { break }
            nodes.append(node)
        }
        remaining.removeFirst(nodes.count)
        return nodes
    }

    /// The question about the next nodes.
    private mutating func next(_ tree: inout LedgerTree) throws -> LedgerRequest {
        named = []
        let parts = try nextNodes(tree).map { node in
            guard
                try tree.digest(of: node).count <= LedgerRequest.nameLimit
                    || node.digits == LedgerNode.mostDigits
            else { return LedgerRequest.Part(node: node, names: nil) }
            let marks = try tree.marks(in: node).prefix(LedgerRequest.nameLimit)
            named += marks.map(\.identity)
            return LedgerRequest.Part(node: node, names: marks.map(salt.name))
        }
        return .nodes(salt, parts)
    }
}

extension LedgerRequest {
    /// The answer of a ledger. `missing` gets its identities that the asker lacks.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func answer(
        _ ledger: any LedgerStore, missing: inout [UInt128]
    ) throws -> LedgerReply {
        switch self {
        case .call: return .acknowledged
        case .compare(let digest, let salt, _):
            var tree = try LedgerTree(ledger)
            return tree.whole == digest ? .equal : .digests(try tree.children(of: .root, salt))
        case .nodes(let salt, let parts):
            var tree = try LedgerTree(ledger)
            var found = LedgerReply.Findings()
            for part in parts {
                guard let names = part.names else {
                    found.digests += try tree.children(of: part.node, salt)
                    continue
                }
                let own = try tree.marks(in: part.node).map { ($0.identity, salt.name($0)) }
                let (known, theirs) = (Set(own.map(\.1)), Set(names))
                let others = own.filter { !theirs.contains($0.1) }.map(\.0)
                // The comparison after the call finds the rest.
                missing += others.prefix(max(0, Self.missingLimit - missing.count))
                if !others.isEmpty { found.hasMore = true }
                found.lacks += names.map { !known.contains($0) }
            }
            return .found(found)
        }
    }
}
