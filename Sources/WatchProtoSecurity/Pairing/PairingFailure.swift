/// Why a message took a pairing no further.
package enum PairingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes differ, or somebody changed a message or sits between: which of these cannot be
    /// told, and is not. The run is over and its code is burnt.
    case notAuthentic
    /// The other side, which had shown that it knows the code, left off before the end: its user
    /// gave up, or the link or its time ran out. The run is over and its code is burnt.
    case abandoned
    /// The message is none of this step: stray, repeated, of the wrong length. Nothing changed.
    case malformed
    /// The counterpart says that it speaks an older version: update it. Nothing changed; nobody
    /// vouches for what it says.
    case counterpartTooOld(version: UInt8)
    /// The counterpart says that it speaks a newer version: update this device. Nothing changed.
    case counterpartTooNew(version: UInt8)
    /// The counterpart plays the same role, or is this very device. Nothing changed.
    case wrongCounterpart
    /// The run is over: it takes and gives no message any more.
    case over
    /// This host has no memory for keys. The run is over.
    case noSecretMemory

    /// What was seen, what was expected, and what to do.
    package var description: String {
        switch self {
        case .notAuthentic:
            "pairing: seen messages that do not authenticate; expected those of a device that "
                + "knows the code; try: type the new code, and see that nobody else is pairing"
        case .abandoned:
            "pairing: seen that the other side left off before the end; its code is burnt; try: "
                + "pair again with the new code"
        case .malformed: "pairing: seen a message that is none of this step; it was ignored"
        case .counterpartTooOld(let version):
            "pairing: seen that the other side speaks pairing version \(version), this one "
                + "\(Suite.version); try: update the other device"
        case .counterpartTooNew(let version):
            "pairing: seen that the other side speaks pairing version \(version), this one "
                + "\(Suite.version); try: update this device"
        case .wrongCounterpart:
            "pairing: seen a device of the same kind, or this one; expected a phone and a watch"
        case .over: "pairing: seen a message after the end; try: start again with a new code"
        case .noSecretMemory:
            "pairing: seen no memory for keys; try: free memory, or raise the limit of this process"
        }
    }

    init(_ failure: SecurityFailure) {
        switch failure {
        case .authenticationFailure: self = .notAuthentic
        case .malformed: self = .malformed
        case .noSecretMemory: self = .noSecretMemory
        }
    }
}
