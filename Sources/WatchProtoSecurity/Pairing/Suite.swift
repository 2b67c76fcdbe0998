package import WatchProtoCore

/// The one suite in use. Nothing is negotiated, so an attacker cannot downgrade it.
enum Suite {
    /// The wire version of packets sealed with it.
    static let version: UInt8 = 1
    /// The name that both sides bind into pairing and into each session.
    static let name = "CPace-ristretto255-SHA512 Noise_25519_ChaChaPoly_BLAKE2b"
}

/// The random name of a device, drawn by its host once.
package struct DeviceID: Hashable, Sendable {
    /// The 128 bits of the name.
    package var rawValue: UInt128
    /// Names a device by its 128 bits.
    package init(rawValue: UInt128) { self.rawValue = rawValue }

    /// Draws a name.
    package static func random() -> DeviceID {
        DeviceID(rawValue: LittleEndian.value(RandomSource.system.bytes(byteCount)))
    }

    static let byteCount = 16
    var bytes: [UInt8] { LittleEndian.bytes(rawValue) }
}

/// One device in a pairing.
package struct PairingIdentity: Hashable, Sendable {
    /// The role of the device.
    package var role: DeviceRole
    /// Its name.
    package var device: DeviceID

    /// Names the device that plays `role`.
    package init(role: DeviceRole, device: DeviceID) {
        self.role = role
        self.device = device
    }
}

/// Numbers as bytes, lowest first, as everywhere on the wire.
enum LittleEndian {
    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func value<Value: FixedWidthInteger>(_ bytes: some Collection<UInt8>) -> Value {
        bytes.reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }
}
