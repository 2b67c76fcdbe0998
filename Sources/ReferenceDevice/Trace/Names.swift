internal import ControlProtocol
package import WatchProto

/// How the control protocol calls things.
extension ContentKind {
    /// The kind in commands and traces; its number where it has no name.
    package var controlName: String {
        switch self {
        case .opaque: "opaque"
        case .message: "message"
        case .medication: "medication"
        case .medicationRemoval: "medication_removal"
        case .doseEvent: "dose"
        case .complication: "complication"
        case .applicationContext: "context"
        case .userInfo: "user_info"
        case .file: "file"
        default: String(rawValue)
        }
    }
}

extension Channel {
    /// The channel in commands, events and traces.
    package var controlName: String {
        switch self {
        case .urgent: "urgent"
        case .interactive: "interactive"
        case .complication: "complication"
        case .background: "background"
        case .context: "context"
        case .bulk: "bulk"
        case .block: "block"
        }
    }
}

extension Outcome {
    /// How a record ended, in one word.
    package var controlName: String {
        switch self {
        case .applied: "applied"
        case .superseded: "superseded"
        case .cancelled: "cancelled"
        case .expired: "expired"
        case .rejected(FileExchange.Refused.cancelled): "cancelled"
        case .rejected: "rejected"
        case .unknown: "unknown"
        case .outcomeUnknown: "outcome_unknown"
        case .notDelivered: "not_delivered"
        }
    }
}

extension SendRefusal {
    /// Why a record was not taken, in one word.
    package var controlName: String {
        switch self {
        case .notReachable: "not_reachable"
        case .tooLarge: "too_large"
        case .queueFull: "queue_full"
        case .tooManyKeys: "too_many_keys"
        case .setTooLarge: "set_too_large"
        case .channelMismatch: "channel_mismatch"
        case .alreadyExpired: "already_expired"
        case .journalFailed: "journal_failed"
        }
    }
}

extension Stage {
    /// How far a record is, in one word.
    package var controlName: String {
        switch self {
        case .queued: "queued"
        case .sent: "sent"
        case .received: "received"
        case .committed: "committed"
        case .applied: "applied"
        }
    }
}

extension ActivationState {
    /// The state in one word.
    package var controlName: String {
        switch self {
        case .notActivated: "not_activated"
        case .inactive: "inactive"
        case .activated: "activated"
        }
    }
}

extension ReachabilityEvidence {
    /// The evidence in one word.
    package var controlName: String {
        let cause = cause
        return switch cause {
        case .sessionActivated: "session_activated"
        case .heard: "heard"
        case .linkDown: "link_down"
        case .silence: "silence"
        case .counterpartSaidSo: "counterpart_said_so"
        }
    }
}

extension ReachabilityEvidence {
    /// Adds the members of an event: the cause, when each direction was last proved, and how often
    /// the link flapped.
    func add(to members: inout JSONObject) {
        members["evidence"] = .string(controlName)
        if let inboundProof { members["heard_ns"] = .whole(inboundProof.nanoseconds) }
        if let outboundProof { members["answered_ns"] = .whole(outboundProof.nanoseconds) }
        members["flaps"] = .whole(flapCount)
    }
}

extension EpochID {
    /// Sixteen hexadecimal digits.
    package var hex: String { Hex.text(UInt128(rawValue), digits: 16) }
}

extension RecordKey {
    /// Thirty-two hexadecimal digits.
    package var hex: String { Hex.text(rawValue, digits: 32) }
}

/// Numbers of fixed length in base 16.
package enum Hex {
    /// The lowest `digits` digits of `value`, in lower case.
    package static func text(_ value: UInt128, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
