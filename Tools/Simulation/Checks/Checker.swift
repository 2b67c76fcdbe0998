package import WatchProtoCore

/// An observer that knows one promise, and evaluates what applications see.
protocol Checker: Sendable {
    /// Its name in findings.
    static var name: String { get }

    init()

    /// Evaluates one observation on `side`; `ledger` holds what was seen before it. Nil when all
    /// is well.
    mutating func evaluate(_ observation: RunObservation, side: Int, _ ledger: Ledger) -> String?
}

/// All checkers over one ledger; keeps the first finding of each.
package struct CheckerPanel: Sendable {
    private(set) var ledger = Ledger()
    private var checkers: [any Checker]
    /// The place of the first checker of sealing; only those checkers evaluate packets.
    private let firstOfSealing: Int
    private var hasFound: [Bool]
    /// The first finding of each checker, in the order found.
    package private(set) var findings: [Finding] = []

    /// The names of all checkers.
    package static var names: [String] {
        (makeCheckers() + makeSealingCheckers()).map { type(of: $0).name }
    }

    /// Makes a panel that has seen nothing.
    package init() {
        let others = Self.makeCheckers()
        firstOfSealing = others.count
        checkers = others + Self.makeSealingCheckers()
        hasFound = [Bool](repeating: false, count: checkers.count)
    }

    /// One row per promise.
    private static func makeCheckers() -> [any Checker] {
        [
            LossChecker(), DuplicateChecker(), OrderChecker(), LastWriterChecker(),
            ConvergenceChecker(), StageChecker(), StatusChecker(), BytesChecker(),
            BoundsChecker(), JournalChecker(), LivenessChecker(), SpinChecker(), KeyChecker(),
            AlarmChecker(), CommitChecker(), RereadChecker(), CounterpartChecker(), CopyChecker(),
            HandbackChecker(), DecisionChecker(), ResetChecker(),
        ]
    }

    private static func makeSealingCheckers() -> [any Checker] {
        [
            NonceChecker(), ReplayChecker(), SecrecyChecker(), DowngradeChecker(),
            AmplificationChecker(),
        ]
    }

    /// Shows every checker what `side` saw at `now`.
    package mutating func show(_ observation: RunObservation, side: Int, at now: Instant) {
        ledger.now = now
        let first = observation.isOfPackets ? firstOfSealing : 0
        for index in first..<checkers.count {
            guard let message = checkers[index].evaluate(observation, side: side, ledger) else {
                continue
            }
            guard !hasFound[index] else { continue }
            hasFound[index] = true
            let name = type(of: checkers[index]).name
            findings.append(Finding(checker: name, at: now, side: side, message: message))
        }
        if first == 0 { ledger.take(observation, side: side) }
    }

    /// Records of `side` that were promised and whose end its application was not told.
    func unsettledPromises(of side: Int) -> [RecordID] {
        ledger.select { _, facts in
            facts.sender == side && facts.isPromised && facts.outcome == nil
                && facts.renamed == nil
        }
    }

    /// Records that `side` accepted, and those that go on under another name.
    func accepted(by side: Int) -> [RecordID] {
        ledger.select { _, facts in facts.sender == side && facts.draft != nil }
    }

    /// The key of an accepted record.
    func key(of id: RecordID) -> RecordKey? { ledger[id]?.draft?.key }

    /// The keys of values that `side` accepted.
    func keys(of side: Int) -> [(Channel, RecordKey)] { ledger.keys(of: side) }

    /// Whether a record was given to its receiver's application before.
    func wasGivenBefore(_ id: RecordID) -> Bool { ledger[id]?.deliveredLife != nil }

    /// Whether the sender's application was told that a record is durable.
    func isPromised(_ id: RecordID) -> Bool { ledger[id]?.isPromised ?? false }

    /// Whether a record waits for its own commit, which its sender's disk does not hold.
    func waitsForCommit(_ id: RecordID) -> Bool {
        guard let facts = ledger[id], facts.draft?.waitsForCommit == true else { return false }
        return id.channel.traits.isDurable && !facts.wasQueued
    }

    /// Whether `side` was told before that it has accepted `id`, as the record of `draft`.
    func isUnderWay(_ id: RecordID, as draft: RecordDraft, of side: Int) -> Bool {
        guard let facts = ledger[id], facts.sender == side, let first = facts.draft else {
            return false
        }
        return draft.key == nil && first.idempotencyKey == draft.idempotencyKey
            && draft.idempotencyKey != nil
    }

    /// Whether a record was answered without having been given to its receiver's application.
    func wasAnsweredByKey(_ id: RecordID) -> Bool {
        guard let facts = ledger[id] else { return false }
        return facts.draft?.idempotencyKey != nil && facts.deliveredLife == nil
    }

    /// Whether the application asked for a record back.
    func wasCancelAsked(_ id: RecordID) -> Bool { ledger[id]?.isCancelAsked ?? false }
}
