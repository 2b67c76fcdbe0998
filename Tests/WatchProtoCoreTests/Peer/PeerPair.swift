@testable import WatchProtoCore

/// How a link and its disks behave.
struct PairConditions {
    var carrier = CarrierTraits.stream
    var delay: Duration = .milliseconds(10)
    /// The share of datagrams that the link drops.
    var loss = 0.0
    var commit: Duration = .milliseconds(5)
    var seed: UInt64 = 1
    /// The age at which an uncommitted record raises the alarm.
    var overdueAge: Duration?
    /// The silence after which the phone pings.
    var keepAlive: Duration?
    /// The capacity of a line each way, in bytes a second; nil for any amount.
    var bytesPerSecond: Int64?
    /// Epochs and tickets that a journal remembers.
    var epochs = Limits().epochs
    /// The kinds that the phone and the watch know, in place of the usual ones.
    var kinds: [DeviceRole: RecordKinds] = [:]
    /// Milliseconds by which the watch's wall clock is ahead of the phone's.
    var watchIsAhead: Int64 = 0
    /// The shape of the traffic of both.
    var shape: ConstantShape?
    /// Whether records leave behind message 1.
    var usesEarlyData = true
    /// The side that has no shape all the same.
    var unshaped: DeviceRole?

    /// Datagrams that may be lost.
    static func datagrams(loss: Double = 0, bytes: Int = 1200) -> PairConditions {
        var conditions = PairConditions()
        conditions.carrier = CarrierTraits(
            framing: .datagram(largestBytes: bytes), isLossy: true)
        conditions.loss = loss
        return conditions
    }
}

extension PeerPair {
    /// Two peers without security.
    convenience init(_ conditions: Conditions = Conditions()) {
        self.init(conditions) { role, seed in
            NullSecurity(PeerLabel(role: role, pairing: Self.pairing), seed: seed)
        }
    }

    /// A pair with a session, half a second into it.
    static func connected(_ conditions: Conditions = Conditions()) -> PeerPair {
        let pair = PeerPair(conditions)
        pair.activate()
        _ = pair.run { pair.isActive && pair.phone.peer?.isReachable == true }
        pair.run(for: .milliseconds(500))
        return pair
    }
}

/// Two peers, a link each way, and a disk each, in virtual time.
final class PeerPair {
    typealias Conditions = PairConditions

    /// One side: its process, and what outlives it.
    final class Side {
        let role: DeviceRole
        var peer: Peer?
        var image: JournalImage
        var pending: [(due: Instant, receipt: JournalReceipt, entries: [JournalEntry], life: Int)] =
            []
        var arriving: [(due: Instant, bytes: [UInt8])] = []
        var events: [PeerEvent] = []
        /// The records that the application was given, in order; durable with the batch behind
        /// them.
        var delivered: [InboundRecord] = []
        var life = 0
        /// When its line has carried all that was given to it.
        var lineFreeAt = Instant.zero
        var disposition: Disposition = .applied
        /// Bytes and packets that left.
        var bytesSent = 0
        var packetsSent: [Int] = []
        /// When they left.
        var packetTimes: [Instant] = []
        /// The packets themselves, where a test asks for them.
        var capture: [[UInt8]]?
        /// Every batch that was given to the disk, by this process or an earlier one.
        var batches: [[JournalEntry]] = []

        init(_ role: DeviceRole, _ image: JournalImage) {
            self.role = role
            self.image = image
        }

        /// The source of its datagrams.
        var address: PathAddress { PathAddress(host: UInt128(role.rawValue) + 1, port: 1) }

        /// Whether a process runs.
        var isRunning: Bool {
            switch peer {
            case .some: true
            case .none: false
            }
        }

        var payloads: [[UInt8]] { delivered.map { $0.payload } }

        func settled(_ id: RecordID) -> Outcome? {
            for case .settled(id, let outcome) in events { return outcome }
            return nil
        }

        var changes: [CounterpartChange] {
            var changes: [CounterpartChange] = []
            for case .counterpartChanged(let change) in events { changes.append(change) }
            return changes
        }
    }

    struct World: PeerEnvironment, ~Copyable {
        let pair: PeerPair
        let side: Side

        mutating func transmit(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int {
            pair.transmit([UInt8](copying: bytes), from: side)
            return bytes.count
        }
        mutating func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
            side.pending.append(
                (pair.now.advanced(by: pair.conditions.commit), receipt, entries, side.life))
            side.batches.append(entries)
        }
        mutating func deliver(_ record: InboundRecord) -> Disposition {
            side.delivered.append(record)
            return side.disposition
        }
        mutating func report(_ event: PeerEvent) {
            side.events.append(event)
            switch event {
            case .linkWanted: pair.linkWanted()
            case .linkClosed: pair.linkClosed(by: side)
            default: break
            }
        }
    }

