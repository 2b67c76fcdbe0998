/// The heads of a set of events: those that no other event replaces, without withdrawals.
package enum DoseHeads {
    /// The heads among `events`, ascending by identity. Names of events outside the set have no
    /// effect until those events are known.
    ///
    /// Events that replace each other in a circle do not replace each other: no set of corrections
    /// removes every head, only withdrawals do.
    package static func of(_ events: some Collection<DoseEvent>) -> [DoseEvent] {
        let replaced = replaced(by: events)
        return events.filter { $0.action != .withdraw && !replaced.contains($0.id) }
            .sorted { $0.id < $1.id }
    }

    /// The events that an event outside every circle replaces.
    package static func replaced(by events: some Collection<DoseEvent>) -> Set<DoseEventID> {
        if events.allSatisfy({ $0.replaces.isEmpty }) { return [] }
        var byID: [DoseEventID: DoseEvent] = [:]
        for event in events { byID[event.id] = event }
        var namers: [DoseEventID: Int] = [:]
        for event in byID.values {
            for id in event.replaces { namers[id, default: 0] += 1 }
        }
        var free = byID.values.filter { namers[$0.id] == nil }
        var replaced: Set<DoseEventID> = []
        while let event = free.popLast() {
            for id in event.replaces {
                replaced.insert(id)
                namers[id, default: 0] -= 1
                if namers[id] == 0, let next = byID[id] { free.append(next) }
            }
        }
        return replaced
    }
}
