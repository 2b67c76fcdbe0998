import WatchProtoCore
import WatchProtoRecords

/// Two paired peers, and somebody without their keys who writes to one of them, as the input has
/// it. Nothing of theirs may be lost, come twice or be told wrongly, and nothing of the attacker's
/// may count.
///
/// Input: a byte (bit 0: the victim is the phone or the watch; bit 1: the counterpart is away until
/// the end; bit 2: the victim restarts on its journal before the end; bit 3, on datagrams: 244
/// bytes at most), then steps, each a byte of which the low three bits say what:
///
/// | Step | What | Further bytes |
/// | ---- | ---- | ------------- |
/// | 0 | bytes as they are | length, bytes |
/// | 1 | a packet that reached the victim, once more and altered | which, where, XOR |
/// | 2 | the victim accepts a record of the background channel | |
/// | 3 | the other side accepts a record; its channel is in the high bits | |
/// | 4 | what is under way arrives | |
/// | 5 | time passes, by the high bits | |
/// | 6 | the victim's own packet comes back to it, altered | which, where, XOR |
/// | 7 | the victim accepts a context value, or an interactive message | |
struct HostileSession {
    private let pair: FuzzPair
    private var input: ArraySlice<UInt8>
    /// Records of the background channel: the victim's and the other side's.
    private var ownRecords: [RecordID] = []
    private var otherRecords: [RecordID] = []
    private var values: UInt8 = 0
    private let isAlone: Bool
    private let restarts: Bool

    init?(_ input: [UInt8], isStream: Bool) {
        guard let devices = FuzzTarget.devices else { return nil }
        let first = input.first ?? 0
        let framing: CarrierTraits.Framing =
            isStream ? .stream : .datagram(largestBytes: first & 8 == 0 ? 1200 : 244)
        pair = FuzzPair(
            devices, CarrierTraits(framing: framing, isLossy: !isStream),
            victim: first & 1 == 0 ? .phone : .watch)
        isAlone = first & 2 != 0
        restarts = first & 4 != 0
        self.input = input.dropFirst()
    }

    /// Records of both sides that the other application has.
    var delivered: Int {
        ownRecords.count { pair.other.environment.delivered.contains($0) }
            + otherRecords.count { pair.victim.environment.delivered.contains($0) }
    }

    /// Packets that the victim dropped.
    var victimCounters: ConnectionCounters { pair.victim.peer.connectionCounters }

    /// The promise that is broken; nil if none is.
    mutating func run() -> String? {
        let inputCount = input.count
        pair.connect(withOther: !isAlone)
        if !isAlone { pair.runUntilIdle() }
        for _ in 0..<64 {
            guard let step = input.popFirst() else { break }
            perform(step)
            if let complaint = pair.complaint { return complaint }
            if isAlone, pair.victim.peer.activationState == .activated {
                return "a session without keys"
            }
            if pair.victim.environment.closed != nil {
                pair.cut()
                pair.connect(withOther: !isAlone)
            }
        }
        let environment = pair.victim.environment
        if environment.hasUnreadableEntries { return "entries that cannot be read again" }
        // Packets, events, entries: a few for each byte that came in and each step of ours.
        guard environment.outputs <= 2_000 + 16 * inputCount, environment.outputBytes <= 1 << 20
        else {
            return "\(inputCount) bytes made the victim put out \(environment.outputs) things"
        }
        return complaintOfThePair()
    }

    private mutating func perform(_ step: UInt8) {
        switch step & 7 {
        case 0: pair.victim.receive(takeBlock(), on: pair.carrier, at: pair.now)
        case 1: alter(pair.victim.received)
        case 2: accept(.background, isVictim: true)
        case 3: accept(step & 0x80 == 0 ? .background : .context, isVictim: false)
        case 4: pair.runUntilIdle()
        case 5: pair.advance(by: .milliseconds(Int(step >> 3) * 400))
        case 6: alter(pair.victim.environment.wire)
        default: accept(step & 0x80 == 0 ? .context : .interactive, isVictim: true)
        }
    }

    private mutating func takeBlock() -> [UInt8] {
        let count = Int(input.popFirst() ?? 0)
        defer { input = input.dropFirst(count) }
        return [UInt8](input.prefix(count))
    }

    /// One of `packets` with one byte changed, or none.
    private mutating func alter(_ packets: [[UInt8]]) {
        let which = Int(input.popFirst() ?? 0)
        let place = Int(input.popFirst() ?? 0)
        let difference = input.popFirst() ?? 0
        guard !packets.isEmpty else { return }
        var packet = packets[which % packets.count]
        if !packet.isEmpty { packet[place % packet.count] ^= difference }
        pair.victim.receive(packet, on: pair.carrier, at: pair.now)
    }

    private mutating func accept(_ channel: Channel, isVictim: Bool) {
        values &+= 1
        let side = isVictim ? pair.victim : pair.other
        guard let id = side.accept(channel, values, at: pair.now), channel == .background else {
            return
        }
        if isVictim { ownRecords.append(id) } else { otherRecords.append(id) }
    }

    /// The promise that is broken once only the two of them speak; nil if none is.
    private func complaintOfThePair() -> String? {
        pair.cut()
        if restarts { pair.restartVictim() }
        pair.connect(withOther: true)
        pair.runUntilIdle()
        pair.advance(by: .seconds(5))
        if let complaint = pair.complaint { return complaint }
        for side in [pair.victim, pair.other] {
            if side.hasHiddenOutput { return "a dropped packet left something to drain" }
            if let reason = side.environment.closed { return "the link ended: \(reason)" }
        }
        return Self.complaint(on: ownRecords, of: pair.victim, at: pair.other)
            ?? Self.complaint(on: otherRecords, of: pair.other, at: pair.victim)
    }

    /// The promise that is broken for `records`, all that `sender` accepted in `background`.
    static func complaint(
        on records: [RecordID], of sender: FuzzSide, at receiver: FuzzSide
    ) -> String? {
        let order = receiver.environment.delivered.filter { $0.channel == .background }
        guard order == records else {
            return "\(records.count) records were sent, and these delivered: \(order)"
        }
        for id in records where sender.peer.status(of: id) != .settled(.applied) {
            return "\(id) was delivered, but is \(sender.peer.status(of: id))"
        }
        return nil
    }
}

extension FuzzTarget {
    /// Two peers on a stream, among whose bytes somebody else writes.
    static let peerStream = FuzzTarget("peer-stream") { bytes in
        guard var session = HostileSession(bytes, isStream: true) else { return "no pairing" }
        return session.run()
    }

    /// The same on datagrams that can be lost.
    static let peerDatagram = FuzzTarget("peer-datagram") { bytes in
        guard var session = HostileSession(bytes, isStream: false) else { return "no pairing" }
        return session.run()
    }
}
