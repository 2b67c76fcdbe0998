import Locks
import Simulation
import WatchProtoCore
import WatchProtoTransport

/// A platform between the two devices of a test.
extension TestLink {
    /// The open end of a device.
    func end(of role: DeviceRole) -> MemoryCarrier? { state.withLock { $0.ends[role] } }

    /// Makes the carriage anew where the platform of the conditions has changed.
    func prepareCarriage() {
        guard let profile = state.withLock({ $0.conditions.platform }) else {
            return state.withLock { $0.carriage = nil }
        }
        if let carriage = state.withLock({ $0.carriage }),
            carriage.medium.state.withLock({ $0.profile.kind }) == profile.kind
        {
            carriage.medium.state.withLock { $0.profile = profile }
            return
        }
        let medium = PlatformMedium(profile, seed: seed, time) { [weak self] role, bytes in
            self?.transit(role, bytes) ?? []
        }
        let carriage = PlatformCarriage(medium, self)
        medium.setConnected(state.withLock { !$0.isCut })
        state.withLock { $0.carriage = carriage }
    }

    /// The moments at which a message arrives under the conditions of the link.
    private func transit(_ role: DeviceRole, _ bytes: [UInt8]) -> [Instant] {
        let now = time.now
        return state.withLock { state in
            // An empty answer takes its time as well.
            state.models[role]?.offer(bytes.isEmpty ? [0] : bytes, at: now).arrivals.map(\.at) ?? []
        }
    }

    /// Whether the platform lets a link open; where it does not, the phone is called later.
    func platformIsOpen() -> Bool {
        guard let medium = state.withLock({ $0.carriage })?.medium else { return true }
        if let end = medium.interruptionEnd {
            time.at(end) { [weak self] in self?.callDevices() }
            return false
        }
        return medium.isReachable(from: .watch)
    }

    /// How often a limit or fault of the platform has had an effect on the packets.
    package func effects(of trait: String) -> Int {
        let effects = state.withLock { $0.carriage }?.medium.state.withLock { $0.effects }
        return PlatformTrait(rawValue: trait).flatMap { effects?[$0] } ?? 0
    }

    /// Ends the link when the platform is interrupted next.
    func awaitInterruption() {
        let (carriage, phone) = state.withLock { ($0.carriage, $0.ends[.phone]) }
        guard let phone, let moment = carriage?.medium.nextInterruption else { return }
        time.at(moment) { [weak self, weak phone] in
            guard let self, let phone, end(of: .phone) === phone,
                carriage?.medium.interruptionEnd != nil
            else { return }
            endLink(.ended)
        }
    }
}
