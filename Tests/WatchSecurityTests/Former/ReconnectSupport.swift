import WatchProto

@testable import WatchSecurity

extension PairOfDevices {
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
