/// A known way to build such a system wrongly, planted for a whole run, so that the checkers can
/// show that they would find it by exploring. For tests only.
public enum Canary: String, Hashable, Sendable, CaseIterable {
    /// A receipt is handed out as soon as its batch is given to the journal.
    case ackBeforeCommit
    /// What repetitions are known by is written in a transaction of its own, after the one that
    /// holds the application's writes.
    case dedupeOutsideTransaction
    /// What idempotency keys were answered is known in memory alone: a restart forgets them.
    case keysInMemory
    /// A record with an expiry is dropped, and nobody is told.
    case dropExpiring
    /// A record that is asked back is dropped, and nobody is told whether it counts.
    case dropCancelled
    /// Once the counterpart has lost its disk, all that is still under way counts as ended, nobody
    /// knows how, and is dropped.
    case unknownQueue
    /// Once the counterpart has lost its disk, what it had committed before counts as applied.
    case assumeApplied
    /// A record with an expiry is not offered before that, and then reported expired.
    case holdBack
    /// Every packet on a carrier that loses is sent twice, whatever became of it.
    case repeatPackets
    /// Used numbers are known from the queue alone: opened with an empty one, the journal counts
    /// from 1 again, in the epoch it always has then.
    case numberReuse
    /// What was to wait for its own commit leaves before: a phone knows of a dose that a kill takes
    /// away from the watch.
    case sendBeforeCommit
    /// A commit counts before it has reached the disk (SQLite's `synchronous=NORMAL`): a crash
    /// loses the last few.
    case synchronousNormal
    /// Removals are taken as applied and not carried out.
    case removalSwallowed
    /// A delta is applied to the value before the one it was made against.
    case wrongBase
    /// A journal's coding loses which records are to be taken back.
    case halfCoding
    /// The epochs of a side count in the wrong order: of two values of a key the older one wins.
    case olderWins
    /// A journal's batch is no transaction: of one that was being written in a crash, a part of
    /// the entries is there afterwards.
    case tornBatch
    /// Nothing in a handshake is fresh: every session has the keys of the first one, and counts its
    /// packets from 0 again.
    case nonceReset
    /// A flight that opens a handshake is written anew with the ephemeral key of the one before:
    /// the same key and number seal another greeting.
    case flightRewritten
    /// No packet number is remembered: what is replayed in its session opens again.
    case replayWindowOff
    /// The replay window begins one number too low: the newest packet opens again.
    case replayWindowOffByOne
    /// The numbers of first flights that were taken are known in memory alone: after a restart an
    /// old one counts as new, and what came behind it is taken again.
    case gateInMemory
    /// The number of a first flight is never compared with those that were taken: what came behind
    /// an old one is taken again.
    case gateOpen
    /// Some packets are not sealed, and are taken.
    case plainPackets
    /// Some packets have a cipher that anybody can undo, and no tag that says anything.
    case weakCipher
    /// Early data that the counterpart did not take counts as taken: it is not offered again.
    case earlyForgotten
    /// Early data that did not come is said to have been taken.
    case earlyOverclaimed

    /// Whether it can be made only where sessions are sealed.
    public var needsSealing: Bool {
        switch self {
        case .nonceReset, .flightRewritten, .replayWindowOff, .replayWindowOffByOne,
            .gateInMemory, .gateOpen, .plainPackets, .weakCipher, .earlyForgotten,
            .earlyOverclaimed:
            true
        default: false
        }
    }

    /// Whether sealed sessions hide it from its checkers: none of 10,000 seeds shows it there.
    ///
    /// What may be transmitted is bounded, and filling and early data make that bound too wide for
    /// packets that are repeated.
    public var needsClear: Bool { self == .repeatPackets }

    /// The mistake in a few words.
    public var mistake: String {
        switch self {
        case .ackBeforeCommit: "a receipt before the commit"
        case .dedupeOutsideTransaction: "the deduplication table outside the transaction"
        case .keysInMemory: "idempotency keys in memory alone"
        case .dropExpiring: "a record with an expiry is dropped without a word"
        case .dropCancelled: "a record that is asked back is dropped without a word"
        case .unknownQueue: "a queue given up as unknown when the counterpart lost its disk"
        case .assumeApplied: "what a counterpart had that lost its disk counts as applied"
        case .holdBack: "a record with an expiry is held back until it has expired"
        case .repeatPackets: "every packet is sent twice for no reason"
        case .numberReuse: "record numbers used again after a restart"
        case .sendBeforeCommit: "a record that waits for its commit leaves before it"
        case .synchronousNormal: "synchronous=NORMAL: a crash loses the last commits"
        case .removalSwallowed: "a removal is taken as applied and not carried out"
        case .wrongBase: "a delta applied to an older value than it was made against"
        case .halfCoding: "a journal's coding loses what is to be taken back"
        case .olderWins: "epochs in the wrong order: the older value wins"
        case .tornBatch: "half a batch of the journal is there after a crash"
        case .nonceReset: "packet numbers begin anew under the same key"
        case .flightRewritten: "another first flight under the same key and number"
        case .replayWindowOff: "no replay window"
        case .replayWindowOffByOne: "a replay window that takes its newest packet again"
        case .gateInMemory: "numbers of first flights in memory alone"
        case .gateOpen: "numbers of first flights that nobody checks"
        case .plainPackets: "packets that are not sealed"
        case .weakCipher: "packets of a weak cipher, without a tag"
        case .earlyForgotten: "early data that was not taken is not offered again"
        case .earlyOverclaimed: "early data is said to be taken that did not come"
        }
    }

    /// The checkers that are there to notice: it counts as caught by one of them alone.
    public var checkers: [String] {
        switch self {
        case .ackBeforeCommit: ["truth", "nothing-lost"]
        case .dedupeOutsideTransaction: ["nothing-twice"]
        case .keysInMemory: ["once-per-key"]
        case .dropExpiring, .dropCancelled: ["nothing-lost"]
        case .unknownQueue: ["truth"]
        case .assumeApplied: ["nothing-lost"]
        case .holdBack: ["liveness"]
        case .repeatPackets: ["bounds"]
        case .numberReuse: ["nothing-lost", "bytes"]
        case .sendBeforeCommit: ["commit-first"]
        case .synchronousNormal: ["nothing-lost", "truth"]
        case .removalSwallowed: ["whole-set"]
        case .wrongBase: ["bytes"]
        case .halfCoding: ["reread"]
        case .olderWins: ["winner"]
        case .tornBatch: ["nothing-lost", "nothing-twice", "truth"]
        case .nonceReset, .flightRewritten: ["nonce"]
        case .replayWindowOff, .replayWindowOffByOne, .gateInMemory, .gateOpen: ["replay"]
        case .plainPackets: ["secrecy"]
        case .weakCipher: ["downgrade"]
        case .earlyForgotten, .earlyOverclaimed: ["liveness", "nothing-lost"]
        }
    }
}
