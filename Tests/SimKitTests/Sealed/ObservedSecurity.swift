import Synchronization
import WatchProto

/// What a world's peers sealed, and whether any of it stands on the wire in clear. Keys and numbers
/// are the world's own to check.
final class SealingLedger: Sendable {
    private struct Notes {
        var pieces: Set<UInt64> = []
        var sealedPackets = 0
        var readablePackets = 0
    }

    private let notes = Mutex(Notes())

    var sealedPackets: Int { notes.withLock { $0.sealedPackets } }
    /// Packets on the wire in which a piece of a plaintext stood.
    var readablePackets: Int { notes.withLock { $0.readablePackets } }

    /// Keeps a piece of what is about to be sealed.
    func noteSealed(_ plaintext: ArraySlice<UInt8>) {
        let piece = Array(plaintext.dropFirst(20).prefix(8))
        notes.withLock { notes in
            notes.sealedPackets += 1
            // Zeros and other runs stand anywhere by chance.
            if piece.count == 8, Set(piece).count >= 7 {
                notes.pieces.insert(piece.reduce(0) { $0 << 8 | UInt64($1) })
            }
        }
    }

    /// Looks at what leaves a side.
    func noteOnWire(_ bytes: [UInt8]) {
        notes.withLock { notes in
            var window: UInt64 = 0
            for (place, byte) in bytes.enumerated() {
                window = window << 8 | UInt64(byte)
                if place >= 7, notes.pieces.contains(window) {
                    notes.readablePackets += 1
                    return
                }
            }
        }
    }
}

/// A security of whose plaintexts pieces are kept.
struct ObservedSecurity<Base: PeerSecurity>: PeerSecurity {
    static var isSealed: Bool { Base.isSealed }
    static var wireVersion: UInt8 { Base.wireVersion }
    static var smallestDatagramBytes: Int { Base.smallestDatagramBytes }
    var base: Base
    let ledger: SealingLedger

    mutating func makeHandshake(
        role: DeviceRole, prologue: [UInt8]
    ) -> ObservedHandshake<Base.Handshake> {
        ObservedHandshake(base.makeHandshake(role: role, prologue: prologue), ledger)
    }

    mutating func makeAnswer(
        role: DeviceRole, prologue: [UInt8]
    ) -> ObservedHandshake<Base.Handshake> {
        ObservedHandshake(base.makeAnswer(role: role, prologue: prologue), ledger)
    }

    mutating func restore(reserved: UInt64, taken: UInt64) {
        base.restore(reserved: reserved, taken: taken)
    }
    var reservationWanted: UInt64? { base.reservationWanted }
    mutating func reserved(_ end: UInt64) { base.reserved(end) }
    mutating func learn(_ highest: UInt64) { base.learn(highest) }
    var highestTaken: UInt64 { base.highestTaken }
}

struct ObservedHandshake<Base: Handshaking>: Handshaking {
    static var overheadBytes: Int { Base.overheadBytes }
    private var base: Base
    private let ledger: SealingLedger

    init(_ base: Base, _ ledger: SealingLedger) { (self.base, self.ledger) = (base, ledger) }

    var mayWrite: Bool { base.mayWrite }
    var isComplete: Bool { base.isComplete }
    var repeatedAnswer: [UInt8]? { base.repeatedAnswer }
    var verdict: EarlyVerdict { base.verdict }
    var earlySending: ObservedSealer<Base.Sealer>? {
        base.earlySending.map { ObservedSealer($0, ledger) }
    }
    var earlyReceiving: ObservedSealer<Base.Sealer>? {
        base.earlyReceiving.map { ObservedSealer($0, ledger) }
    }

    mutating func write(payload: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        try base.write(payload: payload)
    }

    mutating func read(_ flight: Span<UInt8>) throws(HandshakeFailure) -> [UInt8] {
        try base.read(flight)
    }

    mutating func split() -> (
        sending: ObservedSealer<Base.Sealer>, receiving: ObservedSealer<Base.Sealer>
    ) {
        let sealers = base.split()
        return (ObservedSealer(sealers.sending, ledger), ObservedSealer(sealers.receiving, ledger))
    }
}

struct ObservedSealer<Base: Sealing>: Sealing {
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

    private var base: Base
    private let ledger: SealingLedger

    init(_ base: Base, _ ledger: SealingLedger) { (self.base, self.ledger) = (base, ledger) }

    func needsRenewal(at number: UInt64) -> Bool { base.needsRenewal(at: number) }

    func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        base.pad(&packet, from: start, atMost: limit)
    }

    mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        ledger.noteSealed(packet[start...])
        base.seal(&packet, from: start, number: number)
    }

    mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        base.open(&packet, from: start, number: number)
    }
}
