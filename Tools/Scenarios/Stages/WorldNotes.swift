import Simulation
import WatchProtoCore
import WatchProtoRecords

/// Looks on in the world, and writes down what an evaluator needs.
final class WorldNotes {
    /// The content of a device's application, as far as its disk holds it.
    private struct Held {
        /// Medications by number: fingerprints.
        var list: [UInt64: UInt64] = [:]
        /// How often each tap was counted.
        var counted: [RecordID: Int] = [:]
    }

    private let plan: ScenarioPlan
    private let begin: Instant
    private var found: [Observation] = []
    private var held = [Held(), Held()]
    private var backups = [Held(), Held()]
    private var underWay: [Device: Int] = [:]
    private let texts: [String]
    /// The taps, in the order of the plan.
    private var taps: ArraySlice<Int>
    /// Taps that the watch's peer took and its disk does not hold yet.
    private var unconfirmed: [RecordID: (medication: Int, at: Instant)] = [:]
    /// Values of the device's own that its disk does not hold yet: fingerprints.
    private var own: [RecordID: (key: RecordKey, value: UInt64)] = [:]
    /// Taps on what the watch does not hold. The world sends them; an application would refuse.
    private var impossible: Set<RecordID> = []
    /// The fingerprint of a medication that only the phone knows.
    private static let unsent: UInt64 = 1

    init(_ plan: ScenarioPlan, begin: Instant) {
        self.plan = plan
        self.begin = begin
        // Medications in the phone's file that the world's phone was never asked to send.
        if !plan.isOnWatch {
            for number in 1...UInt64(plan.medications) { held[0].list[number] = Self.unsent }
        }
        texts = plan.steps.compactMap { if case .face(let text) = $0.act { text } else { nil } }
        taps = ArraySlice(
            plan.steps.compactMap { step in
                switch step.act {
                case .take(let number), .skip(let number): number
                default: nil
                }
            })
    }

    func note(_ what: Observation.What, at now: Instant) {
        found.append(Observation(begin.duration(to: now), what))
    }

    func take(_ observation: RunObservation, _ side: Int, _ now: Instant) {
        let device: Device = side == 0 ? .phone : .watch
        switch observation {
        case .accepted(let id, let draft): accepted(id, draft, device, now)
        case .delivered(let record, _): delivered(record, device, now)
        case .committed(let write): committed(write, side, now)
        case .event(let event): heard(event, device, now)
        case .refused(let channel, let refusal):
            note(.trouble(device, "\(channel) refused: \(refusal)"), at: now)
        case .started: note(.running(device, true), at: now)
        case .crashed:
            note(.running(device, false), at: now)
            if side == 1 { unconfirmed = [:] }
        case .backedUp: backups[side] = held[side]
        case .restored: held[side] = backups[side]
        case .ended(let ending):
            for (side, one) in ending.sides.enumerated() {
                underWay[side == 0 ? .phone : .watch] =
                    one.outstanding.count { !impossible.contains($0) }
            }
        default: break
        }
    }

    private func setFace(_ payload: [UInt8], _ device: Device, _ now: Instant) {
        guard let text = text(of: payload), device == .phone,
            !found.contains(where: { $0.what == .faceSet(text) })
        else { return }
        note(.faceSet(text), at: now)
    }

    private func text(of payload: [UInt8]) -> String? {
        guard let number = Payloads.number(ofState: payload), number > 0,
            number <= texts.count
        else { return nil }
        return texts[Int(number) - 1]
    }

    private func accepted(_ id: RecordID, _ draft: RecordDraft, _ device: Device, _ now: Instant) {
        if id.channel == .complication { return setFace(draft.payload, device, now) }
        if id.channel == .context, let key = draft.key {
            own[id] = (key, Payloads.fingerprint(draft.kind, draft.payload))
        }
        if device == .watch, id.channel == .background, let medication = taps.popFirst() {
            if held[1].list[UInt64(medication)] == nil {
                impossible.insert(id)
                note(.trouble(.watch, "'dose.record' refused: no_medication"), at: now)
            } else {
                unconfirmed[id] = (medication, now)
            }
        }
        // Only a record accepted at the moment of its step counts: those of a whole set come later.
        guard device == .phone, let key = draft.key, let number = Medicines.number(of: key),
            plan.steps.contains(where: { step in
                step.at == begin.duration(to: now)
                    && (step.act == .change(Int(number)) || step.act == .remove(Int(number)))
            })
        else { return }
        note(.changed(Int(number), revision: Self.revision(draft.kind, draft.payload)), at: now)
    }

