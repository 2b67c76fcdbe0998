package import WatchProtoCore

/// Two devices that are paired with each other, all of it from a seed: for simulations, which must
/// replay. Never for keys that protect anything.
package struct SimulatedPair: Sendable {
    /// What the pairing left on the phone.
    package let phone: PairedDevice
    /// What it left on the watch.
    package let watch: PairedDevice
    private let seed: UInt64
    /// What all securities of a device share, by its role's number.
    private let pairings: [NoisePairing]
    private let known = KnownAgreements()

    /// Pairs the two.
    ///
    /// - Parameters:
    ///   - seed: what keys and ids follow from.
    ///   - arena: where their keys live, and those of their sessions.
    ///   - hears: is told who sends which message, in order.
    /// - Throws: `PairingFailure` without memory for keys; the system is at fault.
    package init(
        seed: UInt64, arena: KeyArena = .shared,
        hears: (_ sender: DeviceRole, _ message: [UInt8]) -> Void = { _, _ in }
    ) throws(PairingFailure) {
        let random = RandomSource(seed: seed)
        guard let code = PairingCode("000000") else { preconditionFailure("six digits are a code") }
        var asker = Pairing(
            entering: code, as: PairingIdentity(role: .phone, device: DeviceID(rawValue: 1)),
            random: random, arena: arena)
        var shower = Pairing(
            showing: code, as: PairingIdentity(role: .watch, device: DeviceID(rawValue: 2)),
            random: random, arena: arena)
        var devices: [DeviceRole: PairedDevice] = [:]
        var message = asker.opening
        var isForWatch = true
        while let bytes = message {
            hears(isForWatch ? .phone : .watch, bytes)
            switch try isForWatch ? shower.receive(bytes) : asker.receive(bytes) {
            case .send(let answer): message = answer
            case .paired(let device, let last):
                devices[device.own.role] = device
                message = last
            }
            isForWatch.toggle()
        }
        guard let phone = devices[.phone], let watch = devices[.watch] else {
            preconditionFailure("a pairing ended with neither a failure nor two devices")
        }
        (self.phone, self.watch, self.seed) = (phone, watch, seed)
        do throws(SecurityFailure) {
            pairings = [try NoisePairing(phone), try NoisePairing(watch)]
        } catch {
            throw PairingFailure(error)
        }
    }

    /// The security of one side in one run of its process. Runs are told apart by their
    /// numbers: each draws ephemeral keys of its own.
    package func security(
        of role: DeviceRole, life: UInt64, padding: PaddingClasses = .standard
    ) -> NoiseSecurity {
        let own = life << 1 | UInt64(role.rawValue)
        let random = RandomSource(seed: seed ^ (own + 1) << 32)
        return NoiseSecurity(pairings[Int(role.rawValue)].with(padding, random, known))
    }
}
