/// The keyed hash that makes address cookies. The security supplies it.
public protocol CookieHash: Sendable {
    /// 16 bytes of a keyed hash.
    static func hash(_ bytes: [UInt8], key: [UInt8]) -> UInt128
}

/// Address cookies of a side that displays a code, on datagrams. A device that wants to pair must
/// first show that packets to its address arrive. No state is kept for an address.
///
/// The secret rotates; a cookie is good for one to two ``rotation`` periods.
public struct AddressCookies<Hash: CookieHash>: Sendable {
    /// The time for which one secret makes cookies.
    public static var rotation: Duration { .seconds(60) }

    private var secret: [UInt8]
    private var former: [UInt8]?
    private var since: Instant

    /// Begins with `secret`, 32 random bytes.
    public init(secret: [UInt8], at now: Instant) {
        self.secret = secret
        since = now
    }

    /// When ``rotate(to:at:)`` is due.
    public var nextRotation: Instant { since.advanced(by: Self.rotation) }

    /// Takes the next secret, 32 random bytes. Nothing changes before ``nextRotation``.
    public mutating func rotate(to next: [UInt8], at now: Instant) {
        guard now >= nextRotation else { return }
        // A secret of which nothing was heard for two periods makes no cookie valid.
        former = now < since.advanced(by: Self.rotation * 2) ? secret : nil
        secret = next
        since = now
    }

    /// The cookie of an address; never zero.
    public func cookie(of address: PathAddress) -> UInt128 {
        Self.cookie(of: address, secret)
    }

    /// Whether `cookie` was given to `address`.
    public func accepts(_ cookie: UInt128, from address: PathAddress) -> Bool {
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

/// Admission of pairing exchanges: one at a time, each for a limited time.
///
/// While pairing, whoever reaches the link can use up three guesses: no key exists yet by which the
/// user's device could be told from another.
public struct PairingAdmission: Sendable {
    /// The longest time that an exchange may take from its first message.
    public static let exchangeTime: Duration = .seconds(10)
    /// The longest time that an exchange may be silent.
    public static let silenceTime: Duration = .seconds(3)

    private struct Exchange: Sendable {
        var source: PathAddress
        var since: Instant
        var heard: Instant
    }

    private var exchange: Exchange?

    /// Admits nobody yet.
    public init() {}

    /// Whether a message from `source` belongs to the exchange under way, or begins one.
    public mutating func admits(_ source: PathAddress, at now: Instant) -> Bool {
        if let current = exchange, !isOver(current, at: now) {
            guard current.source == source else { return false }
            exchange?.heard = now
            return true
        }
        exchange = Exchange(source: source, since: now, heard: now)
        return true
    }

    /// The exchange is over: it succeeded, or its code is burnt.
    public mutating func ended() { exchange = nil }

    /// When the exchange under way is over at the latest; nil where there is none.
    public var nextDeadline: Instant? {
        exchange.map {
            min(
                $0.since.advanced(by: Self.exchangeTime),
                $0.heard.advanced(by: Self.silenceTime))
        }
    }

    private func isOver(_ exchange: Exchange, at now: Instant) -> Bool {
        exchange.since.duration(to: now) >= Self.exchangeTime
            || exchange.heard.duration(to: now) >= Self.silenceTime
    }

    /// The answer to a pairing packet on datagrams before its exchange is admitted: nil where it
    /// may go on.
    ///
    /// - Parameters:
    ///   - packet: the packet that arrived.
    ///   - source: the address it came from.
    ///   - cookies: the cookies of this side.
    /// - Returns: the packet that answers it, no longer than what came; nil where the cookie is
    ///   right.
    public static func answer<Hash: CookieHash>(
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
public enum PairingAnswer: Hashable, Sendable {
    /// The address is shown: the message counts.
    case proceed([UInt8])
    /// This packet answers it.
    case packet(PairingPacket)
    /// It is dropped without an answer.
    case drop
}
