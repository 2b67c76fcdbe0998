package import WatchProtoCore

/// Two paired devices, with everything derived from a seed: for simulations, which must replay.
/// Never for keys that protect anything.
package struct SimulatedPair: Sendable {
    /// The result of the pairing on the phone.
    package let phone: PairedDevice
    /// The result on the watch.
    package let watch: PairedDevice
    private let seed: UInt64
    /// The shared state of a device's securities, by its role's number.
    private let pairings: [NoisePairing]
    private let known = KnownAgreements()

    /// Pairs the two.
    ///
    /// - Parameters:
    ///   - seed: the seed of all keys and ids.
    ///   - watch: the watch's name.
    ///   - arena: the memory of their keys and of their sessions' keys.
    ///   - hears: receives the sender and the message, in order.
    /// - Throws: `PairingFailure` if there is no memory for keys; the system is at fault.
    package init(
        seed: UInt64, watch: DeviceID = DeviceID(rawValue: 2), arena: KeyArena = .shared,
        hears: (_ sender: DeviceRole, _ message: [UInt8]) -> Void = { _, _ in }
    ) throws(PairingFailure) {
        let random = RandomSource(seed: seed)
        guard let code = PairingCode("000000") else { preconditionFailure("six digits are a code") }
        var asker = Pairing(
            entering: code, as: PairingIdentity(role: .phone, device: DeviceID(rawValue: 1)),
            random: random, arena: arena)
        var displaying = Pairing(
            showing: code, as: PairingIdentity(role: .watch, device: watch),
            random: random, arena: arena)
        var devices: [DeviceRole: PairedDevice] = [:]
        var message = asker.opening
        var isForWatch = true
        while let bytes = message {
            hears(isForWatch ? .phone : .watch, bytes)
            switch try isForWatch ? displaying.receive(bytes) : asker.receive(bytes) {
            case .send(let answer): message = answer
            case .paired(let device, let last):
                devices[device.own.role] = device
                message = last
            }
            isForWatch.toggle()
        }
        guard let phone = devices[.phone], let own = devices[.watch] else {
            preconditionFailure("a pairing ended with neither a failure nor two devices")
        }
        (self.phone, self.watch, self.seed) = (phone, own, seed)
        do throws(SecurityFailure) {
            pairings = [try NoisePairing(phone), try NoisePairing(own)]
        } catch {
            throw PairingFailure(error)
        }
    }

    /// The security of one side in one run of its process. Each run has a number and draws its own
    /// ephemeral keys.
    package func security(
        of role: DeviceRole, life: UInt64, padding: PaddingClasses = .standard
    ) -> NoiseSecurity {
        let own = life << 1 | UInt64(role.rawValue)
        let random = RandomSource(seed: seed ^ (own + 1) << 32)
        return NoiseSecurity(pairings[Int(role.rawValue)].with(padding, random, known))
    }
}
