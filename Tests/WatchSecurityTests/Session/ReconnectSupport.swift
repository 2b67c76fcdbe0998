import WatchProto

@testable import WatchSecurity

/// Two paired devices and what each keeps of its reconnections.
struct PairOfDevices {
    var phone: PairedDevice
    var watch: PairedDevice

    /// The one whose static key is the lower.
    var lower: PairedDevice { phone.ownKey.precedes(watch.ownKey) ? phone : watch }
    var higher: PairedDevice { phone.ownKey.precedes(watch.ownKey) ? watch : phone }

    init(seed: UInt64 = 1) throws {
        var bench = PairingBench(random: RandomSource(seed: seed))
        try bench.finish()
        phone = bench.entered!
        watch = bench.shown!
    }

    static let prologue: [UInt8] = [1]

    func opening(
        _ counter: UInt64? = 1, payload: [UInt8] = [1, 2, 3]
    ) throws -> ReconnectInitiator {
        try ReconnectInitiator(
            phone, prologue: Self.prologue, counter: counter, payload: payload)
    }

    func answering(highest: UInt64 = 0) -> ReconnectResponder {
        ReconnectResponder(watch, gate: HandshakeGate(highest: highest))
    }

    /// A handshake as a peer has one.
    func handshake(_ device: PairedDevice, counter: UInt64? = 1) -> ReconnectHandshake {
        ReconnectHandshake(
            device, prologue: Self.prologue, counter: counter,
            responder: ReconnectResponder(device))
    }
}

extension ReconnectResponder.Arrival {
    var request: ReconnectRequest? {
        if case .fresh(let request) = self { request } else { nil }
    }
}

/// Whether what one side seals the other opens, in both directions, and not its own.
func speak(
    _ one: (sending: SessionSealer, receiving: SessionSealer),
    _ other: (sending: SessionSealer, receiving: SessionSealer), from number: UInt64 = 0
) -> Bool {
    var (one, other) = (one, other)
    var there: [UInt8] = [9, 1, 2, 3]
    var back: [UInt8] = [9, 4, 5, 6]
    one.sending.seal(&there, from: 1, number: number)
    other.sending.seal(&back, from: 1, number: number)
    var reflected = there
    guard !one.receiving.open(&reflected, from: 1, number: number) else { return false }
    return other.receiving.open(&there, from: 1, number: number)
        && one.receiving.open(&back, from: 1, number: number) && there == [9, 1, 2, 3]
        && back == [9, 4, 5, 6]
}

extension ReconnectResponder {
    /// Receives under the usual prologue.
    func receive(_ message: [UInt8]) throws(HandshakeFailure) -> Arrival {
        try receive(message, prologue: PairOfDevices.prologue)
    }
}

extension ReconnectHandshake {
    /// Reads a flight that is an array; spans and the macros of tests do not get on.
    mutating func take(_ flight: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        try read(flight.span)
    }
}
