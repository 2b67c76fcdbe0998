import WatchProto
import WatchProtoRecords

/// A session into which somebody writes, as the input has it.
///
/// Input: a byte (bit 0: the victim is the phone or the watch; bit 1: hostile bytes come before the
/// first greeting; bit 2: the victim restarts on its journal before the honest session; bit 3, on
/// datagrams: 244 bytes at most), then steps, each a byte of which the low three bits say what:
///
/// | Step | What | Further bytes |
/// | ---- | ---- | ------------- |
/// | 0 | hostile bytes as they are | length, bytes |
/// | 1 | hostile frames in a packet that the victim opens | length, frames |
/// | 2 | the victim accepts a record of the background lane | |
/// | 3 | the other side accepts a record; its lane is in the high bits | |
/// | 4 | what is under way arrives | |
/// | 5 | time passes, by the high bits | |
/// | 6 | a hostile greeting | session, length, greeting |
/// | 7 | the victim accepts a context value, or an interactive message | |
struct HostileSession {
    private let pair: FuzzPair
    private var input: ArraySlice<UInt8>
    /// The victim's records of the background lane.
    private var followed: [RecordID] = []
    /// Of which the hostile bytes may have spoken: nothing is sealed, so they are believed.
    private(set) var lied: [Bool] = []
    /// Whether hostile bytes may still be about to say something: half a packet, or a session.
    private var isSpoiled = false
    private var values: UInt8 = 0
    private let restarts: Bool
    private let isEarly: Bool

    init(_ input: [UInt8], isStream: Bool) {
        let first = input.first ?? 0
        let framing: CarrierTraits.Framing =
            isStream ? .stream : .datagram(largestBytes: first & 8 == 0 ? 1200 : 244)
        pair = FuzzPair(
            CarrierTraits(framing: framing, isLossy: !isStream),
            victim: first & 1 == 0 ? .phone : .watch)
        isEarly = first & 2 != 0
        restarts = first & 4 != 0
        self.input = input.dropFirst()
    }

    /// How many of the victim's records the other side's application got.
    var delivered: Int { followed.count { pair.other.host.delivered.contains($0) } }

    /// What does not hold, if anything.
    mutating func run() -> String? {
        let inputCount = input.count
        pair.connect()
        if !isEarly { pair.settle() }
        for _ in 0..<64 {
            guard let step = input.popFirst() else { break }
            perform(step)
            pair.mend()
            if let complaint = pair.complaint { return complaint }
        }
        if pair.victim.host.hasUnreadableEntries { return "entries that cannot be read again" }
        // Packets, events, entries: a few for each byte that came in and each step of ours.
        let outputs = pair.victim.host.outputs
        let bytes = pair.victim.host.outputBytes
        guard outputs <= 2_000 + 16 * inputCount, bytes <= 1 << 20 else {
            return "\(inputCount) bytes made the victim put out \(outputs) things, \(bytes) bytes"
        }
        return honestComplaint()
    }

    private mutating func perform(_ step: UInt8) {
        switch step & 7 {
        case 0:
            // A piece of a packet may swallow honest bytes, so anything may have been said.
            attack(takeBlock(), spoils: true)
        case 1:
            let frames = takeBlock()
            attack(pair.packet(frames), spoils: false)
        case 2: accept(.background, isVictim: true)
        case 3: accept(step & 0x80 == 0 ? .background : .context, isVictim: false)
        case 4: pair.settle()
        case 5: pair.advance(by: .milliseconds(Int(step >> 3) * 400))
        case 6:
            let session = UInt32(input.popFirst() ?? 0) + 1
            attack(pair.handshake(session, takeBlock()), spoils: true)
        default: accept(step & 0x80 == 0 ? .context : .interactive, isVictim: true)
        }
    }

    private mutating func takeBlock() -> [UInt8] {
        let count = Int(input.popFirst() ?? 0)
        defer { input = input.dropFirst(count) }
        return [UInt8](input.prefix(count))
    }

    private mutating func attack(_ bytes: [UInt8], spoils: Bool) {
        isSpoiled = isSpoiled || spoils
        let before = followed.map { pair.victim.word(on: $0) }
        pair.victim.receive(bytes, at: pair.now)
        for (index, id) in followed.enumerated()
        where spoils || before[index] != pair.victim.word(on: id) {
            lied[index] = true
        }
    }

    private mutating func accept(_ lane: Lane, isVictim: Bool) {
        values &+= 1
        let key = lane == .context ? RecordKey(rawValue: UInt128(values % 3)) : nil
        let draft = RecordDraft(
            lane: lane, kind: lane == .context ? .applicationContext : .userInfo, key: key,
            payload: Array(repeating: values, count: 40))
        let side = isVictim ? pair.victim : pair.other
        let id = try? side.peer.send(draft, at: pair.now)
        side.drain(at: pair.now)
        if isVictim, lane == .background, let id {
            followed.append(id)
            lied.append(isSpoiled)
        }
    }
}

extension HostileSession {
    /// What does not hold once only the honest counterpart speaks.
    private func honestComplaint() -> String? {
        pair.cut()
        let victim = pair.victim
        let words = followed.map { victim.word(on: $0) }
        for (id, word) in zip(followed, words) {
            if word == .unknown { return "\(id) is forgotten" }
            let isOutstanding = victim.peer.outstandingTransfers.contains(id)
            if case .settled? = word {
                if isOutstanding { return "\(id) is settled and outstanding" }
            } else if !isOutstanding {
                return "\(id) is neither settled nor outstanding"
            }
        }
        if restarts { victim.restart(epoch: 0x3333, at: pair.now) }
        pair.connect()
        pair.settle()
        pair.advance(by: .seconds(5))
        if let complaint = pair.complaint { return complaint }
        var former: [RecordID] = []
        if case .violation? = pair.other.host.closed {
            // The victim holds the counterpart to what hostile bytes said in its name, so the two
            // cannot agree; one that starts anew (another epoch, nothing held) must find it well.
            former = pair.other.host.delivered
            pair.replaceOther(epoch: 0x4444)
            pair.connect()
            pair.settle()
            pair.advance(by: .seconds(5))
        }
        if let complaint = pair.complaint { return complaint }
        if victim.host.closed != nil || pair.other.host.closed != nil {
            let reasons = [victim, pair.other].map { "\($0.host.closed, default: "open")" }
            return "the honest link ended: \(reasons)"
        }
        for (index, id) in followed.enumerated() {
            let count = pair.other.host.delivered.count { $0 == id }
            guard count <= 1 else { return "\(id) was delivered \(count) times" }
            let before = former.count { $0 == id }
            guard before <= 1 else { return "\(id) was delivered \(before) times before" }
            // What the hostile bytes claimed of a record is believed; it may then never be sent.
            if words[index] != nil, lied[index] { continue }
            guard count == 1 || before == 1 else { return "\(id) was not delivered" }
            guard victim.peer.status(of: id) == .settled(.applied) else {
                return "\(id) was delivered, but is \(victim.peer.status(of: id))"
            }
        }
        return nil
    }
}

extension FuzzTarget {
    /// A peer on a stream whose counterpart's bytes have hostile ones among them.
    static let peerStream = FuzzTarget("peer-stream") { bytes in
        var session = HostileSession(bytes, isStream: true)
        return session.run()
    }

    /// The same on datagrams that can be lost.
    static let peerDatagram = FuzzTarget("peer-datagram") { bytes in
        var session = HostileSession(bytes, isStream: false)
        return session.run()
    }
}