    var conditions: Conditions
    var now = Instant(nanoseconds: 1_000_000_000)
    let phone: Side
    let watch: Side
    var isLinkUp = false
    var isLinkPossible = true
    private var wantsLink = false
    private var generator: SeededGenerator
    private var ups: [Instant] = []
    private var downs: [(due: Instant, role: DeviceRole)] = []

    static var pairing: PairingID { PairingID(rawValue: 7) }
    static var kinds: RecordKinds {
        RecordKinds([RecordKind(ContentKind(rawValue: 3), byteLimit: 0, isRemoval: true)])
    }
    /// Makes the security of a device with a seed.
    private let security: (DeviceRole, UInt64) -> AnySecurity

    init(_ conditions: Conditions, security: @escaping (DeviceRole, UInt64) -> some PeerSecurity) {
        self.conditions = conditions
        self.security = { security($0, $1).erased }
        generator = SeededGenerator(seed: conditions.seed)
        var limits = Limits()
        limits.epochs = conditions.epochs
        func image(_ role: DeviceRole) -> JournalImage {
            var image = JournalImage(kinds: conditions.kinds[role] ?? Self.kinds, limits: limits)
            image.apply(TicketState.Image.paired(Ticket(rawValue: 99)))
            return image
        }
        phone = Side(.phone, image(.phone))
        watch = Side(.watch, image(.watch))
        start(phone)
        start(watch)
    }

    /// The side all of whose packets the line drops.
    var muted: DeviceRole?
    /// The phone's datagrams that the link drops, counted from 1 since it opened.
    var lost: Set<Int> = []
    private var sentOnLink = 0
    private(set) var openedAt = Instant.zero

    func other(_ side: Side) -> Side { side === phone ? watch : phone }

    // MARK: Processes

    func start(_ side: Side) {
        side.life += 1
        var configuration = PeerConfiguration(
            role: side.role, pairing: Self.pairing,
            kinds: conditions.kinds[side.role] ?? Self.kinds)
        configuration.reopenBackoff = .milliseconds(100)
        configuration.overdueAge = conditions.overdueAge
        configuration.keepAlive = side.role == .phone ? conditions.keepAlive : nil
        configuration.limits.epochs = conditions.epochs
        configuration.usesEarlyData = conditions.usesEarlyData
        configuration.shape = conditions.unshaped == side.role ? nil : conditions.shape
        let ahead = side.role == .watch ? conditions.watchIsAhead : 0
        let clock = WallClock(time: WallTime(milliseconds: 1_700_000_000_000 + ahead))
        side.peer = Peer(
            configuration, restoring: side.image, epoch: EpochID(rawValue: generator.next() | 1),
            security: security(side.role, generator.next()), clock: clock, at: now)
        input(side) { _, _ in }
    }

    /// Ends the process of a side; what its disk has not written is lost.
    func crash(_ side: Side) {
        side.peer = nil
        side.pending = []
        cutLink()
        start(side)
        input(side) { $0.activate(at: $1) }
    }

    /// Ends the process of a listener and starts it anew; the other side notices nothing.
    func restartAlone(_ side: Side) {
        side.peer = nil
        side.pending = []
        side.arriving = []
        start(side)
        input(side) { $0.activate(at: $1) }
        input(side) { $0.linkUp(conditions.carrier, initiation: .atOnce, at: $1) }
    }

    func restore(_ side: Side, _ image: JournalImage) {
        side.image = image
        crash(side)
    }

    func input(_ side: Side, _ body: (inout Peer, Instant) -> Void) {
        guard var peer = side.peer.take() else { return }
        body(&peer, now)
        side.peer = consume peer
        drain(side)
    }

    /// Gives a side bytes of its carrier; returns whether there was something to drain.
    @discardableResult
    func arrive(_ bytes: [UInt8], from source: PathAddress?, at side: Side) -> Bool {
        guard var peer = side.peer.take() else { return false }
        let hasOutput = peer.receive(bytes.span, from: source, at: now)
        side.peer = consume peer
        if hasOutput { drain(side) }
        return hasOutput
    }

    func drain(_ side: Side) {
        guard var peer = side.peer.take() else { return }
        var world = World(pair: self, side: side)
        peer.drain(into: &world)
        side.peer = consume peer
    }

    // MARK: Links

    func activate() {
        for side in [phone, watch] { input(side) { $0.activate(at: $1) } }
    }

    func linkWanted() {
        wantsLink = true
        ups.append(now.advanced(by: .milliseconds(1)))
    }

    func linkClosed(by side: Side) {
        guard isLinkUp else { return }
        isLinkUp = false
        downs.append((now.advanced(by: conditions.delay + .milliseconds(1)), other(side).role))
        ups.append(now.advanced(by: .milliseconds(200)))
    }

    /// The carrier breaks for both.
    func cutLink() {
        guard isLinkUp else { return }
        isLinkUp = false
        for side in [phone, watch] {
            side.arriving = []
            input(side) {
                $0.linkDown(CarrierFailure(call: "read", errorNumber: 0), at: $1)
            }
        }
        ups.append(now.advanced(by: .milliseconds(50)))
    }

