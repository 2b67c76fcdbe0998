import Locks
import WatchProtoCore
import WatchProtoSecurity

/// The packets that the two peers of a ``WireExchange`` sealed, so that they can be read on their
/// way.
final class SealedPlaintexts: Sendable {
    /// A packet before it was sealed.
    struct Plaintext {
        var frames: [UInt8]
        /// The padding up to its size class, in bytes.
        var paddingBytes: Int
    }

    /// Plaintexts by the end of what they became, newest last; taken out when they are read.
    private let kept = Mutex<[(end: [UInt8], plaintext: Plaintext)]>([])

    private static let endBytes = 16

    func note(_ padded: ArraySlice<UInt8>, as sealed: ArraySlice<UInt8>) {
        var frames = Array(padded)
        guard ReadableSealer.unpad(&frames, from: 0) else { return }
        let plaintext = Plaintext(frames: frames, paddingBytes: padded.count - frames.count)
        kept.withLock { $0.append((Array(sealed.suffix(Self.endBytes)), plaintext)) }
    }

    /// The frames of a packet; nil for one that no session sealed, such as a handshake message.
    func take(of packet: [UInt8]) -> Plaintext? {
        kept.withLock { kept in
            let end = packet.suffix(Self.endBytes)
            guard let place = kept.firstIndex(where: { $0.end.elementsEqual(end) }) else {
                return nil
            }
            return kept.remove(at: place).plaintext
        }
    }
}

/// A session's sealer whose plaintexts are kept.
struct ReadableSealer: Sealing {
    typealias Base = SessionSealer
    static var overheadBytes: Int { Base.overheadBytes }
    static var leastPaddingBytes: Int { Base.leastPaddingBytes }
    static var renewalAge: Duration? { Base.renewalAge }
    static var keyAge: Duration? { Base.keyAge }
    static var lastNumber: UInt64 { Base.lastNumber }
    static var numbersPerKey: UInt64 { Base.numbersPerKey }
    mutating func dropFormerKey() { base.dropFormerKey() }
    static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        Base.unpad(&packet, from: start)
    }

    var base: Base
    let plaintexts: SealedPlaintexts

    func needsRenewal(at number: UInt64) -> Bool { base.needsRenewal(at: number) }

    func capacity(within limit: Int) -> Int { base.capacity(within: limit) }

    func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        base.pad(&packet, from: start, atMost: limit)
    }

    mutating func prepare(_ number: UInt64) -> Bool { base.prepare(number) }
    var lacksMemory: Bool { base.lacksMemory }

    mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        let padded = packet[start...]
        base.seal(&packet, from: start, number: number)
        plaintexts.note(padded, as: packet[start...])
    }

    mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        base.open(&packet, from: start, number: number)
    }
}
