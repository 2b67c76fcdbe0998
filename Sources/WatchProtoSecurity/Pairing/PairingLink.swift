package import WatchProtoCore

/// Pairing over the carriers of a link, without I/O. It sends the messages of a
/// ``PairingCoordinator`` as packets, repeats them if they may be lost, and asks both users before
/// anything is kept.
///
/// Bytes, time and users' actions go in; packets and events come out. After every call, send
/// `takeOutgoing()`, handle ``takeEvents()``, close the carrier if ``mustClose``, and sleep until
/// `nextDeadline`. It wants one carrier after the other while ``wantsLink``.
package struct PairingLink: Sendable {
    /// An event for the users and the host.
    package enum Event: Sendable {
        /// Display this code: the former one was burnt, or expired.
        case code(PairingCode)
        /// Ask the user whether to pair with this device, which has shown that it knows the code.
        case confirm(PairingIdentity)
        /// Both have confirmed. Make the device durable, then call `stored(at:)`, or
        /// `notStored(at:)` if that failed.
        case store(PairedDevice)
        /// A run failed and its code is burnt. The side that entered it needs the new one.
        case failed(PairingFailure, attemptsLeft: Int)
        /// The code expired. The side that entered it needs the new one.
        case expired
        /// A message from a peer that does not pair with this side. It is not authenticated.
        case advice(Advice)
        /// Pairing is over.
        case ended(Ending)
    }

    /// How pairing ended.
    package enum Ending: Hashable, Sendable {
        /// Both sides hold the pairing.
        case paired
        /// The third run failed.
        case tooManyFailures(PairingFailure)
        /// No user acted in time: to confirm, to enter the next code, or to enter any code that was
        /// displayed.
        case timedOut
        /// The user gave up in time, or the result could not be kept.
        case cancelled
    }

    /// A message in clear from a peer on the link.
    package enum Advice: Hashable, Sendable {
        /// The other device does not pair now: it neither displays a code nor was given one.
        case notPairing
        /// The other device's user gave up.
        case gaveUp
        /// The code was entered on the other device as well. One of the two must display it.
        case entersAsWell
        /// The other device speaks another version, or is of the same kind.
        case refused(PairingFailure)
    }

    /// How long a counterpart may take for the answer that needs no user: 10 s.
    package static let answerTime: Duration = .seconds(10)
    /// How long a new connection may be silent: 1 s.
    package static let introductionTime: Duration = .seconds(1)
    /// How long the displaying side stays on the link, so that the other receives the end: 2 s; on
    /// carriers that can lose ``answerTime``.
    package static let farewellTime: Duration = .seconds(2)
    /// The number of unanswered codes after which pairing ends by itself: 5, which is ten minutes
    /// at the longest life of a code. Otherwise a user who walked away would have neither a pairing
    /// nor the former session.
    package static let unansweredCodeLimit = 5
    /// The number of different messages of unauthenticated peers that the user sees in one pairing.
    package static let adviceLimit = 8
    /// The wait before a message that may be lost is repeated: 500 ms, each time. ``answerTime``
    /// has room for twenty. With three of ten packets lost each way, in bursts of three, waits that
    /// double left one pairing in six incomplete.
    static let repetitionTime: Duration = .milliseconds(500)
    /// How long the true answer to a guess may take after an advisory called the guess wrong: 1 s.
    static let refusalTime: Duration = .seconds(1)

    enum Held: Sendable {
        /// The entering side's last message, until its user confirms.
        case message([UInt8])
        /// The device that the displaying side keeps when its user confirms, and its answer then.
        case device(PairedDevice, answer: [UInt8]?)
        /// The device is being kept.
        case storing(answer: [UInt8]?)
    }

    var coordinator: PairingCoordinator
    var traits: CarrierTraits?
    let random: RandomSource
    var framing = Self.emptyFraming
    var outgoing: [OutgoingPacket] = []
    private var events: [Event] = []
    /// The peer whose messages count: the displaying side speaks with one at a time.
    var admission = PairingAdmission()
    /// The cookies that show that a sender can be reached; if datagrams may be lost, on the
    /// displaying side.
    var cookies: AddressCookies<BLAKE2bCookies>?
    /// The cookie of this side's address; zero before it is known.
    var cookie: UInt128 = 0
    /// Whether another cookie is accepted before the next repetition.
    var awaitsCookie = true
    /// Limits the work that messages of unauthenticated peers cause.
    var work = RateLimiter(burst: 64, perSecond: 32)
    /// The last message that belonged to the run.
    var lastTaken: [UInt8] = []
    /// Dropped packets: invalid, of a peer whose turn it is not, or not authentic.
    package internal(set) var droppedPackets: UInt64 = 0
    /// When the code in use expires.
    var codeUntil: Instant?
    /// When the wait for a code to be entered ends.
    var idleUntil: Instant?
    /// The first message of the entered code, to be sent on the next link.
    var opening: [UInt8]?
    var isEntering = false
    var confirmsAhead = false
    var held: Held?
    /// The entering side's last message, which its user has confirmed.
    var confirmed: [UInt8]?
    /// When a message or device that waits for a user is discarded.
    var heldUntil: Instant?
    /// When the displaying side's answer is due that needs no user, or the first message of a
    /// connection.
    var answerDue: Instant?
    /// The entering side's last message on a carrier that can lose, and when it is repeated.
    var repetition: (message: [UInt8], at: Instant)?
    var farewellUntil: Instant?
    var toldAdvice: Set<Advice> = []
    /// Codes that were displayed and expired.
    var unansweredCodes = 0
    /// Whether pairing is over.
    package internal(set) var isOver = false
    /// Whether to close the open carrier, once the outgoing packets have left.
    package internal(set) var mustClose = false

    /// Opens pairing on this side, by an action of the user.
    ///
    /// - Precondition: `lifeOfCodes` is positive and no longer than `PairingCoordinator.codeLife`.
    package init(
        _ identity: PairingIdentity, lifeOfCodes: Duration = PairingCoordinator.codeLife,
        random: RandomSource = .system, arena: KeyArena = .shared
    ) {
        self.random = random
        coordinator = PairingCoordinator(
            identity, lifeOfCodes: lifeOfCodes, random: random, arena: arena)
    }

    // MARK: Questions of the host

    /// Whether a carrier is wanted: a code is displayed, or one was entered.
    package var wantsLink: Bool { !isOver && traits == nil && (coordinator.deadline != nil) }

    /// Whether this side sends the first message on the next carrier: a code was entered here.
    package var speaksFirst: Bool { opening != nil }

    /// When ``wake(at:)`` must be called.
    package var nextDeadline: Instant? {
        guard !isOver else { return nil }
        let all = [
            coordinator.deadline, heldUntil, answerDue, repetition?.at, farewellUntil, idleUntil,
            admission.nextDeadline, cookies?.nextRotation,
        ]
        return all.compactMap(\.self).min()
    }

    /// Returns the packets for the carrier, in order. They belong to the caller.
    package mutating func takeOutgoing() -> [OutgoingPacket] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Returns the events since the last call, in order.
    package mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    // MARK: The carrier

    /// Handles an open carrier. If datagrams may be lost, the displaying side has one socket for
    /// all peers, and the entering side its own.
    package mutating func linkUp(_ carrier: CarrierTraits, at now: Instant) {
        traits = carrier
        framing = Self.emptyFraming
        outgoing = []
        lastTaken = []
        mustClose = false
        admission.ended()
        if isEntering {
            answerDue = now.advanced(by: Self.answerTime)
        } else if carrier.isLossy {
            cookies = AddressCookies(secret: random.bytes(32), at: now)
        } else {
            answerDue = now.advanced(by: Self.introductionTime)
        }
        if let opening { send(opening, at: now) }
    }

    /// Handles the end of the carrier.
    package mutating func linkDown(at now: Instant) {
        guard traits != nil else { return }
        traits = nil
        mustClose = false
        cookies = nil
        forgetExchange()
        outgoing = []
        if farewellUntil != nil {
            end(.paired)
        } else if !isOver {
            abandon(at: now)
        }
    }

    // MARK: Shared by the extension

    mutating func tell(_ event: Event) { events.append(event) }

    mutating func advise(_ advice: Advice) {
        // Each advice is reported once, and only a few in all.
        guard toldAdvice.count < Self.adviceLimit else { return }
        if toldAdvice.insert(advice).inserted { tell(.advice(advice)) }
    }

    /// Ends the exchange and closes the carrier, unless it is the socket for all peers.
    mutating func closeCarrier() {
        forgetExchange()
        if let traits, isOver || isEntering || !traits.isLossy { mustClose = true }
    }

    private mutating func forgetExchange() {
        admission.ended()
        lastTaken = []
        answerDue = nil
        repetition = nil
    }

    mutating func end(_ ending: Ending) {
        guard !isOver else { return }
        isOver = true
        forgetHeld()
        closeCarrier()
        tell(.ended(ending))
    }

    mutating func forgetHeld() {
        held = nil
        heldUntil = nil
    }
}
