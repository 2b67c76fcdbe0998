import Locks
import WatchProtoCore
import WatchProtoTransport

/// Carries the packets of two sessions as messages of a platform: one after the other, in parts
/// where a message is too small. Packets of the phone are user info while the watch's app is
/// asleep. Copies and stuck transfers strike messages as well, whichever way has them on the
/// platform.
final class PlatformCarriage: Sendable {
    /// The packets that one device sends.
    private struct Direction: Sendable {
        /// Parts that have not left, of the packet that the device wrote last, and their way.
        var parts: [[UInt8]] = []
        var channel = Channel.interactive
        var packet: UInt8 = 0
        /// The message without an answer.
        var waiting: UInt64?
        var nextMessage: UInt64 = 0
        /// The part that a queue keeps until the next one comes.
        var kept: [UInt8]?
        var partsOnLink = 0
        var wasStuck = false
        // At the other end.
        var collected: [UInt8] = []
        var collectedPacket: UInt8?
        var collectedParts = 0
        var packetsArrived = 0
    }

    /// The parts after which a queue that gets stuck is stuck.
    private static let partsBeforeStuck = 20

    let medium: PlatformMedium
    private weak let link: TestLink?
    private let directions = Mutex<[DeviceRole: Direction]>([
        .phone: Direction(), .watch: Direction(),
    ])

    init(_ medium: PlatformMedium, _ link: TestLink) {
        self.medium = medium
        self.link = link
        for role in DeviceRole.allCases {
            medium.setHandler({ [weak self] in self?.receive($1, at: role) }, of: role)
        }
    }

    private func change<Value: Sendable>(
        _ role: DeviceRole, _ body: (inout Direction) -> Value
    ) -> Value {
        directions.withLock { directions in
            var direction = directions[role] ?? Direction()
            defer { directions[role] = direction }
            return body(&direction)
        }
    }

    /// A link was opened: nothing of the former one is under way at either end.
    func opened() {
        let isStuck = medium.state.withLock { $0.profile[.stuckUntilRestart] } != nil
        for role in DeviceRole.allCases {
            change(role) { direction in
                let former = direction
                direction = Direction()
                direction.packet = former.packet
                direction.nextMessage = former.nextMessage
                direction.packetsArrived = former.packetsArrived
                direction.wasStuck =
                    former.wasStuck || isStuck && former.partsOnLink > Self.partsBeforeStuck
            }
            medium.endStuckTransfer(of: role)
        }
    }

    // MARK: Sending

    func send(_ bytes: [UInt8], from end: MemoryCarrier) -> CarrierWrite {
        let profile = medium.state.withLock { $0.profile }
        let channel: Channel = medium.findsApp(from: end.role) ? .interactive : .background
        let partBytes = profile.partBytes(channel, from: end.role)
        let isTaken = change(end.role) { direction -> Bool in
            guard direction.parts.isEmpty, direction.waiting == nil else {
                end.isFull(until: nil)
                return false
            }
            direction.packet &+= 1
            direction.parts = Self.parts(of: bytes, direction.packet, partBytes)
            direction.channel = channel
            if direction.parts.count > 1 { medium.split(channel, from: end.role) }
            return true
        }
        guard isTaken else { return .took(0) }
        sendNext(end.role)
        return .took(bytes.count)
    }

    /// Parts with two bytes before each: the packet's number, and the part's place with a mark on
    /// the last one.
    private static func parts(
        of bytes: [UInt8], _ packet: UInt8, _ partBytes: Int
    ) -> [[UInt8]] {
        let starts = Array(stride(from: 0, to: max(1, bytes.count), by: partBytes))
        return starts.enumerated().map { place, start in
            let mark: UInt8 = place + 1 == starts.count ? 0x80 : 0
            return [packet, UInt8(truncatingIfNeeded: place & 0x7F) | mark]
                + bytes[start..<min(bytes.count, start + partBytes)]
        }
    }

