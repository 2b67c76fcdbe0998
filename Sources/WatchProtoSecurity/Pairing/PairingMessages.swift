internal import WatchProtoCore

/// The six messages of a pairing, by their first byte. The article "Pairing" has the layouts.
enum PairingMessage: UInt8 {
    case hello = 1
    case share
    case answer
    case displaying
    case entering
    case confirmation

    /// The message's bytes.
    func with(_ body: [UInt8]) -> [UInt8] { [rawValue] + body }

    /// The body of `message` if it is this one and of this length.
    func body(of message: [UInt8], count: Int) throws(PairingFailure) -> [UInt8] {
        guard message.first == rawValue, message.count == count + 1 else { throw .malformed }
        return Array(message[1...])
    }
}

/// The identity that each side sends in clear at the beginning.
struct Introduction: Hashable, Sendable {
    static let byteCount = 2 + DeviceID.byteCount + nonceByteCount
    static let nonceByteCount = 16

    var version = Suite.version
    var identity: PairingIdentity
    /// This side's half of the name of the run.
    var nonce: [UInt8]

    var bytes: [UInt8] { [version, identity.role.rawValue] + identity.device.bytes + nonce }

    init(_ identity: PairingIdentity, random: RandomSource) {
        self.identity = identity
        nonce = random.bytes(Self.nonceByteCount)
    }

    /// Checks a version that the counterpart names, and nothing else of it.
    ///
    /// - Throws: `PairingFailure.counterpartTooOld(version:)` or `counterpartTooNew(version:)`.
    static func check(_ version: UInt8) throws(PairingFailure) {
        if version < Suite.version { throw .counterpartTooOld(version: version) }
        if version > Suite.version { throw .counterpartTooNew(version: version) }
    }

    /// Reads the counterpart's introduction and checks it.
    init(_ bytes: [UInt8], to own: PairingIdentity) throws(PairingFailure) {
        precondition(bytes.count == Self.byteCount)
        version = bytes[0]
        try Self.check(version)
        guard let role = DeviceRole(rawValue: bytes[1]) else { throw .malformed }
        let device = DeviceID(rawValue: LittleEndian.value(bytes[2..<18]))
        identity = PairingIdentity(role: role, device: device)
        nonce = Array(bytes[18...])
        guard role == own.role.counterpart, device != own.device else { throw .wrongCounterpart }
    }
}

/// The data in clear that both sides put into CPace and Noise.
struct PairingContext: Sendable {
    var entering: Introduction
    var displaying: Introduction

    /// CPace's input from the password (PRS): the code and both devices.
    func secretInput(_ code: PairingCode) -> [UInt8] {
        CPace.withLength(Array(code.text.utf8)) + entering.identity.device.bytes
            + displaying.identity.device.bytes
    }

    /// CPace's channel (CI): role, version and suite.
    var channel: [UInt8] {
        CPace.withLength(Array(Suite.name.utf8)) + [Suite.version]
            + [entering.identity.role.rawValue, displaying.identity.role.rawValue]
    }

    /// CPace's name of the run (sid): fresh from both sides.
    var sessionID: [UInt8] { entering.nonce + displaying.nonce }

    func cpace(
        _ code: PairingCode, random: RandomSource, arena: KeyArena
    ) throws(SecurityFailure) -> CPace {
        var input = secretInput(code)
        defer { AtRestKey.wipe(&input) }
        return try CPace(
            code: input, channel: channel, sessionID: sessionID, random: random, arena: arena)
    }

    /// The key for Noise from CPace's result.
    static func psk(_ sessionKey: Secret) throws(SecurityFailure) -> Secret {
        unsafe try Secret(.small, in: sessionKey.arena) { output in
            unsafe sessionKey.withBytes { sessionKey in
                unsafe BLAKE2b.withState { state in
                    unsafe BLAKE2b.begin(state, count: 32)
                    unsafe BLAKE2b.absorb(state, sessionKey)
                    unsafe BLAKE2b.finish(state, into: output, count: 32)
                }
            }
        }
    }
}
