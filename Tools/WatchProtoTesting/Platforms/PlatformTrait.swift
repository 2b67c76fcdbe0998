/// A limit or a fault of a platform. The raw value is its name in a test.
enum PlatformTrait: String, CaseIterable, Sendable {
    // Limits.
    case messageBytes = "message-bytes"
    case inboxBytes = "inbox-bytes"
    case outboxBytes = "outbox-bytes"
    case userInfoBytes = "user-info-bytes"
    case stateBytes = "state-bytes"
    case messagesInFlight = "messages-in-flight"
    case answerSeconds = "answer-seconds"
    case complicationsPerDay = "complications-per-day"
    case complicationUntags = "complication-untags"
    case stateSeconds = "state-seconds"
    // Faults.
    case userInfoSeconds = "user-info-seconds"
    case offFace = "off-face"
    case flapSeconds = "flap-seconds"
    case watchAsleep = "watch-asleep"
    case oneWay = "one-way"
    case bothHandlers = "both-handlers"
    case errorAfterDelivery = "error-after-delivery"
    case stuckUntilRestart = "queue-stuck-until-restart"
    case stuckUntilNext = "queue-stuck-until-next"
    case userInfoCopies = "user-info-copies"
    case stateCopies = "state-copies"
    case equalStateSkipped = "equal-state-skipped"
    case queueCleared = "queue-cleared"
    case earlyAnswerSeconds = "early-answer-seconds"
    case offlineNeverSent = "offline-never-sent"
    case noUserInfo = "no-user-info"
    case watchSwitchSeconds = "watch-switch-seconds"
}

/// The name of a platform or a trait that there is not; the caller is at fault.
public struct UnknownPlatformName: Error, Hashable, Sendable, CustomStringConvertible {
    let text: String
    let known: [String]

    /// The name, and those that there are.
    public var description: String { "\(text); there are \(known.joined(separator: ", "))" }
}
