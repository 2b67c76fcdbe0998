import WatchProtoCore
import WatchProtoRecords

/// A message between the two devices.
enum LifeMessage {
    case dose(DoseEvent, since: LifeMoment)
    case medication(LightweightMedication, since: LifeMoment)
    /// A state of the face: its entry, and the changes of the phone that it includes.
    case state(FaceEntry, changes: Int, number: Int)
    /// The watch asks whether the ledgers are equal, or the phone answers.
    case question
    case answer(known: Set<DoseEventID>)
    /// The watch's word on its foreground.
    case foreground(Bool)

    fileprivate var channel: Channel? {
        switch self {
        case .dose: .background
        case .medication: .context
        case .state: .complication
        case .question, .answer: .background
        case .foreground: .interactive
        }
    }

    /// Bytes on the carrier: the content, and about 40 of header, record and seal.
    fileprivate var bytes: Int {
        switch self {
        case .dose(let event, _): 40 + ((try? event.encoded().count) ?? DoseEvent.byteBudget)
        case .medication(let medication, _): 40 + ((try? medication.encoded().count) ?? 200)
        case .state: 140
        case .question, .answer: 100
        case .foreground: 45
        }
    }
}

/// The link of a life: BLE with an interval of 30 ms and 700 kbit/s. It stalls instead of losing
/// packets. A message that is under way when the link breaks leaves again with the next session.
struct LifeLink {
    /// The longest that a message takes both ways where nothing stalls.
    static let lowerBound: LifeMoment = 66
    /// The longest that a small message takes with a stall, behind another one.
    static let longest: LifeMoment = 4200

    private struct Outstanding {
        var number: Int
        var toWatch: Bool
        var message: LifeMessage
        var isDelayed = false
    }

    /// An arrival that is to come.
    struct Arrival {
        var number: Int
        var session: Int
        var at: LifeMoment
    }

    private(set) var isUp = true
    private(set) var ledger = RadioLedger()
    private(set) var session = 0
    private var random: SeededGenerator
    private var outstanding: [Outstanding] = []
    private var next = 0
    private var last: [LifeMoment] = [0, 0]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Whether a state is under way.
    var isCarryingState: Bool {
        outstanding.contains { if case .state = $0.message { true } else { false } }
    }

    /// Sends a message; nil if it waits for the link.
    mutating func send(
        _ message: LifeMessage, toWatch: Bool, at now: LifeMoment
    ) -> Arrival? {
        if case .state = message {
            outstanding.removeAll { if case .state = $0.message { true } else { false } }
        }
        next += 1
        let one = Outstanding(
            number: next, toWatch: toWatch, message: message, isDelayed: !isUp)
        outstanding.append(one)
        return isUp ? depart(one, at: now) : nil
    }

    private mutating func depart(_ one: Outstanding, at now: LifeMoment) -> Arrival {
        let bytes = one.message.bytes
        note(one.message.channel, bytes, isSent: !one.toWatch, at: now)
        let stall = random.chance(0.01) ? LifeMoment(random.uniform(in: 200...2000)) : 0
        let wait = LifeMoment(random.uniform(in: 0...30))
        let place = one.toWatch ? 1 : 0
        let serial = LifeMoment((bytes * 8 + 699) / 700)
        let at = max(last[place], now + wait + stall) + serial
        last[place] = at
        return Arrival(number: one.number, session: session, at: at)
    }

    /// A packet and its acknowledgement.
    private mutating func note(
        _ channel: Channel?, _ bytes: Int, isSent: Bool, at now: LifeMoment
    ) {
        let instant = Instant(nanoseconds: UInt64(now) * 1_000_000)
        ledger.add(channel, bytes: bytes, isSent: isSent, at: instant)
        ledger.add(nil, bytes: 30, isSent: !isSent, at: instant)
    }

    /// The message of an arrival; nil if the link broke meanwhile, or a newer state replaced it.
    mutating func take(
        _ arrival: Arrival
    ) -> (message: LifeMessage, toWatch: Bool, isDelayed: Bool)? {
        guard isUp, arrival.session == session,
            let place = outstanding.firstIndex(where: { $0.number == arrival.number })
        else { return nil }
        let one = outstanding.remove(at: place)
        return (one.message, one.toWatch, one.isDelayed)
    }

    /// The link comes or goes. A new session has two messages of its own, then all that waits
    /// leaves.
    mutating func set(_ isUp: Bool, at now: LifeMoment) -> [Arrival] {
        guard isUp != self.isUp else { return [] }
        self.isUp = isUp
        session += 1
        for place in outstanding.indices { outstanding[place].isDelayed = true }
        guard isUp else {
            outstanding.removeAll {
                switch $0.message {
                case .question, .answer, .foreground: true
                default: false
                }
            }
            return []
        }
        last = [now + Self.lowerBound, now + Self.lowerBound]
        ledger.addSetUp()
        for isSent in [true, false] {
            let instant = Instant(nanoseconds: UInt64(now) * 1_000_000)
            ledger.add(nil, .opening, bytes: 120, isSent: isSent, at: instant)
        }
        return outstanding.map { depart($0, at: now) }
    }
}
