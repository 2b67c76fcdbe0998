import WatchProtoCore
import WatchProtoRecords

/// A comparison of this device's ledger with another one, question by question. The phone compares;
/// the watch answers.
struct LedgerComparison: Sendable {
    /// The step after an answer.
    enum Step: Hashable, Sendable {
        /// The next question.
        case ask(LedgerRequest)
        /// Every bucket was compared.
        case finished(Next)
    }

    /// The consequence of a comparison.
    enum Next: Hashable, Sendable {
        /// The ledgers are equal.
        case equal
        /// Events came while the ledgers were compared, so they are compared again.
        case afterPause
        /// The other ledger had no more events than this one, and lacks none by now: perhaps they
        /// are equal since then. They are compared again, but not for ever: it may have the same
        /// identities with different bytes.
        case onceMore
        /// This device sends events that the other one lacks, or the other one sends events and
        /// calls then.
        case nothing
    }

    /// When the digests of this ledger were read, or before.
    let begunAt: WallTime
    /// The buckets that differ and were not asked for yet, with the other device's digests.
    private var remaining: [(bucket: Int, other: LedgerDigest)] = []
    /// The ranges of the bucket under way that were not asked for yet.
    private var ranges: [LedgerRequest] = []
    /// The digests of this ledger at the beginning.
    private var own: [LedgerDigest] = []
    /// Whether the other device lacked an event.
    private var hasMissing = false
    /// Whether the other device had more events in a bucket.
    private var otherHasMore = false

    init(begunAt: WallTime = WallTime(milliseconds: 0)) { self.begunAt = begunAt }

    /// Begins: the first question, with the wall clock of the beginning.
    ///
    /// - Throws: the error of a read; the file is at fault.
    mutating func begin(_ ledger: any LedgerStore) throws -> LedgerRequest {
        own = try ledger.digests()
        return .compare(own.reduce(into: LedgerDigest()) { $0.formUnion($1) }, at: begunAt)
    }

    /// Receives an answer. `missing` gets the identities of this ledger that the other one lacks.
    ///
    /// - Returns: the next step; nil if this is no answer to the question.
    /// - Throws: the error of a read; the file is at fault.
    mutating func receive(
        _ reply: LedgerReply, to request: LedgerRequest, _ ledger: any LedgerStore,
        missing: inout [UInt128]
    ) throws -> Step? {
        switch (request, reply) {
        case (.compare, .equal): return .finished(.equal)
        case (.compare, .buckets(let others)):
            for (bucket, other) in others.enumerated() where other != own[bucket] {
                if other.count > own[bucket].count { otherHasMore = true }
                if other.count == 0 {
                    missing += try ledger.identities(in: LedgerDigest.range(of: bucket))
                } else {
                    remaining.append((bucket, other))
                }
            }
        case (.range(_, _, let asked), .lacks(let identities)):
            guard Set(identities).isSubset(of: asked) else { return nil }
            missing += identities
        default: return nil
        }
        if !missing.isEmpty { hasMissing = true }
        while ranges.isEmpty, let next = remaining.popLast() {
            let range = LedgerDigest.range(of: next.bucket)
            ranges = LedgerRequest.ranges(
                of: try ledger.identities(in: range), in: range
            ).reversed()
        }
        if let question = ranges.popLast() { return .ask(question) }
        if hasMissing { return .finished(.nothing) }
        if try ledger.digests() != own { return .finished(.afterPause) }
        return .finished(otherHasMore ? .nothing : .onceMore)
    }
}

extension LedgerRequest {
    /// Questions about all of a bucket, each within the limit of identities.
    fileprivate static func ranges(
        of identities: [UInt128], in bucket: ClosedRange<UInt128>
    ) -> [LedgerRequest] {
        var ranges: [LedgerRequest] = []
        var first = bucket.lowerBound
        var rest = identities[...]
        while rest.count > identityLimit {
            let part = rest.prefix(identityLimit)
            rest = rest.dropFirst(identityLimit)
            let last = part[part.endIndex - 1]
            ranges.append(.range(first: first, last: last, Array(part)))
            first = last + 1
        }
        ranges.append(.range(first: first, last: bucket.upperBound, Array(rest)))
        return ranges
    }

    /// The answer of a ledger. `missing` gets its identities that the asker lacks.
    ///
    /// - Throws: the error of a read; the file is at fault.
    func answer(
        _ ledger: any LedgerStore, missing: inout [UInt128]
    ) throws -> LedgerReply {
        switch self {
        case .call: return .acknowledged
        case .compare(let digest, _):
            let own = try ledger.digests()
            let whole = own.reduce(into: LedgerDigest()) { $0.formUnion($1) }
            return whole == digest ? .equal : .buckets(own)
        case .range(let first, let last, let others):
            guard first <= last,
                LedgerDigest.bucket(of: first) == LedgerDigest.bucket(of: last)
            else { return .lacks([]) }
            let own = try ledger.identities(in: first...last)
            let (known, theirs) = (Set(own), Set(others))
            missing += own.filter { !theirs.contains($0) }
            return .lacks(others.filter { !known.contains($0) })
        }
    }
}
