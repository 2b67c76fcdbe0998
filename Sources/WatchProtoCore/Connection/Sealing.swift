/// Seals or opens the packets of one direction of one session. The numbers of packets, and which of
/// them came before, are the caller's matter.
package protocol Sealing: Sendable {
    /// Bytes that a sealed packet is longer than its plaintext.
    static var overheadBytes: Int { get }

    /// Bytes that padding adds at least; 0 where packets are not padded.
    static var leastPaddingBytes: Int { get }

    /// The age at which a new session has to follow; nil for no limit.
    static var renewalAge: Duration? { get }

    /// The age of a key at which its sender makes a key update; nil for no limit.
    static var keyAge: Duration? { get }

    /// The last packet number that can be sealed or opened.
    static var lastNumber: UInt64 { get }

    /// Packet numbers that one key is for. The key of a packet follows from its number.
    static var numbersPerKey: UInt64 { get }

    /// Whether a new session is due, with `number` as the next of this direction.
    func needsRenewal(at number: UInt64) -> Bool

    /// Pads `packet[start...]` before it is sealed, to `limit` bytes at most, so that its length
    /// says less. The content is at least ``leastPaddingBytes`` shorter than `limit`.
    func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int)

    /// The most bytes that are padded to `limit` bytes or less; 0 where none are.
    func capacity(within limit: Int) -> Int

    /// Takes the padding off `packet[start...]` after it was opened; false where there is none
    /// although there should be: the counterpart is at fault.
    static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool

    /// Makes the key of packet `number` ready, so that no memory is needed to seal it. Packets of
    /// the key before the one before that can no longer be sealed. False without memory for it:
    /// this host is at fault, and the packets of the keys there are can go on.
    mutating func prepare(_ number: UInt64) -> Bool

    /// Replaces `packet[start...]` by its sealed form; `packet[..<start]` is authenticated with it.
    /// Only where ``prepare(_:)`` said that there is a key.
    mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64)

    /// Replaces `packet[start...]` by what was sealed, and says whether it is authentic. When it is
    /// not, `packet` is worthless.
    mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool

    /// Drops the key before the one of the newest packet opened. Its packets open no more.
    mutating func dropFormerKey()

    /// Whether the last packet was not opened for want of memory for its key: this host is at
    /// fault.
    var lacksMemory: Bool { get }
}

extension Sealing {
    /// The facts that hold for every sealer of this type.
    package static var traits: SealingTraits { SealingTraits(Self.self) }
}

/// The defaults: one key for ever, and lengths as they are.
extension Sealing {
    /// Nothing is padded: 0 bytes.
    package static var leastPaddingBytes: Int { 0 }
    /// Any age.
    package static var renewalAge: Duration? { nil }
    /// Any age.
    package static var keyAge: Duration? { nil }
    /// 2⁶² − 1.
    package static var lastNumber: UInt64 { (1 << 62) - 1 }
    /// All numbers.
    package static var numbersPerKey: UInt64 { 1 << 62 }
    /// There is one key.
    package mutating func dropFormerKey() {}
    /// Never.
    package func needsRenewal(at number: UInt64) -> Bool { false }
    /// True: there is one key.
    package mutating func prepare(_ number: UInt64) -> Bool { true }
    /// False: there is one key.
    package var lacksMemory: Bool { false }
    /// All of them.
    package func capacity(within limit: Int) -> Int { max(0, limit) }
    /// Leaves `packet` as it is.
    package func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {}
    /// Leaves `packet` as it is; true.
    package static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool { true }
}
