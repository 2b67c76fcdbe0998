package import WatchProtoCore

/// Coordinates pairing for a host, on either side: codes, attempts and time around one ``Pairing``
/// after another. Time is an argument; the host sends, receives, displays and asks.
///
/// - A code is good for one run and for ``lifeOfCodes``. A failed run burns it.
/// - The third failed run ends pairing. Only a new coordinator begins again, by an action of the
///   user.
/// - Only ``Event/paired(_:send:)`` carries keys.
package struct PairingCoordinator: Sendable {
    /// The number of failed runs that ends pairing.
    package static let attemptLimit = 3
    /// How long a code is good for by default: 120 s.
    package static let codeLife: Duration = .seconds(120)

    /// The result of a message, of time, or of an action of the user.
    package enum Event: Sendable {
        /// Send this to the counterpart.
        case send([UInt8])
        /// Store this: both sides have confirmed. If there is a message, send it afterwards.
        case paired(PairedDevice, send: [UInt8]?)
        /// The run failed and its code is burnt. Display `next`, or ask the user for a new one.
        case failed(PairingFailure, attemptsLeft: Int, next: PairingCode?)
        /// The third run failed: pairing is over.
        case tooManyFailures(PairingFailure)
        /// The code expired; no attempt is counted. Display `next`, or ask for a new one.
        case expired(next: PairingCode?)
        /// The user gave up: pairing is over.
        case cancelled
        /// A stray message, or one of another version. Nothing changed.
        case ignored(PairingFailure)
        /// There is nothing to do.
        case nothing
    }

    /// Why a code cannot be displayed or entered. The caller is at fault, and nothing changed.
    package enum Refusal: Error, Hashable, Sendable {
        /// Pairing on this coordinator is over.
        case over
        /// A run is under way.
        case busy
        /// The code was entered before. Display another one first.
        case usedBefore
    }

    private enum State: Sendable {
        case idle
        case running(Pairing, PairingCode, isShowing: Bool, until: Instant)
        /// The displaying side has confirmed. A lost confirmation is still repeated.
        case paired(Pairing)
        case over
    }

    private let identity: PairingIdentity
    private let random: RandomSource
    private let arena: KeyArena
    /// How long a code of this coordinator is good for.
    package let lifeOfCodes: Duration
    private var state = State.idle
    private var usedCodes: Set<PairingCode> = []
    /// Runs that failed.
    package private(set) var failures = 0

    /// Opens a coordinator, by an action of the user.
    ///
    /// - Precondition: `lifeOfCodes` is positive and no longer than ``codeLife``.
    package init(
        _ identity: PairingIdentity, lifeOfCodes: Duration = Self.codeLife,
        random: RandomSource = .system, arena: KeyArena = .shared
    ) {
        precondition(lifeOfCodes > .zero && lifeOfCodes <= Self.codeLife)
        (self.identity, self.random, self.arena) = (identity, random, arena)
        self.lifeOfCodes = lifeOfCodes
    }

    /// When the code in use expires; call ``tick(at:)`` then.
    package var deadline: Instant? {
        if case .running(_, _, _, let until) = state { until } else { nil }
    }

    /// Draws a code for the display.
    ///
    /// - Throws: ``Refusal`` if pairing is over or a run is under way.
    package mutating func showCode(at now: Instant) throws(Refusal) -> PairingCode {
        try checkIdle()
        return draw(at: now)
    }

    /// Accepts the typed code and returns the first message to send.
    ///
    /// - Throws: ``Refusal``, also if this coordinator has used the code before: an attacker may
    ///   have tested a guess at it then.
    package mutating func enterCode(
        _ code: PairingCode, at now: Instant
    ) throws(Refusal) -> [UInt8] {
        try checkIdle()
        guard !usedCodes.contains(code) else { throw .usedBefore }
        usedCodes.insert(code)
        let run = Pairing(entering: code, as: identity, random: random, arena: arena)
        state = .running(
            run, code, isShowing: false, until: now.advanced(by: lifeOfCodes))
        return run.opening ?? []
    }

    /// Handles a message of the counterpart.
    package mutating func receive(_ message: [UInt8], at now: Instant) -> Event {
        if case .paired(var run) = state {
            guard case .send(let bytes)? = try? run.receive(message) else { return .nothing }
            return .send(bytes)
        }
        let passed = tick(at: now)
        guard case .nothing = passed else { return passed }
        guard case .running(var run, let code, let isShowing, let until) = state else {
            return .ignored(.over)
        }
        do throws(PairingFailure) {
            let step = try run.receive(message)
            switch step {
            case .send(let bytes):
                state = .running(run, code, isShowing: isShowing, until: until)
                return .send(bytes)
            case .paired(let device, let bytes):
                state = .paired(run)
                return .paired(device, send: bytes)
            }
        } catch {
            guard run.hasFailed else { return .ignored(error) }
            return fail(error, isShowing: isShowing, at: now)
        }
    }

    /// Reports that the link is gone or the counterpart is silent. If a guess may have been made,
    /// the run counts as failed. An unauthenticated peer that only said hello costs no attempt.
    package mutating func abandon(at now: Instant) -> Event {
        let passed = tick(at: now)
        guard case .nothing = passed,
            case .running(let run, let code, let isShowing, let until) = state
        else { return passed }
        if run.isCommitted { return fail(Self.end(of: run), isShowing: isShowing, at: now) }
        if isShowing {
            let fresh = Pairing(showing: code, as: identity, random: random, arena: arena)
            state = .running(fresh, code, isShowing: true, until: until)
        } else {
            // Nothing was said under the code: it may be entered again.
            usedCodes.remove(code)
            state = .idle
        }
        return .nothing
    }

    /// Restarts a run without a guess, after its link is gone, under the same code. Returns the
    /// first message to send on the entering side; nil if a guess may have been made, or no code is
    /// in use.
    mutating func restart() -> [UInt8]? {
        guard case .running(let run, let code, let isShowing, let until) = state, !run.isCommitted
        else { return nil }
        let fresh =
            isShowing
            ? Pairing(showing: code, as: identity, random: random, arena: arena)
            : Pairing(entering: code, as: identity, random: random, arena: arena)
        state = .running(fresh, code, isShowing: isShowing, until: until)
        return fresh.opening
    }

    /// Fails the run, because the other side is gone and the result was not kept.
    mutating func reject(at now: Instant) -> Event {
        guard case .paired = state else { return .nothing }
        return fail(.abandoned, isShowing: true, at: now)
    }

    /// The failure of a run that the other side abandoned. If the other side had shown that it
    /// knows the code, the code was not wrong. If it left after this side's guess without showing
    /// it, that is how a wrong code looks on the entering side, because the displaying side answers
    /// nothing.
    private static func end(of run: Pairing) -> PairingFailure {
        run.hasProof ? .abandoned : .notAuthentic
    }

    /// Whether the other device has shown that it knows the code.
    var hasProof: Bool {
        switch state {
        case .running(let run, _, _, _): run.hasProof
        case .paired: true
        case .idle, .over: false
        }
    }

    /// Whether a guess at the code may have been made in this run.
    var isCommitted: Bool {
        if case .running(let run, _, _, _) = state { run.isCommitted } else { false }
    }

    /// The other device, once it has shown that it knows the code.
    var counterpart: PairingIdentity? {
        if case .running(let run, _, _, _) = state { run.counterpart } else { nil }
    }

    /// Cancels pairing for the user.
    package mutating func cancel() -> Event {
        switch state {
        case .over, .paired: return .nothing
        case .idle, .running:
            state = .over
            return .cancelled
        }
    }

    /// Handles the passage of time.
    package mutating func tick(at now: Instant) -> Event {
        guard case .running(let run, _, let isShowing, let until) = state, now >= until else {
            return .nothing
        }
        // An unfinished run under an old code is a failed one if a guess may have been made.
        if run.isCommitted { return fail(Self.end(of: run), isShowing: isShowing, at: now) }
        state = .idle
        return .expired(next: isShowing ? draw(at: now) : nil)
    }

    private func checkIdle() throws(Refusal) {
        switch state {
        case .idle: return
        case .running: throw .busy
        case .paired, .over: throw .over
        }
    }

    private mutating func draw(at now: Instant) -> PairingCode {
        var code: PairingCode
        repeat { code = PairingCode(random) } while usedCodes.contains(code)
        usedCodes.insert(code)
        let run = Pairing(showing: code, as: identity, random: random, arena: arena)
        state = .running(run, code, isShowing: true, until: now.advanced(by: lifeOfCodes))
        return code
    }

    private mutating func fail(
        _ failure: PairingFailure, isShowing: Bool, at now: Instant
    ) -> Event {
        failures += 1
        guard failures < Self.attemptLimit else {
            state = .over
            return .tooManyFailures(failure)
        }
        state = .idle
        return .failed(
            failure, attemptsLeft: Self.attemptLimit - failures,
            next: isShowing ? draw(at: now) : nil)
    }
}
