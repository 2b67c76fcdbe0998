public import WatchProtoCore

/// The part of a device in a pairing.
public enum PairingRole: Hashable, Sendable {
    /// It shows a code, which the user types on the other device.
    case showCode
    /// It was given the code that the other one shows.
    case enterCode(String)
}

/// A step of a pairing.
public enum PairingStep: Sendable {
    /// Six digits to display to the user, good for one attempt.
    case code(String)
    /// The other device knows the code: the user confirms it here, and on the other device.
    case confirm(PairingRequest)
    /// An attempt failed, with so many left. On the device that shows the code, a new code follows.
    /// On the one with the typed code, nothing follows: call
    /// ``CompanionSession/pair(_:over:)`` again with the new code.
    case failed(String, attemptsLeft: Int)
    /// The devices are paired, and this pairing is in use from now on.
    case paired(PairingID)
}

/// Asks the user whether it is the right device.
public struct PairingRequest: Sendable {
    /// The other device's role.
    public let counterpart: DeviceRole
    /// Whether the doses on this watch go with the pairing, because it was paired with another
    /// phone. A phone that was replaced or wiped is another phone.
    public let erasesDoses: Bool
    let confirmation: @Sendable (_ keepingDoses: Bool) -> Void

    /// The user says yes. For no, `cancelPairing()`. The answer counts once, and only while nothing
    /// has failed since the question.
    ///
    /// - Parameter keepingDoses: on a watch, whether the other phone is of the same wearer. It
    ///   receives all doses then. Otherwise they are erased, if ``erasesDoses`` is true.
    public func confirm(keepingDoses: Bool = false) { confirmation(keepingDoses) }
}

/// Why two devices were not paired. Nothing was changed.
public enum PairingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The typed text is no code of six digits. The caller is at fault.
    case badCode
    /// The link or the keys cannot be had.
    case unavailable(String)
    /// Too many attempts failed.
    case tooManyFailures(String)
    /// The time for a code ran out.
    case timedOut
    /// The application gave up.
    case cancelled

    /// The problem and the remedy.
    public var description: String {
        switch self {
        case .badCode: "a pairing code is six digits; type the code that the other device shows"
        case .unavailable(let text), .tooManyFailures(let text): text
        case .timedOut: "the time for the code ran out; pair again"
        case .cancelled: "the pairing was given up"
        }
    }
}

/// The steps of a pairing, for one reader.
public struct PairingSteps: AsyncSequence, Sendable {
    let feed: ElementBuffer<Result<PairingStep, PairingError>>

    /// Reads the steps.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let feed: ElementBuffer<Result<PairingStep, PairingError>>

        /// The next step; nil at the end.
        ///
        /// - Throws: ``PairingError``, which ends the steps.
        public mutating func next() async throws(PairingError) -> PairingStep? {
            try await Self.step(feed)
        }

        /// The next step; nil at the end.
        ///
        /// - Throws: ``PairingError``, which ends the steps.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PairingError) -> PairingStep? {
            try await Self.step(feed)
        }

        private static func step(
            _ feed: ElementBuffer<Result<PairingStep, PairingError>>
        ) async throws(PairingError) -> PairingStep? {
            if let result = await feed.next() { return try result.get() }
            if Task.isCancelled { throw .cancelled }
            return nil
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: feed) }
}
