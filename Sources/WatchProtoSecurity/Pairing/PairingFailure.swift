/// Why a message did not advance a pairing.
package enum PairingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes differ, the link was lost under a guess, or there is an attacker between the
    /// devices. These cases cannot be distinguished. The run is over and its code is burnt.
    case notAuthentic
    /// The other side had shown that it knows the code, and stopped before the end: its user gave
    /// up, or its link or time ended. The run is over and its code is burnt.
    case abandoned
    /// The message does not belong to this step: it is stray, repeated, or of the wrong length.
    /// Nothing changed.
    case malformed
    /// The counterpart claims to speak an older version: update it. Nothing changed; the claim is
    /// not authenticated.
    case counterpartTooOld(version: UInt8)
    /// The counterpart claims to speak a newer version: update this device. Nothing changed.
    case counterpartTooNew(version: UInt8)
    /// The counterpart has the same role, or is this very device. Nothing changed.
    case wrongCounterpart
    /// The run is over: it neither handles nor sends messages.
    case over
    /// This host has no memory for keys. The run is over.
    case noSecretMemory

    /// The finding, the expectation and the remedy.
    package var description: String {
        switch self {
        case .notAuthentic:
            "pairing: seen no message of a device that knows the code: the code was wrong, the "
                + "link was lost, or somebody else is pairing; try: type the new code; if the "
                + "other device shows the same code still, cancel there and show another one"
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
