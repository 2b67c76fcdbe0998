/// The keyed hash that makes address cookies. The security supplies it.
package protocol CookieHash: Sendable {
    /// 16 bytes of a keyed hash.
    static func hash(_ bytes: [UInt8], key: [UInt8]) -> UInt128
}

/// Address cookies of a side that displays a code, on datagrams. A device that wants to pair must
/// first show that packets to its address arrive. No state is kept for an address.
///
/// The secret rotates; a cookie is good for one to two ``rotation`` periods.
package struct AddressCookies<Hash: CookieHash>: Sendable {
    /// The time for which one secret makes cookies.
    package static var rotation: Duration { .seconds(60) }

    private var secret: [UInt8]
    private var former: [UInt8]?
    private var since: Instant

    /// Begins with `secret`, 32 random bytes.
    package init(secret: [UInt8], at now: Instant) {
        self.secret = secret
        since = now
    }

    /// When ``rotate(to:at:)`` is due.
    package var nextRotation: Instant { since.advanced(by: Self.rotation) }

    /// Takes the next secret, 32 random bytes. Nothing changes before ``nextRotation``.
    package mutating func rotate(to next: [UInt8], at now: Instant) {
        guard now >= nextRotation else { return }
        // A secret of which nothing was heard for two periods makes no cookie valid.
        former = now < since.advanced(by: Self.rotation * 2) ? secret : nil
        secret = next
        since = now
    }

    /// The cookie of an address; never zero.
    package func cookie(of address: PathAddress) -> UInt128 {
        Self.cookie(of: address, secret)
    }

    /// Whether `cookie` was given to `address`.
    package func accepts(_ cookie: UInt128, from address: PathAddress) -> Bool {
        guard cookie != 0 else { return false }
        if cookie == Self.cookie(of: address, secret) { return true }
        return former.map { cookie == Self.cookie(of: address, $0) } ?? false
    }

    private static func cookie(of address: PathAddress, _ key: [UInt8]) -> UInt128 {
        var writer = WireWriter()
        writer.uint128(address.host)
        writer.uint64(address.port)
        return max(1, Hash.hash(writer.bytes, key: key))
    }
}

/// Admission of pairing exchanges: one at a time, each for a limited time until its other side has
/// shown that it knows the code.
///
/// While pairing, anybody who reaches the link can use up three guesses: no key exists yet by which
/// the user's device could be told from another.
package struct PairingAdmission: Sendable {
    /// The longest time that an exchange may take from its first message.
    package static let exchangeTime: Duration = .seconds(10)
    /// The longest time that an exchange may be silent.
    package static let silenceTime: Duration = .seconds(3)

    private struct Exchange: Sendable {
        var source: PathAddress
        /// The latest end, by its first message; nil once the other side is authentic.
        var end: Instant?
        /// The end, by its last message.
        var silent: Instant

        var deadline: Instant? { end.map { min($0, silent) } }
    }

    private var exchange: Exchange?

    /// Admits nobody yet.
    package init() {}

    /// Where the other side of the exchange under way is; nil where there is none.
    package var source: PathAddress? { exchange?.source }

    /// Whether a message from `source` belongs to the exchange under way, or begins one.
    package mutating func admits(_ source: PathAddress, at now: Instant) -> Bool {
        expire(at: now)
        let silent = now.advanced(by: Self.silenceTime)
        guard let current = exchange else {
            exchange = Exchange(
                source: source, end: now.advanced(by: Self.exchangeTime), silent: silent)
            return true
        }
        guard current.source == source else { return false }
        exchange?.silent = silent
        return true
    }

    /// The other side has shown that it knows the code: only ``ended()`` ends the exchange.
    package mutating func authenticated() { exchange?.end = nil }

    /// The exchange is over: it succeeded, or its code is burnt.
    package mutating func ended() { exchange = nil }

    /// When ``expire(at:)`` is due; nil where no exchange is limited.
    package var nextDeadline: Instant? { exchange?.deadline }

    /// Ends an exchange whose time is over.
    ///
    /// - Returns: whether one ended.
    @discardableResult
    package mutating func expire(at now: Instant) -> Bool {
        guard let deadline = nextDeadline, now >= deadline else { return false }
        exchange = nil
        return true
    }

    /// The answer to a pairing packet on datagrams before its exchange is admitted: nil where it
    /// may go on.
    package static func answer<Hash: CookieHash>(
        _ packet: PairingPacket, from source: PathAddress, cookies: AddressCookies<Hash>
    ) -> PairingAnswer {
        switch packet {
        case .messageWithCookie(let cookie, let message):
            if cookies.accepts(cookie, from: source) { return .proceed(message) }
            return .packet(.cookie(cookies.cookie(of: source)))
        case .message, .cookie: return .drop
        }
    }
}

/// The reaction of the side that displays the code to a pairing packet.
package enum PairingAnswer: Hashable, Sendable {
    /// The address is shown: the message counts.
    case proceed([UInt8])
    /// This packet answers it.
    case packet(PairingPacket)
    /// It is dropped without an answer.
    case drop
}
