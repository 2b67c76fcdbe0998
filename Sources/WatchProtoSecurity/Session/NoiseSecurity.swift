package import WatchProtoCore

/// The security of two paired devices: Noise_KKpsk0 for each session, packets sealed.
///
/// ```text
/// message 1, body   ephemeral key (32) · masked counter (5) · MAC (8) · sealed payload · tag (16)
/// message 2, body   ephemeral key (32) · sealed payload · tag (16)
/// ```
/// The prologue of Noise contains the connection ID and the counter of message 1, so neither can be
/// changed. Mask and MAC identify the counterpart before any key agreement. Noise proves again all
/// that they prove.
package struct NoiseSecurity: PeerSecurity {
    /// True: packets are sealed.
    package static var isSealed: Bool { true }
    /// Version 1.
    package static var wireVersion: UInt8 { Suite.version }
    /// Ephemeral key, counter, MAC and tag: 61 bytes.
    package static var initiationOverheadBytes: Int { NoiseMessage.headBytes + 16 }
    /// Ephemeral key and tag: 48 bytes.
    package static var responseOverheadBytes: Int { 48 }

    private let pairing: NoisePairing

    /// Makes the security of a paired device.
    ///
    /// - Parameters:
    ///   - device: the result of the pairing.
    ///   - padding: the length classes to which packets are padded.
    ///   - random: the source of ephemeral keys.
    /// - Throws: `HandshakeFailure.noMemory` if there is no memory for keys (this host is at
    ///   fault); `notAuthentic` if the counterpart's static key has low order.
    package init(
        _ device: PairedDevice, padding: PaddingClasses = .standard, random: RandomSource = .system
    ) throws(HandshakeFailure) {
        do throws(SecurityFailure) {
            pairing = try NoisePairing(device).with(padding, random)
        } catch {
            throw HandshakeFailure(error)
        }
    }

    init(_ pairing: NoisePairing) { self.pairing = pairing }

    /// The lower static key wins.
    package var winsCrossing: Bool { pairing.winsCrossing }

    package mutating func initiate(
        _ id: ConnectionID, counter: UInt64, payload: [UInt8]
    ) throws(HandshakeFailure) -> NoiseInitiation {
        do throws(SecurityFailure) {
            var noise = try pairing.handshake(.initiator, id, counter)
            let body = NoiseMessage.sealed(
                try noise.write(payload: payload), counter, id, pairing.own)
            return NoiseInitiation(
                InitiationPacket(version: Self.wireVersion, connectionID: id, body: body),
                try pairing.earlySealer(noise), noise, pairing)
        } catch {
            throw HandshakeFailure(error)
        }
    }

    package func counter(of message: InitiationPacket) -> UInt64? {
        NoiseMessage(message, pairing.counterpart)?.counter
    }

    package mutating func open(
        _ message: InitiationPacket
    ) throws(HandshakeFailure) -> NoiseResponse {
        guard let fields = NoiseMessage(message, pairing.counterpart) else { throw .notAuthentic }
        do throws(SecurityFailure) {
            var noise = try pairing.handshake(.responder, message.connectionID, fields.counter)
            let payload = try noise.read(fields.noise)
            return NoiseResponse(payload, try pairing.earlySealer(noise), noise, pairing)
        } catch {
            throw HandshakeFailure(error)
        }
    }

    package func refusalMAC(of message: InitiationPacket, naming highest: UInt64) -> UInt128 {
        pairing.refusal(of: message, naming: highest, by: pairing.own)
    }

    package func resetToken(
        for id: ConnectionID, answering tail: UInt64, of owner: SessionSide
    ) -> UInt128 {
        let keys = owner == .own ? pairing.own : pairing.counterpart
        return LittleEndian.value(
            OuterKeys.mac(
                keys.reset, LittleEndian.bytes(id.rawValue), LittleEndian.bytes(tail)
            ).reversed())
    }

    package mutating func random() -> UInt64 { LittleEndian.value(pairing.random.bytes(8)) }
}
