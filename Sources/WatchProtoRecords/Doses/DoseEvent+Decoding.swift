public import WatchProtoCore

extension DoseEvent {
    /// Decodes the event from all of `bytes`.
    ///
    /// - Throws: the broken rule and its offset; the maker of the bytes is at fault.
    public init(decoding bytes: Span<UInt8>) throws(WireError) {
        try checkLength(bytes, atMost: Self.byteBudget)
        var reader = WireReader(bytes)
        let shape = try reader.byte("the shape of a dose event")
        try checkVersion(shape & 3)
        let details = try reader.byte("the details of a dose event")
        let action = DoseAction(code: details & 3)
        let status = try DoseStatus.checked(details >> 2 & 3, action, shape)
        let id = DoseEventID(rawValue: try reader.uint128("the id of a dose event"))
        let medication = MedicationID(rawValue: try reader.uint128("the id of a medication"))
        let isWide = shape & Shape.wide != 0
        let wall = try reader.stamp(wide: isWide)
        let minute = shape & Shape.minute != 0 ? try reader.minute(wide: isWide) : nil
        guard !isWide || !Stamp.isNarrow(wall) || !(minute?.isNarrow ?? true) else {
            throw WireError(
                .overlong, at: 34, expected: "a time that needs the wide form", found: 8)
        }
        let zone = try reader.zoneOffset(wide: details & Details.minutesOfZone != 0)
        let planned = try reader.plannedDose(shape)
        var time = DoseTime(wall, zoneOffset: zone)
        if details & Details.device != 0 {
            time.device = UInt32(try reader.fixed(4, "the number of a device"))
        }
        if details & Details.uptime != 0 {
            let boot = UInt32(try reader.fixed(4, "the number of a boot"))
            time.uptime = DoseUptime(
                boot: boot, milliseconds: try reader.fixed(5, "milliseconds since a boot"))
        }
        if details & Details.phoneOffset != 0 {
            let bits = UInt32(
                try reader.varint("the offset to the phone", atMost: UInt64(UInt32.max)))
            time.phoneOffset = Int32(bitPattern: bits >> 1) ^ -Int32(bitPattern: bits & 1)
        }
        let replaces = action == .record ? [] : try reader.replacedEvents(by: id)
        let amount = shape & Shape.amount != 0 ? try reader.amount() : nil
        self.init(
            id: id, medication: medication, planned: planned, action: action,
            status: status.map { DoseStatus(code: $0, amount: amount, minute: minute) },
            replaces: replaces, time: time)
        if shape & Shape.extensions != 0 {
            let length = try reader.extensionLength()
            extensions = try reader.extensions(length)
        }
        try reader.finish("the end of a dose event")
    }
}

extension WireReader {
    /// A zone offset: in minutes if `wide`, or else in quarters of an hour.
    fileprivate mutating func zoneOffset(wide: Bool) throws(WireError) -> ZoneOffset {
        let start = offset
        guard wide else {
            let quarters = Int8(bitPattern: try byte("a zone offset"))
            guard let zone = ZoneOffset(minutes: Int(quarters) * 15) else {
                throw WireError(
                    .outOfRange, at: start, expected: "a zone offset of −72 to 72 quarters",
                    found: UInt64(UInt8(bitPattern: quarters)))
            }
            return zone
        }
        let zone = try zoneOffset()
        guard !zone.minutes.isMultiple(of: 15) else {
            throw WireError(
                .overlong, at: start, expected: "a zone offset in quarters of an hour", found: 2)
        }
        return zone
    }

    /// The planned dose that `shape` names.
    fileprivate mutating func plannedDose(_ shape: UInt8) throws(WireError) -> PlannedDose? {
        let hasEntry = shape & DoseEvent.Shape.entry != 0
        guard shape & DoseEvent.Shape.planned != 0 else {
            guard !hasEntry else {
                throw WireError(
                    .unknownCode, at: 0, expected: "a planned dose with the entry",
                    found: UInt64(shape))
            }
            return nil
        }
        let day = try uint16("the day of a planned dose")
        let start = offset
        let minute = try uint16("the minute of a planned dose")
        let place = offset
        let entry =
            hasEntry
            ? UInt16(try varint("the number of an entry", atMost: UInt64(UInt16.max))) : minute
        guard !hasEntry || entry != minute else {
            throw WireError(
                .notCanonical, at: place, expected: "an entry other than the minute",
                found: UInt64(entry))
        }
        guard let dose = PlannedDose(day: day, minute: Int(minute), entry: entry) else {
            throw WireError(
                .outOfRange, at: start, expected: "a minute of the day, below 1440",
                found: UInt64(minute))
        }
        return dose
    }

    /// The identities of one to eight events, ascending, without `id`.
    fileprivate mutating func replacedEvents(
        by id: DoseEventID
    ) throws(WireError) -> [DoseEventID] {
        let start = offset
        let count = Int(try byte("the number of replaced events"))
        guard (1...DoseAction.mostReplaced).contains(count) else {
            throw WireError(
                .outOfRange, at: start, expected: "one to eight replaced events",
                found: UInt64(count))
        }
        var list: [DoseEventID] = []
        list.reserveCapacity(count)
        for _ in 0..<count {
            let place = offset
            let next = DoseEventID(rawValue: try uint128("the id of a replaced event"))
            guard list.last.map({ $0 < next }) ?? true else {
                throw WireError(
                    .notCanonical, at: place, expected: "replaced events in ascending order",
                    found: UInt64(list.count))
            }
            guard next != id else {
                throw WireError(
                    .outOfRange, at: place, expected: "an event other than this one",
                    found: UInt64(list.count))
            }
            list.append(next)
        }
        return list
    }
}

extension DoseStatus {
    /// Checks that the status `code` fits to the action, and to the parts that `shape` names;
    /// returns nil for no status.
    fileprivate static func checked(
        _ code: UInt8, _ action: DoseAction, _ shape: UInt8
    ) throws(WireError) -> UInt8? {
        let hasMinute = shape & DoseEvent.Shape.minute != 0
        let isTaken = code == DoseStatus.taken.code
        guard action.allows(code == DoseEvent.noStatus ? nil : DoseStatus(code: code)),
            isTaken || shape & DoseEvent.Shape.amount == 0,
            isTaken || hasMinute == DoseStatus(code: code).isSnoozed
        else {
            throw WireError(
                .unknownCode, at: 1, expected: "a status that fits to the action and the parts",
                found: UInt64(code))
        }
        return code == DoseEvent.noStatus ? nil : code
    }
}
