import Locks
import Simulation
public import WatchProtoCore
import WatchProtoTransport

/// The link between the two devices of a test, in memory.
public final class TestLink: Sendable {
    struct State {
        var conditions: LinkConditions
        /// By the role of the sender.
        var models: [DeviceRole: LinkModel]
        var isCut = false
        var isWatchListening = false
        /// The ends of the open link.
        var ends: [DeviceRole: MemoryCarrier] = [:]
        /// The watch's end, which its device has not accepted yet.
        var accepted: MemoryCarrier?
        var dropped: [DeviceRole: Int] = [:]
        /// The bytes that arrived, by the role of the receiver.
        var arrivedBytes: [DeviceRole: UInt64] = [:]
        /// The platform that carries the packets; nil for none.
        var carriage: PlatformCarriage?
    }

    let time: VirtualTime
    let seed: UInt64
    private let signs: [DeviceRole: WakeDescriptor]
    let state: Mutex<State>
    /// Waits until both devices are idle.
    let settling = Mutex<(@Sendable () async -> Void)?>(nil)

    init(
        _ conditions: LinkConditions, seed: UInt64, _ time: VirtualTime
    ) throws(SystemErrorNumber) {
        self.time = time
        self.seed = seed
        signs = [.phone: try WakeDescriptor(), .watch: try WakeDescriptor()]
        let models = Dictionary(
            uniqueKeysWithValues: DeviceRole.allCases.map { role in
                (
                    role,
                    LinkModel(conditions.options, seed: seed &* 2 &+ UInt64(role.rawValue))
                )
            })
        state = Mutex(State(conditions: conditions, models: models))
    }

    // MARK: Actions of the test

    /// The conditions of the link. A packet that is under way arrives under the former ones.
    public var conditions: LinkConditions {
        get { state.withLock { $0.conditions } }
        set {
            let ends = state.withLock { state in
                state.conditions = newValue
                for role in DeviceRole.allCases {
                    var options = newValue.options
                    // The form of an open link stays.
                    if let kind = state.models[role]?.options.kind, !state.ends.isEmpty {
                        options.kind = kind
                    }
                    state.models[role]?.options = options
                }
                return Array(state.ends.values)
            }
            for end in ends { end.hasRoom() }
            // An open link goes on as it is.
            if state.withLock({ $0.carriage != nil && $0.conditions.platform != nil }) {
                prepareCarriage()
                awaitInterruption()
            }
        }
    }

    /// Cuts the link: packets under way are gone, and both devices have noticed when this returns.
    /// No link can be opened until ``restore()``.
    public func cut() async {
        state.withLock { $0.isCut = true }
        endLink(.failed(.cut))
        state.withLock({ $0.carriage })?.medium.setConnected(false)
        await settling.withLock({ $0 })?()
    }

    /// Lets links be opened again after ``cut()``.
    public func restore() {
        state.withLock { $0.isCut = false }
        state.withLock({ $0.carriage })?.medium.setConnected(true)
        callDevices()
    }

    func callDevices() { for sign in signs.values { sign.signal() } }

    func endLink(_ end: CarrierRead) {
        let ends = state.withLock { state in
            defer { (state.ends, state.accepted) = ([:], nil) }
            return Array(state.ends.values)
        }
        for carrier in ends { carrier.end(end) }
    }

    /// Loses everything that is sent from now on, for this long, without a word to the devices. On
    /// a stream everything waits instead.
    public func blackOut(for duration: Duration) {
        let now = time.now
        state.withLock { state in
            let outage = LinkOutage(from: now, until: now.advanced(by: max(.zero, duration)))
            for role in DeviceRole.allCases {
                state.models[role]?.options.outages = [outage]
            }
        }
    }

    /// Drops the next packets that a device sends. A stream has no packets: there it does nothing.
    public func dropNext(_ count: Int = 1, from role: DeviceRole) {
        state.withLock { $0.dropped[role] = max(0, count) }
    }

