public import WatchProto

/// The side of a reconnection that opens it: Noise_KKpsk0 with the keys of a pairing.
///
/// ```text
/// first    → ephemeral key (32) · sealed: counter (8), payload · tag (16)
/// second   ← ephemeral key (32) · sealed: payload · tag (16)
/// ```
public struct ReconnectInitiator: Sendable {
    /// The first message, to be sent until it is answered.
    public let message: [UInt8]
    /// Seals what follows the first message at once. Nil without a counter, since the counterpart
    /// would refuse it.
    public let earlySealer: SessionSealer?
    private var noise: NoiseHandshake
    private var ready: (sending: SessionSealer, receiving: SessionSealer)?

    /// Begins.
    ///
    /// - Parameters:
    ///   - device: what the pairing left.
    ///   - prologue: what both sides know of the link; the wire version.
    ///   - counter: of ``HandshakeCounter/next()``; nil for no early data.
    ///   - payload: readable by the counterpart, and by whoever gets hold of its static key *and*
    ///     the pairing's key later: the first message has no forward secrecy.
    ///   - random: where the ephemeral key comes from.
    /// - Throws: `HandshakeFailure.authenticationFailure` where the counterpart's key is of low
    ///   order; `noMemory` without memory for keys: this host is at fault.
    public init(
        _ device: PairedDevice, prologue: [UInt8], counter: UInt64?, payload: [UInt8],
        random: RandomSource = .system
    ) throws(HandshakeFailure) {
        do throws(SecurityFailure) {
            var noise = try Reconnection.handshake(
                .initiator, device, prologue: prologue, random: random)
            message = try noise.write(payload: LittleEndian.bytes(counter ?? 0) + payload)
            earlySealer = counter == nil ? nil : try Reconnection.earlySealer(noise)
            self.noise = noise
        } catch {
            throw error.asHandshakeFailure
        }
    }

    /// Whether the counterpart has answered.
    public var isComplete: Bool { ready != nil }

    /// Takes the second message and gives its payload.
    ///
    /// - Throws: `HandshakeFailure` where it is not the counterpart's answer to this first message;
    ///   nothing has changed then, and the right one can still come.
    public mutating func read(_ message: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        do throws(SecurityFailure) {
            var next = noise
            let payload = try next.read(message)
            ready = try Reconnection.sealers(next)
            noise = next
            return payload
        } catch {
            throw error.asHandshakeFailure
        }
    }

    /// The sealers of the session.
    ///
    /// - Precondition: ``isComplete``.
    public func split() -> (sending: SessionSealer, receiving: SessionSealer) {
        guard let ready else { preconditionFailure("the counterpart has not answered") }
        return ready
    }
}
