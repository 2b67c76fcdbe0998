/// A bug in the simulated environment of a peer; see ``Mutant``. Each checker has one at least that
/// it alone has to catch.
package enum EnvironmentMutant: String, Hashable, Sendable, CaseIterable {
    // The journal.
    /// A receipt is handed out as soon as its batch is given to the journal.
    case ackBeforeCommit = "ack-before-commit"
    /// The marks by which a repetition is found are written in a transaction of their own, after
    /// the one that holds the application's writes.
    case dedupeOutsideTransaction = "dedupe-outside-transaction"
    /// A commit counts before it has reached the disk (SQLite's `synchronous=NORMAL`): a crash
    /// loses the last few.
    case synchronousNormal = "synchronous-normal"
    /// A journal's batch is no transaction: of one that was being written in a crash, a part of
    /// the entries is there afterwards.
    case tornBatch = "torn-batch"
    /// A journal's coding loses which records are to be cancelled.
    case halfCoding = "half-coding"
    /// Every opening of a journal gets the name of the first.
    case reuseEpoch = "reuse-epoch"
    /// A peer goes on accepting records after its journal has failed.
    case acceptAfterFailure = "accept-after-failure"
    // The application and its library.
    /// A record is taken from the peer as applied, but never shown to the application.
    case swallowDelivery = "swallow-delivery"
    /// A record is shown to the application twice.
    case deliverTwice = "deliver-twice"
    /// Two neighbours of an ordered channel are shown in the wrong order.
    case swapDeliveries = "swap-deliveries"
    /// A byte of a record is changed before the application sees it.
    case alterByte = "alter-byte"
    /// An old value of a complication is shown again.
    case showOlderValue = "show-older-value"
    /// Removals are taken as applied and not carried out.
    case swallowRemoval = "swallow-removal"
    /// A record that waits for its commit leaves before it.
    case sendBeforeCommit = "send-before-commit"
    /// A record that is sent again under an idempotency key loses the key.
    case dropKey = "drop-key"
    /// A stage that was reported is reported again.
    case repeatStage = "repeat-stage"
    /// An alarm is not reported to the application.
    case muteAlarm = "mute-alarm"
    /// The counterpart, whose disk is as it was, is said to have lost state.
    case blameCounterpart = "blame-counterpart"
    /// A record is reported applied when it is committed.
    case appliedTooSoon = "applied-too-soon"
    // The link.
    /// From some moment on, nothing that arrives reaches one of the peers.
    case hang
    /// A wake is asked for at once, over and over.
    case spin
    /// Every packet on a carrier that can lose is sent four times.
    case repeatPackets = "repeat-packets"
    // Sealing.
    /// Every handshake draws the same ephemeral key.
    case nonceReset = "nonce-reset"
    /// Some packets are not sealed, and are taken.
    case plainPackets = "plain-packets"
    /// Some packets have a cipher that anybody can undo, and no tag that says anything.
    case weakCipher = "weak-cipher"

    /// Whether it can be planted only where sessions are sealed.
    var needsSealing: Bool {
        switch self {
        case .nonceReset, .plainPackets, .weakCipher: true
        default: false
        }
    }

    /// The checkers of which one alone has to catch it.
    var checkers: [String] {
        switch self {
        case .ackBeforeCommit, .synchronousNormal, .tornBatch, .swallowDelivery: ["nothing-lost"]
        case .dedupeOutsideTransaction, .deliverTwice: ["nothing-twice"]
        case .halfCoding: ["reread"]
        case .acceptAfterFailure: ["journal"]
        case .reuseEpoch: ["status"]
        case .swapDeliveries: ["order"]
        case .alterByte: ["bytes"]
        case .showOlderValue: ["last-writer"]
        case .swallowRemoval: ["convergence"]
        case .sendBeforeCommit: ["commit-first"]
        case .dropKey: ["once-per-key"]
        case .repeatStage: ["stages"]
        case .muteAlarm: ["alarm"]
        case .blameCounterpart: ["counterpart"]
        case .appliedTooSoon: ["status"]
        case .hang: ["liveness"]
        case .spin: ["spin"]
        case .repeatPackets: ["bounds"]
        case .nonceReset: ["nonce"]
        case .plainPackets: ["secrecy"]
        case .weakCipher: ["downgrade"]
        }
    }
}