    private func openLink() {
        guard !isLinkUp, isLinkPossible, wantsLink else { return }
        for side in [phone, watch] where !side.isRunning { return }
        // One side still has the former link: the next one opens once that side knows.
        guard downs.isEmpty else { return ups.append(now.advanced(by: .milliseconds(10))) }
        isLinkUp = true
        (openedAt, sentOnLink) = (now, 0)
        phone.arriving = []
        watch.arriving = []
        let carrier = conditions.carrier
        let isStream = carrier.framing == .stream
        let address = isStream ? nil : watch.address
        input(phone) { $0.linkUp(carrier, address: address, initiation: .atOnce, at: $1) }
        input(watch) { $0.linkUp(carrier, initiation: .whenCalled, at: $1) }
    }

    func transmit(_ bytes: [UInt8], from side: Side) {
        side.bytesSent += bytes.count
        side.packetsSent.append(bytes.count)
        side.packetTimes.append(now)
        side.capture?.append(bytes)
        if side === phone {
            sentOnLink += 1
            if lost.contains(sentOnLink) { return }
        }
        guard isLinkUp, side.role != muted, !generator.chance(conditions.loss) else { return }
        side.lineFreeAt = max(side.lineFreeAt, now)
        if let rate = conditions.bytesPerSecond {
            let time = Int64(bytes.count) * 1_000_000_000 / rate
            side.lineFreeAt = side.lineFreeAt.advanced(by: .nanoseconds(time))
        }
        other(side).arriving.append((side.lineFreeAt.advanced(by: conditions.delay), bytes))
    }

    // MARK: Time

    /// Runs for a while.
    func run(for wait: Duration) {
        let end = now.advanced(by: wait)
        while let next = nextMoment, next <= end, !isSpinning { step(to: next) }
        now = max(now, end)
    }

    /// Runs until something holds; false where it does not within a minute.
    func run(until isDone: () -> Bool) -> Bool {
        let end = now.advanced(by: .seconds(60))
        while !isDone() {
            guard let next = nextMoment, next <= end, !isSpinning else { return false }
            step(to: next)
        }
        return true
    }

    private var nextMoment: Instant? {
        var moments = ups + downs.map { $0.due }
        for side in [phone, watch] {
            if let first = side.pending.first { moments.append(first.due) }
            if let first = side.arriving.first { moments.append(first.due) }
            if let deadline = side.peer?.nextDeadline { moments.append(deadline) }
        }
        return moments.min().map { max($0, now) }
    }

    /// Steps that were taken without time moving on; a hundred thousand of them are a busy loop.
    private(set) var stepsInOneMoment = 0
    var isSpinning: Bool { stepsInOneMoment > 10_000 }

    private func step(to moment: Instant) {
        stepsInOneMoment = moment == now ? stepsInOneMoment + 1 : 0
        now = moment
        if ups.contains(where: { $0 <= now }) {
            ups.removeAll { $0 <= now }
            openLink()
        }
        for down in downs where down.due <= now {
            let side = down.role == .phone ? phone : watch
            input(side) {
                $0.linkDown(CarrierFailure(call: "read", errorNumber: 0), at: $1)
            }
        }
        downs.removeAll { $0.due <= now }
        for side in [phone, watch] {
            while let first = side.pending.first, first.due <= now {
                side.pending.removeFirst()
                side.image.apply(first.entries)
                input(side) { $0.committed(first.receipt, at: $1) }
            }
            while let first = side.arriving.first, first.due <= now {
                side.arriving.removeFirst()
                let source = conditions.carrier.framing == .stream ? nil : other(side).address
                arrive(first.bytes, from: source, at: side)
            }
            if let deadline = side.peer?.nextDeadline, deadline <= now {
                input(side) { $0.wake(at: $1) }
            }
        }
    }

    // MARK: The application

    @discardableResult
    func send(_ side: Side, _ payload: [UInt8], _ channel: Channel = .background) throws -> RecordID
    {
        let draft = RecordDraft(channel: channel, kind: .opaque, payload: payload)
        return try send(side, draft)
    }

    @discardableResult
    func write(_ side: Side, _ key: UInt128, _ payload: [UInt8], _ channel: Channel = .context)
        throws -> RecordID
    {
        try send(
            side,
            RecordDraft(
                channel: channel, kind: .opaque, key: RecordKey(rawValue: key), payload: payload))
    }

    func send(_ side: Side, _ draft: RecordDraft) throws -> RecordID {
        guard var peer = side.peer.take() else { throw SendRefusal.journalFailed }
        let result = Result { try peer.send(draft, at: now) }
        side.peer = consume peer
        drain(side)
        return try result.get()
    }

    /// Whether both have a session.
    var isActive: Bool {
        phone.peer?.activationState == .activated && watch.peer?.activationState == .activated
    }
}
