public import WatchProto

/// No security at all: wire version 0, for development on one machine. Says so wherever it is used.
public struct Unsealed: PeerSecurity {
    /// False: packets travel in clear.
    public static var isSealed: Bool { false }
    /// Version 0, which is for development only.
    public static var wireVersion: UInt8 { 0 }

    /// Makes the absence of security.
    public init() {}

    /// A fresh handshake; `role` and `prologue` make no difference to it.
    public mutating func makeHandshake(role: DeviceRole, prologue: [UInt8]) -> NullHandshake {
        NullHandshake()
    }

    /// The same as for opening.
    public mutating func makeAnswer(role: DeviceRole, prologue: [UInt8]) -> NullHandshake {
        NullHandshake()
    }

    /// Nothing is numbered.
    public mutating func restore(reserved: UInt64, taken: UInt64) {}
    /// Nil: nothing is numbered.
    public var reservationWanted: UInt64? { nil }
    /// Nothing is numbered.
    public mutating func reserved(_ end: UInt64) {}
    /// Nothing is numbered.
    public mutating func learn(_ highest: UInt64) {}
    /// 0: nothing is numbered.
    public var highestTaken: UInt64 { 0 }
}

/// One flight each way, in either order; the flight is its payload.
public struct NullHandshake: Handshaking {
    private var wrote = false
    private var didRead = false

    /// A flight is its payload: 0 bytes.
    public static var overheadBytes: Int { 0 }

    /// Makes a handshake of which no flight was written or read.
    public init() {}

    /// Whether this side's one flight is still to be written.
    public var mayWrite: Bool { !wrote }
    /// Whether both flights have passed.
    public var isComplete: Bool { wrote && didRead }
    /// Nil: nothing is remembered of flights.
    public var repeatedAnswer: [UInt8]? { nil }
    /// Nil: nothing travels before the session.
    public var earlySending: NullSealer? { nil }
    /// Nil: nothing is taken before the session.
    public var earlyReceiving: NullSealer? { nil }
    /// None.
    public var verdict: EarlyVerdict { .none }

    /// The flight: `payload` as it is. Never fails.
    public mutating func write(payload: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        wrote = true
        return payload
    }

    /// The payload, which is the flight as it came.
    ///
    /// - Throws: `HandshakeFailure.malformed` for a second flight; its sender is at fault.
    public mutating func read(_ flight: Span<UInt8>) throws(HandshakeFailure) -> [UInt8] {
        guard !didRead else { throw .malformed }
        didRead = true
        return [UInt8](copying: flight)
    }

    /// Two sealers that leave packets as they are.
    public mutating func split() -> (sending: NullSealer, receiving: NullSealer) {
        (NullSealer(), NullSealer())
    }
}

/// Leaves packets as they are.
public struct NullSealer: Sealing {
    /// Nothing is added: 0 bytes.
    public static var overheadBytes: Int { 0 }
    /// Makes a sealer, which holds nothing.
    public init() {}
    /// Leaves `packet` as it is.
    public mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {}
    /// Leaves `packet` as it is, and lets every one pass: nothing is authenticated.
    public mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        true
    }
}
