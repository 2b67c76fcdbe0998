package import WatchProtoCore

/// Pairing over the carriers of a link, without I/O: the messages of a ``PairingDesk`` as packets,
/// repeated where they may be lost, and both users' confirmation before anything is kept.
///
/// Bytes, time and users' acts go in; packets and events come out. After every call take what is in
/// `takeOutgoing()` and ``takeEvents()``, close the carrier if ``mustClose``, and sleep until
/// `nextDeadline`. It wants a carrier while ``wantsLink``, one after the other.
package struct PairingLink: Sendable {
    /// What users and the host are to be told.
    package enum Event: Sendable {
        /// Show this code: the first was burnt, or became too old.
        case code(PairingCode)
        /// Ask the user whether to pair with this device, which has shown that it knows the code.
        case confirm(PairingIdentity)
        /// Both have confirmed: make it durable, then call `stored(at:)`, or
        /// `notStored(at:)` where that failed.
        case store(PairedDevice)
        /// A run failed and its code is burnt. The side that entered it needs the new one.
        case failed(PairingFailure, attemptsLeft: Int)
        /// The code was too old. The side that entered it needs the new one.
        case expired
        /// What somebody says who does not pair with this side. Nobody vouches for it.
        case advice(Advice)
        /// Pairing is over.
        case ended(Ending)
    }

    /// How pairing ended.
    package enum Ending: Hashable, Sendable {
        /// Both hold the pairing.
        case paired
        /// The third run failed.
        case tooManyFailures(PairingFailure)
        /// No user did in time what was asked for: to confirm, to enter the next code, or any of
        /// the codes that were shown.
        case timedOut
        /// The user gave up in time, or what was paired could not be kept.
        case cancelled
    }

    /// Words in clear from somebody on the link.
    package enum Advice: Hashable, Sendable {
        /// The other device does not pair now: no code is shown or was entered there.
        case notPairing
        /// The other device's user gave up.
        case gaveUp
        /// The other device was given a code as well: one of the two has to show it.
        case entersAsWell
        /// The other device speaks another version, or is of the same kind.
        case refused(PairingFailure)
    }

    /// How long a counterpart may take for the answer that needs no user: 10 s.
    package static let answerTime: Duration = .seconds(10)
    /// How long somebody who came may keep silent: 1 s.
    package static let introductionTime: Duration = .seconds(1)
    /// How long the side that showed the code stays on the link for the other to hear the end: 2 s;
    /// on carriers that can lose ``answerTime``.
    package static let farewellTime: Duration = .seconds(2)
    /// How many codes are shown that nobody answers, before pairing ends by itself: 5, ten minutes
    /// where a code lives as long as it may. Who walked off would have neither a pairing nor the
    /// session that was there before.
    package static let unansweredCodeLimit = 5
    /// How many different words of strangers the user hears in one pairing.
    package static let adviceLimit = 8
    /// How long a message that may be lost waits for an answer before it goes again: 500 ms, each
    /// time. Twenty times fit into ``answerTime``: where three packets of ten are lost each way, in
    /// bursts of three, waits that double left one pairing in six undone.
    static let repetitionTime: Duration = .milliseconds(500)
    /// How long the answer to a guess may take once somebody has called the guess wrong: 1 s.
    static let refusalTime: Duration = .seconds(1)

    enum Held: Sendable {
        /// The enterer's last message, until its user confirms.
        case message([UInt8])
        /// What the shower keeps when its user confirms, and what it answers then.
        case device(PairedDevice, answer: [UInt8]?)
        /// It is being kept.
        case storing(answer: [UInt8]?)
    }

    var desk: PairingDesk
    var traits: CarrierTraits?
    let random: RandomSource
    var framing = Self.emptyFraming
    var outgoing: [OutgoingPacket] = []
    private var events: [Event] = []
    /// Whose messages count: the side that shows the code speaks with one at a time.
    var admission = PairingAdmission()
    /// What senders show that they can be reached; where datagrams may be lost, on the side that
    /// shows the code.
    var cookies: AddressCookies<BLAKE2bCookies>?
    /// The cookie of this side's address; zero before it is known.
    var cookie: UInt128 = 0
    /// Whether another cookie is taken before the next repetition.
    var awaitsCookie = true
    /// Bounds the work that messages of strangers cause.
    var work = RateLimiter(burst: 64, perSecond: 32)
    /// The last message that was one of the run's.
    var lastTaken: [UInt8] = []
    /// Packets that were dropped: they were not as they must be, of somebody whose turn it is not,
    /// or did not authenticate.
    package internal(set) var droppedPackets: UInt64 = 0
    /// Until when the code in use is good.
    var codeUntil: Instant?
    /// Until when a code is to be entered.
    var idleUntil: Instant?
    /// The code that was entered is to be said on the next link.
    var opening: [UInt8]?
    var isEntering = false
    var confirmsAhead = false
    var held: Held?
    /// The enterer's last message, which its user has confirmed.
    var confirmed: [UInt8]?
    /// When a held message or device is given up.
    var heldUntil: Instant?
    /// The side that shows the code owes an answer that needs no user; or a connection is to bring
    /// its first message.
    var answerDue: Instant?
    /// The enterer's last message on a carrier that can lose, and when it goes again.
    var repetition: (message: [UInt8], at: Instant)?
    var farewellUntil: Instant?
    var toldAdvice: Set<Advice> = []
    /// Codes that were shown and became too old.
    var unansweredCodes = 0
    /// Whether pairing is over.
    package internal(set) var isOver = false
    /// Whether the open carrier is to be closed, once what is outgoing has left.
    package internal(set) var mustClose = false

    /// Opens pairing on this side, by the user's act.
    ///
    /// - Precondition: `lifeOfCodes` is positive and no longer than `PairingDesk.codeLife`.
    package init(
        _ identity: PairingIdentity, lifeOfCodes: Duration = PairingDesk.codeLife,
        random: RandomSource = .system, arena: KeyArena = .shared
    ) {
        self.random = random
        desk = PairingDesk(identity, lifeOfCodes: lifeOfCodes, random: random, arena: arena)
    }

    // MARK: What the host asks

    /// Whether a carrier is wanted: a code is shown, or one was entered.
    package var wantsLink: Bool { !isOver && traits == nil && (desk.deadline != nil) }

    /// Whether this side sends the first message on the next carrier: it was given a code.
    package var speaksFirst: Bool { opening != nil }

    /// When ``wake(at:)`` must be called.
    package var nextDeadline: Instant? {
        guard !isOver else { return nil }
        let all = [
            desk.deadline, heldUntil, answerDue, repetition?.at, farewellUntil, idleUntil,
            admission.nextDeadline, cookies?.nextRotation,
        ]
        return all.compactMap(\.self).min()
    }

    /// Packets for the carrier, in order, which belong to the caller now.
    package mutating func takeOutgoing() -> [OutgoingPacket] {
        defer { outgoing = [] }
        return outgoing
    }

    /// What happened since the last call, in order.
    package mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    // MARK: The carrier

    /// A carrier is open. Where datagrams may be lost, the side that shows the code has one socket
    /// for everybody, and the other a socket of its own.
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

    /// The carrier is gone.
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
        // Once: whoever comes again and again says nothing new. Nobody has much to say, either.
        guard toldAdvice.count < Self.adviceLimit else { return }
        if toldAdvice.insert(advice).inserted { tell(.advice(advice)) }
    }

    /// The exchange is over, and with it the carrier, unless it is the socket of everybody.
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
