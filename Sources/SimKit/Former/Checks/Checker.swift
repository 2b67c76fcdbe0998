public import WatchProto

/// A stranger that knows one promise, and judges by what applications see.
protocol Checker: Sendable {
    /// Its name in findings.
    static var name: String { get }

    init()

    /// Judges one sight on `side`; `ledger` holds what was seen before it. Nil when all is well.
    mutating func judge(_ sight: Sight, side: Int, _ ledger: Ledger) -> String?
}

/// All checkers over one ledger; keeps the first finding of each.
public struct CheckerPanel: Sendable {
    private var ledger = Ledger()
    private var checkers: [any Checker]
    private var hasFound: [Bool]
    /// The first finding of each checker, in the order found.
    public private(set) var findings: [Finding] = []

    /// The names of all checkers.
    public static var names: [String] { makeCheckers().map { type(of: $0).name } }

    /// Makes a panel that has seen nothing.
    public init() {
        checkers = Self.makeCheckers()
        hasFound = [Bool](repeating: false, count: checkers.count)
    }

    /// One row per promise.
    private static func makeCheckers() -> [any Checker] {
        [
            LossChecker(), DuplicateChecker(), OrderChecker(), NewestChecker(), SetChecker(),
            StageChecker(),
            TruthChecker(), BytesChecker(), BoundsChecker(), JournalChecker(), LivenessChecker(),
            SpinChecker(), KeyChecker(), AlarmChecker(), CommitChecker(),
            RereadChecker(), NonceChecker(), ReplayChecker(), SecrecyChecker(),
            CounterpartChecker(),
            DowngradeChecker(), WinnerChecker(),
        ]
    }

    /// Shows every checker what `side` saw at `now`.
    public mutating func show(_ sight: Sight, side: Int, at now: Instant) {
        ledger.now = now
        for index in checkers.indices {
            guard let message = checkers[index].judge(sight, side: side, ledger) else { continue }
            guard !hasFound[index] else { continue }
            hasFound[index] = true
            let name = type(of: checkers[index]).name
            findings.append(Finding(checker: name, at: now, side: side, message: message))
        }
        ledger.take(sight, side: side)
    }

    /// Records `side` was promised to be delivered and has not been told the end of.
    func unsettledPromises(of side: Int) -> [RecordID] {
        var ids: [RecordID] = []
        for (slot, facts) in ledger.records.values.enumerated()
        where facts.sender == side && facts.isPromised && facts.outcome == nil {
            ids.append(ledger.records.keys[slot])
        }
        return ids
    }

    /// Records of `side` that it has to know the end of, and has not been told.
    func unaccounted(of side: Int) -> [RecordID] {
        var ids: [RecordID] = []
        for (slot, facts) in ledger.records.values.enumerated() where facts.sender == side {
            let id = ledger.records.keys[slot]
            if ledger.isOwed(id, facts), !ledger.isAccountedFor(facts) { ids.append(id) }
        }
        return ids
    }

    /// Whether a record was given to its receiver's application before.
    func wasGivenBefore(_ id: RecordID) -> Bool { ledger[id]?.deliveredLife != nil }

    /// Whether the sender's application was told that a record is durable.
    func isPromised(_ id: RecordID) -> Bool { ledger[id]?.isPromised ?? false }

    /// Whether the sender's application was told that a record is durable on the other side.
    func wasCommittedThere(_ id: RecordID) -> Bool { ledger[id]?.hasLeft ?? false }

    /// Whether a record waits for its own commit, which its sender's disk does not hold.
    func waitsForCommit(_ id: RecordID) -> Bool {
        guard let facts = ledger[id], facts.draft?.waitsForCommit == true else { return false }
        return id.lane.traits.isDurable && !facts.wasCommittedAtOrigin
    }

    /// Whether `side` was told before that it has accepted `id`, under the key of `draft`.
    func isUnderWay(_ id: RecordID, under draft: RecordDraft, of side: Int) -> Bool {
        guard let key = draft.idempotencyKey, let facts = ledger[id] else { return false }
        return facts.sender == side && facts.draft?.idempotencyKey == key
    }

    /// Whether a record was answered without having been given to its receiver's application.
    func wasAnsweredByKey(_ id: RecordID) -> Bool {
        guard let facts = ledger[id] else { return false }
        return facts.draft?.idempotencyKey != nil && facts.deliveredLife == nil
    }

    /// The value that was accepted for a record's key before it; nil where it was the first.
    func valueBefore(_ id: RecordID) -> RecordDraft? {
        guard let facts = ledger[id], let key = facts.draft?.key else { return nil }
        return ledger.records.values.last {
            $0.sender == facts.sender && $0.draft?.lane == id.lane && $0.draft?.key == key
                && $0.sequence < facts.sequence
        }?.draft
    }

    /// When a record expires.
    func expiry(of id: RecordID) -> WallTime? { ledger[id]?.draft?.expiresAt }

    /// Whether a record may expire.
    func hasExpiry(_ id: RecordID) -> Bool { expiry(of: id) != nil }

    /// Whether the application asked for a record back.
    func wasCancelAsked(_ id: RecordID) -> Bool { ledger[id]?.isCancelAsked ?? false }
}
