import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// Both sides of one run, message by message.
struct PairingBench {
    static let phone = PairingIdentity(role: .phone, device: DeviceID(rawValue: 0x11))
    static let watch = PairingIdentity(role: .watch, device: DeviceID(rawValue: 0x22))

    /// How many messages a run has; the first is the entering side's, then they take turns.
    static let count = 6

    var entering: Pairing
    var displaying: Pairing
    /// The messages, as they were sent.
    var messages: [[UInt8]] = []
    var entered: PairedDevice?
    var shown: PairedDevice?

    init(_ typed: String = "123456", shown: String = "123456", random: RandomSource = .system) {
        entering = Pairing(
            entering: PairingCode(typed)!, as: Self.phone, random: random, arena: .shared)
        displaying = Pairing(
            showing: PairingCode(shown)!, as: Self.watch, random: random, arena: .shared)
        messages = [entering.opening!]
    }

    /// Hands the last message over, and keeps what answers it.
    mutating func step() throws(PairingFailure) {
        let isForDisplaying = !messages.count.isMultiple(of: 2)
        let message = messages[messages.count - 1]
        let step = try isForDisplaying ? displaying.receive(message) : entering.receive(message)
        switch step {
        case .send(let bytes): messages.append(bytes)
        case .paired(let device, let bytes):
            if isForDisplaying { shown = device } else { entered = device }
            if let bytes { messages.append(bytes) }
        }
    }

    /// Hands over everything up to the message of this number, from 0, which is still to go.
    mutating func run(to number: Int) throws(PairingFailure) {
        while messages.count <= number { try step() }
    }

    mutating func finish() throws(PairingFailure) {
        try run(to: Self.count - 1)
        try step()
    }

    /// Takes a message as whichever side message `number` is for.
    mutating func hand(
        _ message: [UInt8], as number: Int
    ) throws(PairingFailure) -> Pairing.Step {
        try number.isMultiple(of: 2) ? displaying.receive(message) : entering.receive(message)
    }
}

extension PairedDevice {
    /// Whether two devices can speak with each other: what one pairing left on both.
    func isOther(half other: PairedDevice) -> Bool {
        pairing == other.pairing && own == other.counterpart && counterpart == other.own
            && counterpartKey == other.ownKey && ownKey == other.counterpartKey
            && psk.exposed == other.psk.exposed
    }
}
