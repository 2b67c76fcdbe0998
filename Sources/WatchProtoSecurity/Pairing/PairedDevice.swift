package import WatchProtoCore

/// The result of a pairing on each device: the keys by which the two authenticate from now on.
///
/// Each pairing has its own static keys, so ending one pairing ends no other, and nobody can see
/// from the keys that two pairings belong to one device. The secret keys leave guarded memory only
/// in ``sealed(by:)``.
package struct PairedDevice: Sendable {
    /// The name of the pairing, the same on both devices.
    package let pairing: PairingID
    /// This device.
    package let own: PairingIdentity
    /// The other device.
    package let counterpart: PairingIdentity
    /// The counterpart's static key.
    package let counterpartKey: PublicKey
    /// This device's static key.
    package var ownKey: PublicKey { keyPair.publicKey }

    let keyPair: KeyPair
    /// The pre-shared key, from the handshake of the pairing.
    let psk: Secret

    /// Makes it from the finished handshake of a pairing.
    init(
        _ symmetric: SymmetricState, own: PairingIdentity, counterpart: PairingIdentity,
        keyPair: KeyPair, counterpartKey: PublicKey
    ) throws(SecurityFailure) {
        let name = BLAKE2b.hash(
            Array("WatchProto pairing id, version 1".utf8) + [0], symmetric.hash, count: 16)
        self.init(
            pairing: PairingID(rawValue: LittleEndian.value(name)), own: own,
            counterpart: counterpart, keyPair: keyPair, counterpartKey: counterpartKey,
            psk: try symmetric.exported("WatchProto reconnection psk, version 1"))
    }

    init(
        pairing: PairingID, own: PairingIdentity, counterpart: PairingIdentity, keyPair: KeyPair,
        counterpartKey: PublicKey, psk: Secret
    ) {
        self.pairing = pairing
        self.own = own
        self.counterpart = counterpart
        self.keyPair = keyPair
        self.counterpartKey = counterpartKey
        self.psk = psk
    }

    // MARK: Storing

    private static let form: UInt8 = 1
    private static let place = Array("WatchProto paired device, version 1".utf8)
    private static let byteCount = 1 + 16 + 1 + 2 * DeviceID.byteCount + 3 * 32

    /// Seals all of it for the device's store. The keys pass through ordinary memory for a moment
    /// and are wiped there.
    package func sealed(by sealer: AtRestSealer) -> [UInt8] {
        var bytes = exposed()
        defer { AtRestKey.wipe(&bytes) }
        return sealer.seal(bytes, associatedData: Self.place)
    }

    /// Opens the result of ``sealed(by:)``.
    ///
    /// - Throws: ``SealedPayloadError`` if it is none, or was sealed with another key; also if
    ///   there is no memory for the keys.
    package init(
        sealed: [UInt8], by sealer: AtRestSealer, arena: KeyArena = .shared
    ) throws(SealedPayloadError) {
        let refusal = SealedPayloadError(sealedByteCount: sealed.count)
        var bytes = try sealer.open(sealed, associatedData: Self.place)
        defer { AtRestKey.wipe(&bytes) }
        guard let device = Self(exposed: bytes, arena: arena) else { throw refusal }
        self = device
    }

    /// All of it in ordinary memory, with the keys in clear, for a store that does its own sealing.
    /// The caller wipes it.
    package func exposed() -> [UInt8] {
        var bytes: [UInt8] = []
        // Never copied to a larger place, which would leave the keys behind.
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(Self.form)
        bytes += LittleEndian.bytes(pairing.rawValue)
        bytes.append(own.role.rawValue)
        bytes += own.device.bytes
        bytes += counterpart.device.bytes
        bytes += counterpartKey.bytes
        unsafe keyPair.secret.withBytes { unsafe bytes.append(contentsOf: $0) }
        unsafe psk.withBytes { unsafe bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Reads the result of ``exposed()``, which the caller wipes; nil if it is none, or if there is
    /// no memory for the keys.
    package init?(exposed bytes: [UInt8], arena: KeyArena = .shared) {
        guard bytes.count == Self.byteCount, bytes[0] == Self.form,
            let role = DeviceRole(rawValue: bytes[17])
        else { return nil }
        pairing = PairingID(rawValue: LittleEndian.value(bytes[1..<17]))
        own = PairingIdentity(
            role: role, device: DeviceID(rawValue: LittleEndian.value(bytes[18..<34])))
        counterpart = PairingIdentity(
            role: role.counterpart, device: DeviceID(rawValue: LittleEndian.value(bytes[34..<50])))
        counterpartKey = PublicKey(Array(bytes[50..<82]))!
        var secret = Array(bytes[82..<114])
        var shared = Array(bytes[114..<146])
        do throws(SecurityFailure) {
            keyPair = KeyPair(try Secret(taking: &secret, in: arena))
            psk = try Secret(taking: &shared, in: arena)
        } catch {
            AtRestKey.wipe(&shared)
            return nil
        }
    }
}

extension [PairedDevice] {
    /// Whether one of them is another device than `counterpart`.
    package func areOfOthers(than counterpart: PairingIdentity) -> Bool {
        contains { $0.counterpart != counterpart }
    }
}
