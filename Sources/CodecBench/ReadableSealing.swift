import Synchronization
import WatchProto
import WatchSecurity

/// What the two peers of a ``DoseExchange`` sealed, so that a packet can be read on its way: nobody
/// else could.
final class SealedPlaintexts: Sendable {
    /// A packet before it was sealed.
    struct Plaintext {
        var frames: [UInt8]
        /// Bytes that filled it up to its size class.
        var fillingBytes: Int
    }

    /// Plaintexts by the end of what they became, newest last; taken out when they are read.
    private let kept = Mutex<[(end: [UInt8], plaintext: Plaintext)]>([])

    private static let endBytes = 16

    func note(_ padded: ArraySlice<UInt8>, as sealed: ArraySlice<UInt8>) {
        var frames = Array(padded)
        guard ReadableSealer.unpad(&frames, from: 0) else { return }
        let plaintext = Plaintext(frames: frames, fillingBytes: padded.count - frames.count)
        kept.withLock { $0.append((Array(sealed.suffix(Self.endBytes)), plaintext)) }
    }

    /// What a packet held; nil for one that no session sealed, such as a flight.
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

/// A paired device's security whose plaintexts are kept.
struct ReadableSecurity: PeerSecurity {
    static var isSealed: Bool { PairedSecurity.isSealed }
    static var wireVersion: UInt8 { PairedSecurity.wireVersion }
    var base: PairedSecurity
    let plaintexts: SealedPlaintexts

    mutating func makeHandshake(role: DeviceRole, prologue: [UInt8]) -> ReadableHandshake {
        ReadableHandshake(
            base: base.makeHandshake(role: role, prologue: prologue), plaintexts: plaintexts)
    }

    mutating func makeAnswer(role: DeviceRole, prologue: [UInt8]) -> ReadableHandshake {
        ReadableHandshake(
            base: base.makeAnswer(role: role, prologue: prologue), plaintexts: plaintexts)
    }

    mutating func restore(reserved: UInt64, taken: UInt64) {
        base.restore(reserved: reserved, taken: taken)
    }
    var reservationWanted: UInt64? { base.reservationWanted }
    mutating func reserved(_ end: UInt64) { base.reserved(end) }
    mutating func learn(_ highest: UInt64) { base.learn(highest) }
    var highestTaken: UInt64 { base.highestTaken }
}

/// Its handshake.
struct ReadableHandshake: Handshaking {
    typealias Base = PairedSecurity.Handshake
    static var overheadBytes: Int { Base.overheadBytes }
    var base: Base
    let plaintexts: SealedPlaintexts

    var mayWrite: Bool { base.mayWrite }
    var isComplete: Bool { base.isComplete }
    var repeatedAnswer: [UInt8]? { base.repeatedAnswer }
    var verdict: EarlyVerdict { base.verdict }
    var earlySending: ReadableSealer? { base.earlySending.map(readable) }
    var earlyReceiving: ReadableSealer? { base.earlyReceiving.map(readable) }

    mutating func write(payload: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        try base.write(payload: payload)
    }

    mutating func read(_ flight: Span<UInt8>) throws(HandshakeFailure) -> [UInt8] {
        try base.read(flight)
    }

    mutating func split() -> (sending: ReadableSealer, receiving: ReadableSealer) {
        let sealers = base.split()
        return (readable(sealers.sending), readable(sealers.receiving))
    }

    private func readable(_ sealer: Base.Sealer) -> ReadableSealer {
        ReadableSealer(base: sealer, plaintexts: plaintexts)
    }
}

/// Its sealer.
struct ReadableSealer: Sealing {
    typealias Base = PairedSecurity.Handshake.Sealer
    static var overheadBytes: Int { Base.overheadBytes }
    static var leastPaddingBytes: Int { Base.leastPaddingBytes }
    static var renewalAge: Duration? { Base.renewalAge }
    static var keyAge: Duration? { Base.keyAge }
    static func nextKeyNumber(after number: UInt64) -> UInt64 {
        Base.nextKeyNumber(after: number)
    }
    static func keyPhase(of number: UInt64) -> Bool { Base.keyPhase(of: number) }
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
