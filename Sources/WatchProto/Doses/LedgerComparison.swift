import WatchProtoCore
import WatchProtoRecords

/// A comparison of this device's ledger with another one, question by question. The phone compares;
/// the watch answers.
struct LedgerComparison: Sendable {
    /// The step after an answer.
    enum Step: Hashable, Sendable {
        /// The next question.
        case ask(LedgerRequest)
        /// Every bucket was compared. The ledgers had the same events, or now both devices send
        /// what the other one lacks.
        case finished(wereEqual: Bool)
    }

    /// The buckets that differ and were not asked for yet, with the other device's digests.
    private var remaining: [(bucket: Int, other: LedgerDigest)] = []
    /// The ranges of the bucket under way that were not asked for yet.
    private var ranges: [LedgerRequest] = []
    /// The digests of this ledger at the beginning.
    private var own: [LedgerDigest] = []
    /// Whether an event was missing on either side.
    private var isMissingAny = false

    /// Begins: the first question.
    ///
    /// - Throws: the error of a read; the file is at fault.
    mutating func begin(_ ledger: any LedgerStore) throws -> LedgerRequest {
        own = try ledger.digests()
        return .compare(own.reduce(into: LedgerDigest()) { $0.formUnion($1) })
    }

    /// Takes an answer. `missing` gets the identities of this ledger that the other one lacks.
    ///
    /// - Throws: the error of a read; the file is at fault.
    mutating func receive(
        _ reply: LedgerReply, _ ledger: any LedgerStore, missing: inout [UInt128]
    ) throws -> Step {
        switch reply {
        case .equal, .heard: return .finished(wereEqual: !isMissingAny)
        case .buckets(let others):
            for (bucket, other) in others.enumerated() where other != own[bucket] {
                if other.count == 0 {
                    missing += try ledger.identities(in: LedgerDigest.range(of: bucket))
                } else {
                    remaining.append((bucket, other))
                }
            }
        case .lacks(let identities): missing += identities
        }
        if !missing.isEmpty { isMissingAny = true }
        while ranges.isEmpty, let next = remaining.popLast() {
            if next.other.count != own[next.bucket].count { isMissingAny = true }
            ranges = LedgerRequest.ranges(
                of: try ledger.identities(in: LedgerDigest.range(of: next.bucket)),
                in: LedgerDigest.range(of: next.bucket)
            ).reversed()
        }
        return ranges.popLast().map { .ask($0) } ?? .finished(wereEqual: !isMissingAny)
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
        case .call: return .heard
        case .compare(let digest):
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
