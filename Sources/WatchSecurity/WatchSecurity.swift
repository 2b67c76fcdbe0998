public import WatchProto

/// No security at all: wire version 0, for development on one machine. Says so wherever it is used.
public struct Unsealed: PeerSecurity {
    public static var isSealed: Bool { false }
    public static var wireVersion: UInt8 { 0 }

    public init() {}

    public mutating func makeHandshake(role: DeviceRole, prologue: [UInt8]) -> NullHandshake {
        NullHandshake()
    }
}

/// One flight each way, in either order; the flight is its payload.
public struct NullHandshake: Handshaking {
    private var wrote = false
    private var didRead = false

    public init() {}

    public var mayWrite: Bool { !wrote }
    public var isComplete: Bool { wrote && didRead }

    public mutating func write(payload: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        wrote = true
        return payload
    }

    public mutating func read(_ flight: Span<UInt8>) throws(HandshakeFailure) -> [UInt8] {
        guard !didRead else { throw .malformed }
        didRead = true
        return [UInt8](copying: flight)
    }

    public mutating func split() -> (sending: NullSealer, receiving: NullSealer) {
        (NullSealer(), NullSealer())
    }
}

/// Leaves packets as they are.
public struct NullSealer: Sealing {
    public static var overheadBytes: Int { 0 }
    public init() {}
    public mutating func seal(_ packet: inout [UInt8], from start: Int, number: UInt64) {}
    public mutating func open(_ packet: inout [UInt8], from start: Int, number: UInt64) -> Bool {
        true
    }
}