    private func sendNext(_ role: DeviceRole) {
        let profile = medium.state.withLock { $0.profile }
        typealias Next = (part: [UInt8]?, message: UInt64, channel: Channel)
        let next = change(role) { direction -> Next? in
            guard direction.waiting == nil, !direction.parts.isEmpty else { return nil }
            direction.nextMessage += 1
            direction.waiting = direction.nextMessage
            let part = direction.parts.removeFirst()
            return (leaving(part, &direction), direction.nextMessage, direction.channel)
        }
        guard let next else { return }
        let done: @Sendable () -> Void = { [weak self] in self?.end(next.message, of: role) }
        // A queue takes the next part at once; a message is waited for.
        let isQueued = profile[.stuckUntilNext] != nil || next.channel == .background
        guard let part = next.part else { return done() }
        do throws(SendRefusal) {
            try medium.submit(
                part, as: next.channel, from: role, reply: { _ in done() }, fail: { _ in done() })
            if isQueued { done() }
        } catch {
            // Lost, and with it the packet.
            change(role) { $0.parts = [] }
            done()
        }
    }

    /// The part that leaves when this one is written; nil where none does.
    private func leaving(_ part: [UInt8], _ direction: inout Direction) -> [UInt8]? {
        direction.partsOnLink += 1
        if !direction.wasStuck, direction.partsOnLink > Self.partsBeforeStuck,
            medium.apply(.stuckUntilRestart) != nil
        {
            return nil
        }
        guard medium.apply(.stuckUntilNext) != nil else { return part }
        defer { direction.kept = part }
        return direction.kept
    }

    /// The platform answered, or failed: it can take the next part either way.
    private func end(_ message: UInt64, of role: DeviceRole) {
        let isIdle = change(role) { direction -> Bool in
            guard direction.waiting == message else { return false }
            direction.waiting = nil
            return direction.parts.isEmpty
        }
        if isIdle { link?.end(of: role)?.hasRoom() } else { sendNext(role) }
    }

    // MARK: Receiving

    private func receive(_ part: [UInt8], at role: DeviceRole) -> [UInt8] {
        let packet = change(role.counterpart) { direction -> (bytes: [UInt8], copies: Int)? in
            guard let bytes = Self.collect(part, &direction) else { return nil }
            direction.packetsArrived += 1
            // One packet of each four.
            let isCopied = direction.packetsArrived % 4 == 0
            return (bytes, isCopied ? medium.apply(.stateCopies) ?? 1 : 1)
        }
        if let packet {
            for _ in 0..<packet.copies { link?.end(of: role)?.receive(packet.bytes) }
        }
        return []
    }

    /// The packet that this part completes.
    private static func collect(_ part: [UInt8], _ direction: inout Direction) -> [UInt8]? {
        guard part.count >= 2 else { return nil }
        let place = Int(part[1] & 0x7F)
        if place == 0 {
            direction.collected = []
            direction.collectedPacket = part[0]
            direction.collectedParts = 0
        }
        guard direction.collectedPacket == part[0], direction.collectedParts & 0x7F == place
        else { return nil }
        direction.collected += part[2...]
        direction.collectedParts += 1
        guard part[1] & 0x80 != 0 else { return nil }
        direction.collectedPacket = nil
        return direction.collected
    }
}

extension PlatformMedium {
    /// Counts an effect of a trait. Returns its value; nil where it is off and has none.
    @discardableResult
    fileprivate func apply(_ trait: PlatformTrait) -> Int? { state.withLock { $0.apply(trait) } }

    /// Counts that a packet was larger than a transfer.
    fileprivate func split(_ channel: Channel, from role: DeviceRole) {
        let trait = state.withLock { $0.profile.byteTrait(of: channel, from: role) }
        if let trait { apply(trait) }
    }
}

extension PlatformProfile {
    /// The bytes of a packet that one transfer carries.
    fileprivate func partBytes(_ channel: Channel, from role: DeviceRole) -> Int {
        max(1, (byteTrait(of: channel, from: role).flatMap { self[$0] } ?? 65_538) - 2)
    }

    /// The links that sessions have over this platform.
    var carrierTraits: CarrierTraits {
        let bytes = max(244, min(65_536, partBytes(.interactive, from: .watch)))
        return CarrierTraits(framing: .datagram(largestBytes: bytes), isLossy: true)
    }
}
