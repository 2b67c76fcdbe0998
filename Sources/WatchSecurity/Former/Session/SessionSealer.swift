internal import Synchronization
public import WatchProto

/// Seals or opens the packets of one direction of a session: ChaCha20-Poly1305 (RFC 8439) with the
/// packet's number as nonce and everything in front of `start` as associated data.
///
/// The key changes every ``packetsPerKey`` packets by number alone. Opening keeps a
/// ``ReplayWindow``; what does not authenticate, was seen, or is too old is refused alike and
/// changes nothing. Copies that seal share the record of the numbers used: a nonce is used once for
/// a key, whatever its holder does.
public struct SessionSealer: Sealing {
    /// A sealed packet is longer by its tag: 16 bytes.
    public static var overheadBytes: Int { ChaCha20Poly1305.tagByteCount }
    /// Numbers that one key is for: 65,536.
    public static var packetsPerKey: UInt64 { 1 << KeyChain.numbersPerKeyShift }
    /// From this number on the host should open a new session, whose keys come of fresh ephemerals.
    public static let renewalNumber: UInt64 = 1 << 32
    /// The last number that can be sealed or opened.
    public static let lastNumber: UInt64 = (1 << 40) - 1
    /// Forgeries after which nothing opens any more: 2³⁶ (RFC 9001, section 6.6).
    public static let forgeryLimit: UInt64 = 1 << 36
    /// How old a session may get before its host opens a new one, in seconds of any clock: a day.
    public static var renewalAge: Duration? { .seconds(24 * 60 * 60) }
    /// How old a key may get before its sender goes on with the next one: an hour.
    public static var keyAge: Duration? { .seconds(60 * 60) }
    /// Filling adds a byte at least.
    public static var leastPaddingBytes: Int { 1 }

    /// To which lengths packets are filled up.
    public var padding = PaddingClasses.standard

    private var chain: KeyChain
    private var window = ReplayWindow()
    private let used = UsedNumbers()
    /// Packets that did not open, for whatever reason.
    public private(set) var refusedPackets: UInt64 = 0

    /// Begins with the first key of a direction.
    init(_ key: Secret) { chain = KeyChain(key) }

    /// The first number that has the key after that of packet `number`.
    public static func nextKeyNumber(after number: UInt64) -> UInt64 {
        (KeyChain.index(of: number) + 1) << KeyChain.numbersPerKeyShift
    }

    /// Which of two alternating keys packet `number` has, for its header.
    public static func keyPhase(of number: UInt64) -> Bool {
        KeyChain.index(of: number) & 1 == 1
    }

    /// Whether a new session is due, with `number` as the next.
    public func needsRenewal(at number: UInt64) -> Bool {
        number >= Self.renewalNumber || refusedPackets >= Self.forgeryLimit
    }

    /// The most bytes of a class of their own that are filled up to `limit` bytes or less.
    public func capacity(within limit: Int) -> Int { padding.capacity(within: limit) }

    /// Fills `packet[start...]` up to its class, or to `limit` where the class is above it.
    public func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        padding.pad(&packet, from: start, atMost: limit)
    }

    /// Takes the filling off; false where there is none.
    public static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        PaddingClasses.unpad(&packet, from: start)
    }

    /// Whether the last packet did not open because there was no memory for its key.
    public private(set) var lacksMemory = false

    /// Makes the key of packet `number` ready: ``seal(_:from:number:)`` then needs no memory for
    /// it. Packets of the key before it can still be sealed, those of earlier ones no longer.
    ///
    /// - Returns: false without memory for a key; the keys there are stay.
    public mutating func prepare(_ number: UInt64) -> Bool {
        let index = KeyChain.index(of: number)
        while chain.index + 1 < index {
            guard advance() else { return false }
        }
        return index < chain.index || chain.key(at: index) != nil
    }

    /// Goes on with the next key; who only seals never needs the one before.
    private mutating func advance() -> Bool {
        guard chain.advance() else { return false }
        chain.forgetPrevious()
        return true
    }

    /// Seals `packet[start...]` in place and appends the tag; `packet[..<start]` is authenticated.
    /// Takes no memory where the array has room for 16 bytes.
    ///
    /// - Precondition: numbers ascend, in this sealer and its copies together, up to
    ///   ``lastNumber``; and the first of a key was prepared, by ``prepare(_:)``.
    public mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        precondition(number <= Self.lastNumber, "the session should have been renewed long ago")
        precondition(used.claim(number), "packet number \(number) was sealed before")
        let index = KeyChain.index(of: number)
        while chain.index < index {
            guard advance() else { preconditionFailure("the key was not prepared") }
        }
        guard let key = chain.key(at: index) else { preconditionFailure("the key is gone") }
        ChaCha20Poly1305.seal(&packet, from: start, key: key, number: number)
    }

    /// Opens `packet[start...]` in place and takes the tag off. False for everything that is not a
    /// new packet of the other side; `packet` is worthless then.
    public mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        let index = KeyChain.index(of: number)
        lacksMemory = false
        guard number <= Self.lastNumber, refusedPackets < Self.forgeryLimit,
            window.accepts(number)
        else { return refuse() }
        guard let key = chain.key(at: index) else {
            // One two keys away is refused with any memory.
            lacksMemory = index == chain.index + 1
            return refuse()
        }
        guard ChaCha20Poly1305.open(&packet, from: start, key: key, number: number) else {
            return refuse()
        }
        let former = window.largest
        window.insert(number)
        guard index > chain.index, chain.advance() else { return true }
        // Numbers were left out for the key's age: nothing of the one before is taken any more.
        if let former, number - former > ReplayWindow.width { chain.forgetPrevious() }
        return true
    }

    private mutating func refuse() -> Bool {
        refusedPackets += 1
        return false
    }
}

/// The numbers that were sealed with: shared by all copies of a sealer.
private final class UsedNumbers: Sendable {
    private let next = Atomic<UInt64>(0)

    /// Whether `number` lies above all that were claimed.
    func claim(_ number: UInt64) -> Bool {
        let expected = next.load(ordering: .relaxed)
        guard number >= expected else { return false }
        return next.compareExchange(
            expected: expected, desired: number + 1, ordering: .relaxed
        ).exchanged
    }
}
