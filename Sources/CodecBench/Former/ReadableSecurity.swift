import WatchProto
import WatchSecurity

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
