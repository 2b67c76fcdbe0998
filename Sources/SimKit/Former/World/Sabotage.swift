/// A mistake planted on purpose, in the host between peer and application, so that a checker can
/// show that it notices. For tests only.
public enum Sabotage: Hashable, Sendable, CaseIterable {
    /// A record is taken from the peer as applied, but never shown to the application.
    case swallowDelivery
    /// A record is shown to the application twice.
    case deliverTwice
    /// Two neighbours of an ordered lane are shown in the wrong order.
    case swapDeliveries
    /// A byte of a record is changed before the application sees it.
    case alterByte
    /// A newest-per-key value is shown again after its successor.
    case showOlderValue
    /// A removal is taken from the peer as applied, and the value goes on being shown.
    case keepRemoved
    /// A delta is applied to the value before the one it was made against.
    case wrongBase
    /// The last entry of a batch is not read again.
    case misread
    /// A receipt is handed out for journal entries that are not durable yet.
    case lieAboutReceipt
    /// A stage that was reported is reported again.
    case repeatStage
    /// From some moment on, nothing that arrives reaches one of the peers.
    case hang
    /// A wake is asked for at once, over and over.
    case spin
    /// A record that has settled is said to be under way.
    case hoard
    /// A journal is said to have failed, and accepts a record all the same.
    case acceptAfterFailure
    /// A record that is sent again under an idempotency key loses the key on its way to the peer.
    case dropKey
    /// A record that is to wait for its own commit is not told so on its way to the peer.
    case hurryDraft
    /// A packet has the key and the number of another one. In sealed sessions.
    case sealAgain
    /// A packet that was opened is opened again. In sealed sessions.
    case openAgain
    /// A piece of a packet stands on the wire. In sealed sessions.
    case sendReadable
    /// A record comes of a packet that was not opened. In sealed sessions.
    case takeUnopened
    /// A value handed back is an older one of its key than its sender's own.
    case handOlderBack
    /// An alarm is not shown to the application.
    case muteAlarm
    /// The counterpart, whose disk is as it was, is said to have lost what it held.
    case blameCounterpart

    /// The checker that is there to notice.
    public var checker: String {
        switch self {
        case .swallowDelivery: "nothing-lost"
        case .deliverTwice: "nothing-twice"
        case .swapDeliveries: "order"
        case .alterByte: "bytes"
        case .showOlderValue: "newest"
        case .keepRemoved: "whole-set"
        case .wrongBase: "bytes"
        case .misread: "reread"
        case .lieAboutReceipt: "truth"
        case .repeatStage: "stages"
        case .hang: "liveness"
        case .spin: "spin"
        case .hoard: "bounds"
        case .acceptAfterFailure: "journal"
        case .dropKey: "once-per-key"
        case .hurryDraft: "commit-first"
        case .sealAgain: "nonce"
        case .openAgain: "replay"
        case .sendReadable: "secrecy"
        case .takeUnopened: "downgrade"
        case .handOlderBack: "winner"
        case .muteAlarm: "alarm"
        case .blameCounterpart: "counterpart"
        }
    }
}
