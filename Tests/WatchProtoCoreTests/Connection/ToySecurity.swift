@testable import WatchProtoCore

/// A keyed security for tests, with the sizes of the sealed one: MAC and seal by a toy hash that
/// protects nothing from anybody who is not a test.
struct ToySecurity: PeerSecurity {
    static let isSealed = true
    static let wireVersion: UInt8 = 1
    static let initiationOverheadBytes = 32 + 8 + 8 + 16
    static let responseOverheadBytes = 32 + 16

    let role: DeviceRole
    let psk: UInt64
    var randomness: SeededGenerator

    init(_ role: DeviceRole, psk: UInt64, seed: UInt64) {
        self.role = role
        self.psk = psk
        randomness = SeededGenerator(seed: seed)
    }

    var winsCrossing: Bool { role == .phone }

    private func key(_ purpose: UInt8, _ sender: DeviceRole) -> UInt64 {
        ToyHash.of([purpose, sender.rawValue], key: psk)
    }

    mutating func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> ToyInitiation {
        let share = ToyHash.share(randomness.next())
        let shared = ToyHash.of(share + ToyHash.bytes(UInt64(id.rawValue)), key: psk)
        var writer = WireWriter(share)
        writer.uint64(counter ^ ToyHash.of(share, key: key(1, role)))
        var sealed = payload
        ToySealer(key: shared ^ 1).seal(&sealed, from: 0, number: 0)
        let mac = mac(id, share, writer.bytes + sealed, sender: role)
        writer.uint64(mac)
        writer.append(sealed)
        let message = InitiationPacket(
            version: Self.wireVersion, connectionID: id, body: writer.bytes)
        return ToyInitiation(message: message, shared: shared, security: self)
    }

    private func mac(
        _ id: ConnectionID, _ share: [UInt8], _ rest: [UInt8], sender: DeviceRole
    ) -> UInt64 {
        ToyHash.of(ToyHash.bytes(UInt64(id.rawValue)) + rest, key: key(2, sender))
    }

    func counter(of message: InitiationPacket) -> UInt64? {
        let body = message.body
        guard body.count >= Self.initiationOverheadBytes else { return nil }
        let share = Array(body[..<32])
        let expected = mac(
            message.connectionID, share, Array(body[..<40] + body[48...]),
            sender: role.counterpart)
        guard ToyHash.value(body[40..<48]) == expected else { return nil }
        return ToyHash.value(body[32..<40]) ^ ToyHash.of(share, key: key(1, role.counterpart))
    }

    mutating func open(_ message: InitiationPacket) throws(HandshakeFailure) -> ToyResponse {
        let share = Array(message.body[..<32])
        let shared = ToyHash.of(
            share + ToyHash.bytes(UInt64(message.connectionID.rawValue)), key: psk)
        var sealed = Array(message.body[48...])
        guard ToySealer(key: shared ^ 1).opens(&sealed, from: 0, number: 0) else {
            throw .notAuthentic
        }
        return ToyResponse(payload: sealed, shared: shared, random: randomness.next(), psk: psk)
    }

    func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        Self.refusal(message, highest, key(3, role))
    }

    func isRefusal(_ refusal: RefusalPacket, of message: InitiationPacket) -> Bool {
        refusal.mac == Self.refusal(message, refusal.highest, key(3, role.counterpart))
    }

    private static func refusal(
        _ message: InitiationPacket, _ highest: UInt64, _ key: UInt64
    ) -> UInt128 {
        let hash = ToyHash.of(message.body + ToyHash.bytes(highest), key: key)
        return UInt128(hash) << 64 | UInt128(ToyHash.of([1], key: hash))
    }

    mutating func random() -> UInt64 { randomness.next() }

    func resetToken(
        for id: ConnectionID, answering tail: UInt64, of owner: SessionSide
    ) -> UInt128 {
        let sender = owner == .own ? role : role.counterpart
        let hash = ToyHash.of(
            ToyHash.bytes(UInt64(id.rawValue)) + ToyHash.bytes(tail), key: key(4, sender))
        return UInt128(hash) << 64 | UInt128(ToyHash.of([1], key: hash))
    }
}

struct ToyInitiation: InitiatorHandshake {
    let message: InitiationPacket
    let shared: UInt64
    let security: ToySecurity

    var earlySealer: ToySealer { ToySealer(key: shared ^ 2) }

    mutating func open(
        _ body: [UInt8]
    ) throws(HandshakeFailure) -> (payload: [UInt8], keys: SessionKeys<ToySealer>) {
        guard body.count >= ToySecurity.responseOverheadBytes else { throw .notAuthentic }
        let shared = ToyHash.of(Array(body[..<32]), key: shared)
        var sealed = Array(body[32...])
        guard ToySealer(key: shared ^ 1).opens(&sealed, from: 0, number: 0) else {
            throw .notAuthentic
        }
        return (sealed, ToySealer.keys(shared, isInitiator: true))
    }