    /// Whether a link is open.
    package var isOpen: Bool { state.withLock { !$0.ends.isEmpty } }

    /// The bytes that a device has sent since the beginning, lost ones included.
    package func bytesSent(by role: DeviceRole) -> UInt64 {
        state.withLock { $0.models[role]?.counters.takenBytes ?? 0 }
    }

    /// The bytes that have arrived at a device since the beginning.
    package func bytesArrived(at role: DeviceRole) -> UInt64 {
        state.withLock { $0.arrivedBytes[role] ?? 0 }
    }

    func arrived(_ count: Int, at role: DeviceRole) {
        state.withLock { $0.arrivedBytes[role, default: 0] += UInt64(count) }
    }

    /// The packets that a device has sent since the beginning, lost ones included.
    package func packetsSent(by role: DeviceRole) -> UInt64 {
        state.withLock { $0.models[role]?.counters.offeredPackets ?? 0 }
    }

    // MARK: Actions of the devices

    func sign(_ role: DeviceRole) -> WakeDescriptor? { signs[role] }

    /// The watch waits for links, or does no more.
    func listen(_ isListening: Bool) {
        state.withLock { $0.isWatchListening = isListening }
        if isListening { signs[.phone]?.signal() }
    }

    /// Opens a link from the phone; nil where the watch cannot be reached.
    func connect() throws(SystemErrorNumber) -> MemoryCarrier? {
        guard state.withLock({ !$0.isCut && $0.isWatchListening }) else { return nil }
        prepareCarriage()
        guard platformIsOpen() else { return nil }
        let (phone, watch) = (try MemoryCarrier(self, .phone), try MemoryCarrier(self, .watch))
        let former = state.withLock { state -> [MemoryCarrier]? in
            guard !state.isCut, state.isWatchListening else { return nil }
            defer { state.ends = [.phone: phone, .watch: watch] }
            phone.connect(to: watch, state.conditions.traits)
            watch.connect(to: phone, state.conditions.traits)
            for role in DeviceRole.allCases {
                state.models[role]?.options.kind = state.conditions.options.kind
            }
            state.accepted = watch
            return Array(state.ends.values)
        }
        guard let former else { return nil }
        for end in former { end.end(.ended) }
        state.withLock({ $0.carriage })?.opened()
        awaitInterruption()
        signs[.watch]?.signal()
        return phone
    }

    /// The link that came to the watch.
    func accept() -> MemoryCarrier? {
        state.withLock { state in
            defer { state.accepted = nil }
            return state.accepted
        }
    }

    func send(_ bytes: [UInt8], from end: MemoryCarrier) -> CarrierWrite {
        let now = time.now
        let isGone = state.withLock { state in
            guard state.ends[end.role] === end else { return true }
            guard end.traits.isLossy, let count = state.dropped[end.role], count > 0 else {
                return false
            }
            state.dropped[end.role] = count - 1
            return true
        }
        if isGone { return .took(bytes.count) }
        if let carriage = state.withLock({ $0.carriage }) { return carriage.send(bytes, from: end) }
        let (offer, next) = state.withLock { state -> (LinkOffer?, Instant?) in
            let offer = state.models[end.role]?.offer(bytes, at: now)
            return (offer, state.models[end.role]?.nextDeparture)
        }
        guard let offer else { return .took(bytes.count) }
        for arrival in offer.arrivals { end.deliver(arrival) }
        if offer.takenBytes < bytes.count { end.isFull(until: next) }
        return .took(offer.takenBytes)
    }

    /// A device closes its end.
    func close(_ end: MemoryCarrier) {
        state.withLock { state in
            guard state.ends[end.role] === end else { return }
            (state.ends, state.accepted) = ([:], nil)
        }
    }
}

extension CarrierFailure {
    /// A test cut the link.
    static let cut = CarrierFailure(call: "cut by the test", errorNumber: 0)
}