    private static func revision(_ kind: ContentKind, _ payload: [UInt8]) -> UInt64? {
        guard !kind.isRemoval else { return nil }
        return (try? LightweightMedication(decoding: payload)).map { UInt64($0.revision) }
    }

    private func delivered(_ record: InboundRecord, _ device: Device, _ now: Instant) {
        switch (device, record.id.channel) {
        case (.watch, .context):
            guard let key = record.key, let number = Medicines.number(of: key) else { return }
            let revision = Self.revision(record.kind, record.payload)
            note(.visible(Int(number), revision: revision), at: now)
        case (.watch, .complication):
            if let text = text(of: record.payload) { note(.faceShown(text), at: now) }
        case (.phone, .background) where !impossible.contains(record.id):
            note(.counted("\(record.id)"), at: now)
        default: break
        }
    }

    private func committed(_ write: ApplicationWrite, _ side: Int, _ now: Instant) {
        switch write {
        case .queued(let id):
            if let value = own.removeValue(forKey: id) { keep(value.key, value.value, side) }
            guard side == 1, let tap = unconfirmed.removeValue(forKey: id) else { return }
            note(.tapped("\(id)", medication: tap.medication), at: tap.at)
        case .effect(let id, let key, let value):
            if side == 0, id.channel == .background, !impossible.contains(id) {
                held[0].counted[id, default: 0] += 1
            }
            keep(key, value, side)
        default: break
        }
    }

    private func keep(_ key: RecordKey?, _ value: UInt64, _ side: Int) {
        guard let number = key.flatMap({ Medicines.number(of: $0) }) else { return }
        held[side].list[number] = value == 0 ? nil : value
    }

    private func heard(_ event: PeerEvent, _ device: Device, _ now: Instant) {
        switch event {
        case .reachability(let isReachable, _):
            note(.reachable(device, isReachable), at: now)
        case .counterpartChanged(let change): note(.told(device, change.scenarioName), at: now)
        case .recovered(.context, let key, let kind, let payload):
            keep(key, Payloads.fingerprint(kind, payload), device.side)
        case .conflict(.context, let key, let kept, _):
            keep(key, Payloads.fingerprint(kept.kind, kept.payload), device.side)
        case .settled(let id, .rejected(let code)):
            note(.trouble(device, "\(id) was rejected with code \(code)"), at: now)
        case .journalFailed: note(.trouble(device, "the journal failed"), at: now)
        case .linkClosed(let reason):
            switch reason {
            case .localRequest, .stalled, .carrier, .cutShort, .counterpart, .handshakeTimedOut:
                break
            default: note(.trouble(device, "the link closed: \(reason)"), at: now)
            }
        default: break
        }
    }

    func record(at now: Instant) -> ScenarioRecord {
        var record = ScenarioRecord()
        record.observations = found.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        record.ending.at = begin.duration(to: now)
        record.ending.underWay = underWay
        for (id, count) in held[0].counted { record.ending.counted["\(id)"] = count }
        record.ending.phoneList = Self.list(held[0].list)
        record.ending.watchList = Self.list(held[1].list)
        record.duration = Instant.zero.duration(to: now)
        return record
    }

    private static func list(_ held: [UInt64: UInt64]) -> ScenarioEnding.List {
        let sum = held.reduce(UInt64(0)) { sum, one in sum &+ mixed(one.key &+ mixed(one.value)) }
        return ScenarioEnding.List(count: held.count, digest: String(sum, radix: 16))
    }

    /// A hash that does not change from process to process (Steele, Lea and Flood 2014).
    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
