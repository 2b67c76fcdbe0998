import Synchronization
import WatchProto
import WatchSecurity

/// What a session's packets are sealed with, kept for somebody else to seal with.
final class HeldSealer: Sendable {
    let sealer = Mutex<SessionSealer?>(nil)
}

/// A paired device's security that gives its sealers away.
struct HeldSecurity: PeerSecurity {
    static var isSealed: Bool { PairedSecurity.isSealed }
    static var wireVersion: UInt8 { PairedSecurity.wireVersion }
    static var smallestDatagramBytes: Int { PairedSecurity.smallestDatagramBytes }
    var base: PairedSecurity
    let held: HeldSealer

    mutating func makeHandshake(role: DeviceRole, prologue: [UInt8]) -> HeldHandshake {
        HeldHandshake(base: base.makeHandshake(role: role, prologue: prologue), held: held)
    }
    mutating func makeAnswer(role: DeviceRole, prologue: [UInt8]) -> HeldHandshake {
        HeldHandshake(base: base.makeAnswer(role: role, prologue: prologue), held: held)
    }
    mutating func restore(reserved: UInt64, taken: UInt64) {
        base.restore(reserved: reserved, taken: taken)
    }
    var reservationWanted: UInt64? { base.reservationWanted }
    mutating func reserved(_ end: UInt64) { base.reserved(end) }
    mutating func learn(_ highest: UInt64) { base.learn(highest) }
    var highestTaken: UInt64 { base.highestTaken }
}

struct HeldHandshake: Handshaking {
    static var overheadBytes: Int { ReconnectHandshake.overheadBytes }
    var base: ReconnectHandshake
    let held: HeldSealer

    var mayWrite: Bool { base.mayWrite }
    var isComplete: Bool { base.isComplete }
    var repeatedAnswer: [UInt8]? { base.repeatedAnswer }
    var verdict: EarlyVerdict { base.verdict }
    var earlySending: SessionSealer? { base.earlySending }
    var earlyReceiving: SessionSealer? { base.earlyReceiving }

    mutating func write(payload: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        try base.write(payload: payload)
    }
    mutating func read(_ flight: Span<UInt8>) throws(HandshakeFailure) -> [UInt8] {
        try base.read(flight)
    }
    mutating func split() -> (sending: SessionSealer, receiving: SessionSealer) {
        let sealers = base.split()
        held.sealer.withLock { $0 = sealers.sending }
        return sealers
    }
}
