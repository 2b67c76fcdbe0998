internal import Locks
import WatchProtoCore

/// Seals or opens the packets of one direction of a session: ChaCha20-Poly1305 (RFC 8439). The
/// nonce is the packet's number, and the associated data is everything before `start`.
///
/// The key of a packet follows from its number. A packet that does not authenticate changes
/// nothing. The caller checks whether a number was used before. Copies that seal share the record
/// of used numbers, so a nonce is used once for a key in any case.
package struct SessionSealer: Sealing {
    /// A sealed packet is longer by its tag: 16 bytes.
    package static var overheadBytes: Int { ChaCha20Poly1305.tagByteCount }
    /// Numbers that one key is for: 65,536.
    package static var numbersPerKey: UInt64 { 1 << 16 }
    /// From this number on the host should open a new session, with fresh ephemeral keys.
    package static let renewalNumber: UInt64 = 1 << 32
    /// The last number that can be sealed or opened.
    package static let lastNumber: UInt64 = (1 << 40) - 1
    /// The number of forgeries after which opening stops: 2³⁶ (RFC 9001, section 6.6).
    package static let forgeryLimit: UInt64 = 1 << 36
    /// The age at which a new session follows: a day.
    package static var renewalAge: Duration? { .seconds(24 * 60 * 60) }
    /// The age of a key at which its sender makes a key update: an hour.
    package static var keyAge: Duration? { .seconds(60 * 60) }
    /// Padding adds a byte at least.
    package static var leastPaddingBytes: Int { 1 }

    /// The length classes to which packets are padded.
    package var padding = PaddingClasses.standard

    private var chain: KeyChain
    private let used = UsedNumbers()
    /// Packets that did not open, for any reason.
    package private(set) var refusedPackets: UInt64 = 0
    package private(set) var lacksMemory = false

    /// Begins with the first key of a direction.
    init(_ key: Secret) { chain = KeyChain(key) }

    package func needsRenewal(at number: UInt64) -> Bool {
        number >= Self.renewalNumber || refusedPackets >= Self.forgeryLimit
    }

    package func capacity(within limit: Int) -> Int { padding.capacity(within: limit) }

    package func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        padding.pad(&packet, from: start, atMost: limit)
    }

    package static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        PaddingClasses.unpad(&packet, from: start)
    }

    package mutating func prepare(_ number: UInt64) -> Bool {
        let index = Self.index(of: number)
        while chain.index + 1 < index {
            guard advance() else { return false }
        }
        return index < chain.index || chain.key(at: index) != nil
    }

    /// The place in the chain of the key of packet `number`.
    private static func index(of number: UInt64) -> UInt64 { number / numbersPerKey }

    /// Advances to the next key. A side that only seals never needs the former one.
    private mutating func advance() -> Bool {
        guard chain.advance() else { return false }
        chain.dropFormer()
        return true
    }

    /// Seals `packet[start...]` in place and appends the tag; `packet[..<start]` is authenticated.
    /// Allocates nothing if the array has room for 16 bytes.
    ///
    /// - Precondition: numbers ascend up to ``lastNumber``, in this sealer and its copies together.
    ///   The first number of a key was prepared by ``prepare(_:)``.
    package mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        precondition(number <= Self.lastNumber, "the session should have been renewed long ago")
        precondition(used.claim(number), "packet number \(number) was sealed before")
        let index = Self.index(of: number)
        while chain.index < index {
            guard advance() else { preconditionFailure("the key was not prepared") }
        }
        guard let key = chain.key(at: index) else { preconditionFailure("the key is gone") }
        ChaCha20Poly1305.seal(&packet, from: start, key: key, number: number)
    }

    /// Opens `packet[start...]` in place and removes the tag. False for everything that is not a
    /// packet of the other side; `packet` is useless then.
    package mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        let index = Self.index(of: number)
        lacksMemory = false
        guard number <= Self.lastNumber, refusedPackets < Self.forgeryLimit else { return refuse() }
        guard let key = chain.key(at: index) else {
            // One two keys away is refused with any memory.
            lacksMemory = index == chain.index + 1
            return refuse()
        }
        guard ChaCha20Poly1305.open(&packet, from: start, key: key, number: number) else {
            return refuse()
        }
        if index > chain.index { _ = chain.advance() }
        return true
    }

    package mutating func dropFormerKey() { chain.dropFormer() }

    private mutating func refuse() -> Bool {
        refusedPackets += 1
        return false
    }
}

/// The numbers used for sealing, shared by all copies of a sealer.
private final class UsedNumbers: Sendable {
    private let next = Atomic<UInt64>(0)

    /// Claims `number`; false unless it is above all claimed ones.
    func claim(_ number: UInt64) -> Bool {
        let expected = next.load(ordering: .relaxed)
        guard number >= expected else { return false }
        return next.compareExchange(
            expected: expected, desired: number + 1, ordering: .relaxed
        ).exchanged
    }
}
