import ControlProtocol
import WatchProto

/// Resources of an export.
extension FHIRDoses {
    /// The extensions of an export in one place: none is unknown, and none but `replaces` occurs
    /// twice.
    typealias Extensions = [DoseFHIR.Name: [JSONNode]]

    /// The event of which the resource was made.
    mutating func readOwn(_ node: JSONNode) -> DoseEvent? {
        let before = reader.errors.count
        let extensions = extensions(of: node)
        let id = identity(of: node)
        let reference = reader.object(node["medicationReference"], "a reference")
        let medication = reference.flatMap { ownMedication($0) }
        let action = named(.action, in: extensions, of: node, DoseFHIR.actions.map(\.name))
            .map { DoseFHIR.actions[$0].action }
        let status = status(in: extensions, of: node, isWithdrawal: action == .withdraw)
        let planned = planned(extensions)
        let replaces = (extensions[.replaces] ?? []).compactMap { node in
            value(node, "valueUuid", "a UUID") { DoseEventID(uuid: $0) }
        }
        let time = time(extensions, of: node)
        let newer = newerFields(extensions)
        if reader.errors.count == before, medication == nil {
            reader.fault(
                reference ?? node,
                expected: "a medicationReference with an identifier of the "
                    + "system '\(DoseFHIR.medicationSystem)'", found: "none")
        }
        guard reader.errors.count == before, let id, let medication, let action, let time else {
            return nil
        }
        guard
            var event = DoseEvent(
                id: id, medication: medication, planned: planned, action, status: status,
                replaces: replaces.sorted(), time: time)
        else {
            reader.fault(
                node, expected: "an action, a status and replaced events that fit together",
                found: "others")
            return nil
        }
        event.extensions = newer ?? ExtensionFields()
        guard event.encodedSize <= DoseEvent.byteBudget else {
            reader.fault(
                node, expected: "an event of at most \(DoseEvent.byteBudget) bytes",
                found: "one of \(event.encodedSize)")
            return nil
        }
        checkElements(of: node, event)
        return event
    }

    /// Reports a fault where FHIR's own elements and the extensions differ.
    private mutating func checkElements(of node: JSONNode, _ event: DoseEvent) {
        let own = DoseFHIR.code(of: event, isReplaced: false)
        if let status = status(of: node), status != own, status != "entered-in-error",
            let status = node["status"]
        {
            reader.fault(
                status,
                expected: "'\(own)' or 'entered-in-error', as the extensions of the event say")
        }
        let expected = ZonedTime.iso8601(event.moment, event.time.zoneInFHIR)
        if let moment = node["effectiveDateTime"],
            moment.string.flatMap({ WallTime(iso8601: $0) }) != event.moment
        {
            reader.fault(
                moment, expected: "'\(expected ?? "nothing")', as the extensions of the event say")
        }
    }

    private mutating func identity(of node: JSONNode) -> DoseEventID? {
        let identifiers = reader.array(node["identifier"], "identifiers")
        let own = identifiers.first { $0["system"]?.string == DoseFHIR.eventSystem }
        guard let own else {
            reader.fault(
                node,
                expected: "an identifier of the system '\(DoseFHIR.eventSystem)' beside the "
                    + "extensions of an event", found: "none")
            return nil
        }
        guard let value = own["value"] else {
            reader.missing("value", in: own)
            return nil
        }
        return reader.parsed(value, "a UUID", DoseEventID.init(uuid:))
    }

    private mutating func extensions(of node: JSONNode) -> Extensions {
        var found: Extensions = [:]
        let names = DoseFHIR.Name.allCases.filter { $0 != .unitCode }.map(\.url)
        for node in reader.array(node["extension"], "extensions") {
            guard reader.object(node, "an extension") != nil,
                let url = reader.string(node["url"], "a URL"), url.hasPrefix(DoseFHIR.base)
            else { continue }
            let known = reader.named(node["url"], "an extension of a dose event", names) { url in
                names.contains(url)
                    ? DoseFHIR.Name(rawValue: String(url.dropFirst(DoseFHIR.base.utf8.count))) : nil
            }
            guard let known else { continue }
            if found[known] != nil, known != .replaces {
                reader.fault(node, expected: "one extension '\(known.rawValue)'", found: "another")
            } else {
                found[known, default: []].append(node)
            }
        }
        return found
    }

    private mutating func status(
        in extensions: Extensions, of node: JSONNode, isWithdrawal: Bool
    ) -> DoseStatus? {
        let names = DoseFHIR.statuses.map(\.name)
        let amount = ownAmount(of: node)
        let takenAt = minute(.takenAt, extensions)
        let end = minute(.snoozedUntil, extensions)
        let hasName = !isWithdrawal || extensions[.status] != nil
        let place = hasName ? named(.status, in: extensions, of: node, names) : nil
        if hasName, place == nil { return nil }
        let isTaken = place == 0
        guard isTaken || amount == nil && takenAt == nil, (end != nil) == (place == 2) else {
            reader.fault(
                node,
                expected: "an amount and 'taken-at' only of a dose taken, and "
                    + "'snoozed-until' of a snooze alone", found: "another combination")
            return nil
        }
        guard let place else { return nil }
        if let end { return .snoozed(until: end) }
        return isTaken ? .taken(amount, at: takenAt) : place == 1 ? .skipped : nil
    }
}
