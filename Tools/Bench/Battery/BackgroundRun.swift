package import Simulation
import WatchProtoCore
import WatchProtoRecords

/// Four hours in the background, in virtual time: medications change, doses are taken, the face
/// changes. The changes leave as they come, or gathered: medications every 15 minutes, and states
/// of the face as a `ComplicationPlanner` says.
package struct BackgroundRun {
    /// The time that passes.
    package static let length = Duration.seconds(4 * 3600)
    /// The time between two syncs, if nothing else is asked for.
    package static let syncInterval = Duration.seconds(15 * 60)
    /// Changes of medications come one a minute, those of the face every two minutes, and a dose on
    /// the watch every hour.
    private static let changeInterval = Duration.seconds(60)

    /// The traffic of the watch.
    package private(set) var ledger = RadioLedger()
    /// The pushes of complications that are left.
    package private(set) var pushesLeft = 0
    /// Whether everything was settled at the end.
    package private(set) var isSettled = false

    private let pair: PeerPair
    private var content: PhoneContent
    private var planner: ComplicationPlanner
    private var wall = WallTime(milliseconds: 1_767_268_800_000)
    private var newestFace: [UInt8]?
    /// The pieces of records that each side has sent: the phone's, then the watch's.
    private var known: [Set<PacketContents.Piece>] = [[], []]
    private let gathers: Bool
    /// The minutes in which gathered changes leave.
    private let syncs: Set<Int>

    /// Runs over a link with these conditions.
    ///
    /// - Parameters:
    ///   - conditions: the conditions of the link.
    ///   - gathers: whether changes are gathered and planned.
    ///   - syncs: the moments at which gathered changes leave; nil for every 15 minutes.
    ///   - seed: the seed of the changes and of the link.
    package init(
        _ conditions: LinkOptions, gathers: Bool, syncs: [Duration]? = nil, seed: UInt64
    ) {
        self.gathers = gathers
        let usual = (1...Int(Self.length / Self.syncInterval)).map { Self.syncInterval * $0 }
        self.syncs = Set((syncs ?? usual).map { Int($0 / Self.changeInterval) })
        pair = PeerPair(PairOptions(conditions, datagramBytes: 244, seed: seed)) { role in
            NullSecurity(
                PeerLabel(role: role, pairing: PairingID(rawValue: 1)), seed: seed &+ role.seed)
        }
        content = PhoneContent(seed: seed)
        let clock = WallClock(time: wall)
        planner = ComplicationPlanner(
            .watchConnectivity, ComplicationAccount(at: pair.now, clock))
        pair.connect(seed: seed)
        let medications = content.list(20, isChangeable: true)
        send(medications)
        pair.run(for: .seconds(60)) { _, _, _ in }
        planner.setReachable(true)
        perform()
    }

    private var clock: WallClock { WallClock(time: wall) }

    private mutating func perform() {
        let steps = Self.length / Self.changeInterval
        var changes: [(RecordKey, [UInt8])] = []
        for step in 1...Int(steps) {
            changes.append(content.change())
            if !gathers || syncs.contains(step) {
                send(changes)
                changes = []
            }
            if step % 2 == 0 { offerFace() }
            if step % 60 == 0 {
                let draft = RecordDraft(
                    channel: .background, kind: .doseEvent, payload: content.bytes(32))
                _ = pair.watch.send(draft, at: pair.now)
                pair.drain(pair.watch)
            }
            pass(Self.changeInterval)
        }
        // The last changes go with the next sync.
        if !changes.isEmpty {
            send(changes)
            pass(Self.changeInterval)
        }
        pushesLeft = planner.left
        isSettled = pair.sides.allSatisfy { $0.outstanding() == 0 }
    }

    private func send(_ values: [(RecordKey, [UInt8])]) {
        for (key, payload) in values {
            let draft = RecordDraft(
                channel: .context, kind: .medication, key: key, payload: payload)
            _ = pair.phone.send(draft, at: pair.now)
        }
        pair.drain(pair.phone)
    }

    private mutating func offerFace() {
        newestFace = content.face()
        let offer = ComplicationOffer(isUrgent: false, slotsLeft: 2)
        let reason = gathers ? planner.offer(offer, at: pair.now, clock) : .foreground
        if [.pushed, .foreground, .riding].contains(reason) { sendFace() }
    }

    private mutating func sendFace() {
        guard let face = newestFace else { return }
        newestFace = nil
        pair.phone.updateComplication(RecordKey(rawValue: 0), face, at: pair.now)
        pair.drain(pair.phone)
    }

    /// Lets time pass, and notes the packets.
    private mutating func pass(_ time: Duration) {
        pair.run(for: time) { side, bytes, contents in
            add(contents, bytes, isSent: side == 1)
        }
        wall.milliseconds += time.nanosecondsClamped / 1_000_000
        planner.wake(at: pair.now, clock)
        if !planner.takeReleased().isEmpty { sendFace() }
    }

    private mutating func add(_ contents: PacketContents?, _ bytes: Int, isSent: Bool) {
        let piece = contents?.pieces.first
        var cause = contents == nil ? RadioLedger.Cause.opening : .answer
        if let piece {
            let isNew = known[isSent ? 1 : 0].insert(piece).inserted
            cause = isNew ? .record : .repetition
        }
        let channel = piece?.channel
        ledger.add(channel, cause, bytes: bytes, isSent: isSent, at: pair.now)
        // A record wakes the watch: the newest state rides with it.
        guard gathers, let channel, channel.traits.isDurable, channel != .complication else {
            return
        }
        planner.watchIsAwake(at: pair.now)
        if !planner.takeReleased().isEmpty { sendFace() }
    }
}

extension DeviceRole {
    fileprivate var seed: UInt64 { self == .phone ? 1 : 2 }
}