    func isAuthentic(_ refusal: RefusalPacket) -> Bool {
        security.isRefusal(refusal, of: message)
    }
}

struct ToyResponse: ResponderHandshake {
    let payload: [UInt8]
    let shared: UInt64
    let random: UInt64
    let psk: UInt64

    var earlySealer: ToySealer { ToySealer(key: shared ^ 2) }

    mutating func respond(
        _ payload: [UInt8]
    ) throws(HandshakeFailure) -> (body: [UInt8], keys: SessionKeys<ToySealer>) {
        let share = ToyHash.share(random)
        let shared = ToyHash.of(share, key: shared)
        var sealed = payload
        ToySealer(key: shared ^ 1).seal(&sealed, from: 0, number: 0)
        return (share + sealed, ToySealer.keys(shared, isInitiator: false))
    }
}

/// Covers bytes with a toy key stream and appends a tag of 16 bytes. From 2,048 bytes on, lengths
/// are padded to multiples of 1,024.
struct ToySealer: Sealing {
    static let overheadBytes = 16
    static let leastPaddingBytes = 1
    static var renewalAge: Duration? { .seconds(24 * 60 * 60) }
    static var keyAge: Duration? { .seconds(60 * 60) }
    static var numbersPerKey: UInt64 { 1 << 16 }

    let key: UInt64
    /// The place in the chain of keys of the newest packet opened, and of the oldest one kept.
    private var newest: UInt64 = 0
    private var oldest: UInt64 = 0

    init(key: UInt64) { self.key = key }

    mutating func dropFormerKey() { oldest = newest }

    func pad(_ packet: inout [UInt8], from start: Int, atMost limit: Int) {
        let bytes = packet.count - start + 1
        let padded = bytes < 2048 ? bytes : min((bytes + 1023) / 1024 * 1024, limit)
        packet += [0x80] + [UInt8](repeating: 0, count: padded - bytes)
    }

    func capacity(within limit: Int) -> Int {
        max(0, limit < 2048 ? limit : limit / 1024 * 1024) - 1
    }

    static func unpad(_ packet: inout [UInt8], from start: Int) -> Bool {
        guard let end = packet.lastIndex(where: { $0 != 0 }), end >= start, packet[end] == 0x80
        else { return false }
        packet.removeLast(packet.count - end)
        return true
    }

    func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {
        cover(&packet, start, number)
        let tag = ToyHash.of(packet, key: key &+ number &* 3)
        packet += ToyHash.bytes(tag) + ToyHash.bytes(tag &* 5)
    }

    func opens(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        guard packet.count >= start + 16 else { return false }
        let tag = Array(packet.suffix(16))
        packet.removeLast(16)
        let expected = ToyHash.of(packet, key: key &+ number &* 3)
        guard tag == ToyHash.bytes(expected) + ToyHash.bytes(expected &* 5) else { return false }
        cover(&packet, start, number)
        return true
    }

    mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        let place = Self.traits.key(of: number)
        guard place >= oldest, place <= newest + 1, opens(&packet, from: start, number: number)
        else { return false }
        if place > newest { (oldest, newest) = (newest, place) }
        return true
    }

    private func cover(_ packet: inout [UInt8], _ start: Int, _ number: UInt64) {
        var stream = SeededGenerator(seed: key ^ number)
        for index in start..<packet.count {
            packet[index] ^= UInt8(truncatingIfNeeded: stream.next())
        }
    }

    static func keys(_ shared: UInt64, isInitiator: Bool) -> SessionKeys<ToySealer> {
        let first = ToySealer(key: shared ^ 3)
        let second = ToySealer(key: shared ^ 4)
        return SessionKeys(
            sending: isInitiator ? first : second, receiving: isInitiator ? second : first,
            ticket: Ticket(rawValue: shared))
    }
}

enum ToyHash: CookieHash {
    static func of(_ bytes: [UInt8], key: UInt64) -> UInt64 {
        var hash = ContentHash.continued(ContentHash.start, with: key)
        hash = ContentHash.continued(hash, with: ContentHash.of(bytes))
        hash = ContentHash.continued(hash, with: key)
        var mixer = SeededGenerator(seed: hash)
        return mixer.next()
    }

    static func hash(_ bytes: [UInt8], key: [UInt8]) -> UInt128 {
        let first = of(bytes, key: of(key, key: 1))
        return UInt128(first) << 64 | UInt128(of([7], key: first))
    }

    static func share(_ random: UInt64) -> [UInt8] {
        bytes(random) + [UInt8](repeating: 0x5A, count: 24)
    }

    static func bytes(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func value(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
