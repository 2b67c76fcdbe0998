public import WatchProto

/// The security of a peer whose device is paired: Noise_KKpsk0 for each link, packets sealed.
///
/// Durable parts are the host's to keep: before ``counter`` runs out of numbers it commits
/// ``HandshakeCounter/wanted``; ``gate`` it commits with the records that came early.
public struct PairedSecurity: PeerSecurity {
    /// True: packets are sealed.
    public static var isSealed: Bool { true }
    /// Version 1, the first that is sealed.
    public static var wireVersion: UInt8 { Suite.version }

    /// What the pairing left.
    public let device: PairedDevice
    /// Numbers of this side's first messages.
    public var counter: HandshakeCounter
    /// To which lengths packets are filled up.
    public let padding: PaddingClasses
    /// Which of the counterpart's were taken, on any link.
    public var gate: HandshakeGate { responder.gate }

    private let random: RandomSource
    private let responder: ReconnectResponder

    /// Begins with what is durable.
    public init(
        _ device: PairedDevice, counter: HandshakeCounter = HandshakeCounter(),
        gate: HandshakeGate = HandshakeGate(), padding: PaddingClasses = .standard,
        random: RandomSource = .system
    ) {
        self.device = device
        self.counter = counter
        self.padding = padding
        self.random = random
        responder = ReconnectResponder(device, gate: gate, random: random)
    }

    /// A fresh handshake for a link; both sides may open at once. `role` must be the device's own.
    public mutating func makeHandshake(role: DeviceRole, prologue: [UInt8]) -> ReconnectHandshake {
        make(role, prologue, counter: counter.next())
    }

    /// A fresh handshake that answers; it takes no number of the counter.
    public mutating func makeAnswer(role: DeviceRole, prologue: [UInt8]) -> ReconnectHandshake {
        make(role, prologue, counter: nil)
    }

    private func make(
        _ role: DeviceRole, _ prologue: [UInt8], counter: UInt64?
    ) -> ReconnectHandshake {
        precondition(role == device.own.role, "the pairing was made as \(device.own.role)")
        return ReconnectHandshake(
            device, prologue: prologue, counter: counter, responder: responder, padding: padding,
            random: random)
    }
}
