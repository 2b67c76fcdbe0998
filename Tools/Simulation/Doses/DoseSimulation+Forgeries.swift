import Locks
import WatchProto
import WatchProtoCore
import WatchProtoRecords

/// Other bytes under the identity of an event (rule 1): each device refuses and reports them.
extension DoseSimulation {
    /// The code of a rejected event whose identity stands for another event.
    private static let otherBytes = Outcome.rejected(code: 65_533)

    /// A device gets other bytes under an identity of its ledger, from its application or from
    /// another device.
    func forge() {
        let device = devices[Int.random(in: 0..<3, using: &forger)]
        let other = devices[device.others.randomElement(using: &forger) ?? 0]
        let durable = device.disk.state.withLock { $0.contents.events }
        guard let event = durable.randomElement(using: &forger)?.event,
            let status = event.status
        else { return }
        // Another time would not do: a repeated act has the time of its repetition.
        let changed = DoseEvent(
            id: event.id, medication: event.medication, planned: event.planned, event.action,
            status: status.isTaken ? .skipped : .taken, replaces: event.replaces,
            time: event.time)
        guard let changed, let encoding = try? changed.encoded() else { return }
        device.disk.state.withLock { $0.forged = (event.id.rawValue, encoding) }
        if forger.chance(0.5) {
            note(.forge, device.index, Self.hex(event.id.rawValue))
            let notes = device.notes
            let act = DoseAct(events: [changed], isForged: true)
            device.ledger.add(act.events) { notes.ended(act, $0) }
        } else if let link = device.links[other.index], link.state.withLock({ $0.isOpen }) {
            let sender = Self.name(other.index)
            note(.forge, device.index, "\(Self.hex(event.id.rawValue)) from \(sender)")
            let id = link.newRecord(.background)
            device.disk.state.withLock { _ = $0.forgeries.insert(id) }
            link.exchange.receive(
                InboundRecord(id: id, kind: .doseEvent, key: nil, payload: encoding),
                at: .zero)
        }
    }

    /// A device refused each of the forgeries that it answered.
    func checkForgeries(_ device: DoseDevice) {
        let answered = device.disk.state.withLock { state in
            defer { state.answeredForgeries = [] }
            return state.answeredForgeries
        }
        for outcome in answered where outcome != Self.otherBytes {
            report(.identity, device.index, "other bytes of a known identity are \(outcome)")
        }
    }
}
