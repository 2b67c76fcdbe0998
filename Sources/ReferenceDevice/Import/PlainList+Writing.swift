package import ControlProtocol
import WatchProto

extension Medication {
    /// The medication as an element of the project's own list. Members that are empty or have their
    /// usual value are left out; reading it back gives an equal medication.
    package var json: JSONValue {
        var object = JSONObject()
        func set(_ name: String, _ text: String) {
            if !text.isEmpty { object[name] = .string(text) }
        }
        object["id"] = .string(id.uuidText)
        object["name"] = .string(name)
        set("genericName", genericName)
        if !ingredients.isEmpty { object["ingredients"] = .array(ingredients.map(\.json)) }
        set("strength", strength)
        set("form", form.name)
        set("route", route)
        object["dose"] = dose.json
        set("instructions", instructions)
        set("pharmacistInstructions", pharmacistInstructions)
        object["schedule"] = schedule.json
        if isAsNeeded { object["isAsNeeded"] = true }
        object["limits"] = limits.json
        if !isActive { object["isActive"] = false }
        if isHighAlert { object["isHighAlert"] = true }
        object["prescriber"] = prescriber?.json
        object["pharmacy"] = pharmacy?.json
        set("indication", indication)
        set("notes", notes)
        object["stock"] = stock?.json
        if !codes.isEmpty { object["codes"] = .array(codes.map(\.json)) }
        let digits = String(color, radix: 16, uppercase: true)
        object["color"] = .string(
            "#" + String(repeating: "0", count: 8 - digits.utf8.count) + digits)
        object["revision"] = .whole(revision)
        object["createdAt"] = .string(createdAt.iso8601)
        object["updatedAt"] = .string(updatedAt.iso8601)
        if history != DoseHistory() { object["history"] = history.json }
        return .object(object)
    }
}

extension Ingredient {
    fileprivate var json: JSONValue {
        var object = JSONObject()
        object["name"] = .string(name)
        if !strength.isEmpty { object["strength"] = .string(strength) }
        return .object(object)
    }
}

extension DosePerTime {
    fileprivate var json: JSONValue? {
        func number(_ amount: Amount) -> JSONValue {
            amount.scale == 0 ? .whole(amount.mantissa) : .number(Double(amount.digits) ?? 0)
        }
        switch self {
        case .unstated: return nil
        case .exact(let amount):
            return ["amount": number(amount), "unit": .string(amount.unit.symbol)]
        case .range(let low, let high):
            return ["low": number(low), "high": number(high), "unit": .string(low.unit.symbol)]
        case .text(let text): return ["text": .string(text)]
        }
    }
}

extension MedicationSchedule {
    fileprivate var json: JSONValue? {
        guard self != MedicationSchedule() else { return nil }
        var object = JSONObject()
        object["times"] = .array(minutes.map { .string(MinuteOfDay.text($0)) })
        if weekdays != .all {
            object["weekdays"] = .array(
                PlainList.weekdayNames.enumerated()
                    .filter { weekdays.contains(Weekdays(rawValue: 1 << UInt8($0.offset))) }
                    .map { .string($0.element) })
        }
        switch zone {
        case .floating: break
        case .absolute: object["zone"] = "absolute"
        case .fixed(let offset):
            let sign = offset.minutes < 0 ? "-" : "+"
            object["zone"] = .string(sign + MinuteOfDay.text(Int(offset.minutes.magnitude)))
        }
        object["start"] = start.map { .string($0.description) }
        object["end"] = end.map { .string($0.description) }
        if everyDays > 1 { object["everyDays"] = .whole(everyDays) }
        if isAssumed { object["isAssumed"] = true }
        return .object(object)
    }
}

extension AsNeededLimits {
    fileprivate var json: JSONValue? {
        guard packed != 0 else { return nil }
        var object = JSONObject()
        object["minimumInterval"] = minimumInterval.map { .whole($0) }
        object["maximumPerDay"] = maximumPerDay.map { .whole($0) }
        return .object(object)
    }
}

extension Contact {
    fileprivate var json: JSONValue {
        var object = JSONObject()
        object["name"] = .string(name)
        if !phone.isEmpty { object["phone"] = .string(phone) }
        if !address.isEmpty { object["address"] = .string(address) }
        return .object(object)
    }
}

extension Stock {
    fileprivate var json: JSONValue {
        [
            "dosesLeft": .whole(dosesLeft), "refillAt": .whole(refillAt),
            "refillsLeft": .whole(refillsLeft),
        ]
    }
}

extension Code {
    fileprivate var json: JSONValue {
        var object = JSONObject()
        object["system"] = .string(system)
        object["code"] = .string(code)
        if !display.isEmpty { object["display"] = .string(display) }
        return .object(object)
    }
}

extension DoseHistory {
    fileprivate var json: JSONValue {
        var object = JSONObject()
        object["taken"] = .whole(taken)
        object["skipped"] = .whole(skipped)
        object["lastTakenAt"] = lastTakenAt.map { .string($0.iso8601) }
        return .object(object)
    }
}
