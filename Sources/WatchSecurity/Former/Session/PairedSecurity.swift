public import WatchProto

/// The security of a peer whose device is paired: Noise_KKpsk0 for each link, packets sealed.
///
/// What is to be durable of it goes through the peer's journal: the end of the block of numbers
/// that ``counter`` may use, and with the records that came early the highest one of the
/// counterpart's.
public struct PairedSecurity: PeerSecurity {
    /// True: packets are sealed.
    public static var isSealed: Bool { true }
    /// Version 1, the first that is sealed.
    public static var wireVersion: UInt8 { Suite.version }
    /// What a link over Bluetooth Low Energy takes: 244 bytes.
    public static var smallestDatagramBytes: Int { 244 }

    /// What the pairing left.
    public let device: PairedDevice
    /// Numbers of this side's first messages.
    public var counter: HandshakeCounter
    /// To which lengths packets are filled up.
    public let padding: PaddingClasses
    /// Which of the counterpart's were taken, on any link.
    public var gate: HandshakeGate { responder.gate }

    private let random: RandomSource
    private var responder: ReconnectResponder

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

    /// Goes on from what is durable. Call before the first handshake.
    public mutating func restore(reserved: UInt64, taken: UInt64) {
        counter = HandshakeCounter(reserved: max(reserved, counter.reserved))
        let highest = max(taken, gate.highest)
        responder = ReconnectResponder(
            device, gate: HandshakeGate(highest: highest), random: random)
    }

    /// The end of the next block of numbers; nil while half a block is left.
    public var reservationWanted: UInt64? { counter.wanted }

    /// Numbers below `end` may be used.
    public mutating func reserved(_ end: UInt64) { counter.committed(end) }

    /// Numbers go on above `highest`.
    public mutating func learn(_ highest: UInt64) { counter.learn(highest) }

    /// The highest number of the counterpart's that was taken, on any link.
    public var highestTaken: UInt64 { gate.highest }

    private func make(
        _ role: DeviceRole, _ prologue: [UInt8], counter: UInt64?
    ) -> ReconnectHandshake {
        precondition(role == device.own.role, "the pairing was made as \(device.own.role)")
        return ReconnectHandshake(
            device, prologue: prologue, counter: counter, responder: responder, padding: padding,
            random: random)
    }
}
