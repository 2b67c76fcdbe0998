import WatchProtoCore

/// The times of a medication.
extension MedicationCoder {
    /// The grains of a time in minutes, the coarsest first.
    private static let grains = [60, 30, 15, 5, 1]
    private static let usualDays: [UInt8] = [
        1, 2, 4, 8, 16, 32, 64, 21, 31, 96, 9, 42, 10, 85, 63, 18, 36,
    ]

    mutating func code<C: SymbolCoder>(
        _ schedule: inout DoseSchedule, _ c: inout C
    ) throws(C.Failure) {
        var count = schedule.slots.count
        try former.slotCount.code(&count, &c)
        if count == 0 {
            schedule.slots = DoseSlots()
        } else if try !former.slots[count].code(&schedule.slots, &c) {
            try code(slots: &schedule.slots, count, &c)
            former.slots[count].add(schedule.slots)
        }
        let usual = DoseSchedule.usualWeekdays(count)
        var isUnusual = schedule.weekdays != usual
        try former.hasUnusualDays[count > 0 ? 1 : 0].code(&isUnusual, &c)
        if isUnusual { try code(days: &schedule.weekdays, &c) } else { schedule.weekdays = usual }
        try code(zone: &schedule.zone, &c)
    }

    func code<C: SymbolCoder>(
        slots: inout DoseSlots, _ count: Int, _ c: inout C
    ) throws(C.Failure) {
        let usual = texts.table.times[count]
        if !usual.isEmpty {
            var place = usual.firstIndex(of: slots) ?? -1
            var isOther = place < 0
            try c.flag(&isOther, 1, 1)
            if !isOther {
                try c.symbol(&place, texts.table.timeFrequencies[count])
                slots = usual[place]
                return
            }
        }
        var minutes = C.isReading ? [] : slots.minutes
        for place in 0..<count {
            let least = place == 0 ? 0 : minutes[place - 1] + 1
            var minute = C.isReading ? 0 : minutes[place]
            var grain = Self.grains.firstIndex { minute % $0 == 0 } ?? 0
            try c.symbol(&grain, [4, 3, 3, 9, 1])
            let first = Self.rank(least, grain)
            let left = Self.rank(DoseSlots.minutesPerDay, grain) - first
            try c.check(left > 0, "minute of the day")
            var step = Self.rank(minute, grain) - first
            try c.uniform(&step, below: left)
            minute = Self.minute(first + step, grain)
            if C.isReading { minutes.append(minute) }
        }
        slots = DoseSlots(minutes: minutes) ?? slots
    }

    /// How many minutes below `minute` are multiples of this grain, and of no coarser one.
    private static func rank(_ minute: Int, _ grain: Int) -> Int {
        let unit = grains[grain]
        let multiples = (minute + unit - 1) / unit
        guard grain > 0 else { return multiples }
        let ratio = grains[grain - 1] / unit
        return multiples - (multiples + ratio - 1) / ratio
    }

    /// The minute that has this rank.
    private static func minute(_ rank: Int, _ grain: Int) -> Int {
        let unit = grains[grain]
        guard grain > 0 else { return rank * unit }
        return (rank + rank / (grains[grain - 1] / unit - 1) + 1) * unit
    }

    func code<C: SymbolCoder>(days: inout Weekdays, _ c: inout C) throws(C.Failure) {
        var place = Self.usualDays.firstIndex(of: days.rawValue) ?? -1
        var isOther = place < 0
        try c.flag(&isOther, 2, 1)
        if isOther {
            var bits = Int(days.rawValue)
            try c.uniform(&bits, below: 128)
            days = Weekdays(rawValue: UInt8(bits))
        } else {
            try c.uniform(&place, below: Self.usualDays.count)
            days = Weekdays(rawValue: Self.usualDays[place])
        }
    }

    func code<C: SymbolCoder>(zone: inout ZoneRule, _ c: inout C) throws(C.Failure) {
        var (rule, minutes) = (0, 0)
        switch zone {
        case .floating: break
        case .fixed(let offset): (rule, minutes) = (1, Int(offset.minutes) + 1080)
        case .absolute: rule = 2
        }
        try c.symbol(&rule, [60, 1, 1])
        switch rule {
        case 0: zone = .floating
        case 1:
            try c.uniform(&minutes, below: 2161)
            let offset = ZoneOffset(minutes: minutes - 1080)
            try c.check(offset != nil, "offset of a zone")
            zone = offset.map { .fixed($0) } ?? zone
        default: zone = .absolute
        }
    }

    /// The minutes from UTC to the local time of a schedule.
    func offset(_ zone: ZoneRule) -> Int64 {
        switch zone {
        case .floating: Int64(reference.offset)
        case .fixed(let offset): Int64(offset.minutes)
        case .absolute: 0
        }
    }

    static func day(_ minutes: Int64) -> Int64 {
        minutes >= 0 ? minutes / 1440 : (minutes - 1439) / 1440
    }

    /// Codes when the next dose is due: at a time of the schedule within 16 days, or else from the
    /// reference.
    mutating func code<C: SymbolCoder>(
        next minute: inout WallMinute, _ schedule: DoseSchedule, _ c: inout C
    ) throws(C.Failure) {
        let offset = offset(schedule.zone)
        let today = Self.day(Int64(reference.minute) + offset)
        var slot = -1
        var day = 0
        if !schedule.slots.isEmpty {
            let local = Int64(minute.minutes) + offset
            day = Int(Self.day(local) - today) + 1
            if (0...15).contains(day) {
                slot =
                    schedule.slots.minutes.firstIndex(of: Int(local - Self.day(local) * 1440)) ?? -1
            }
            var isOnSlot = slot >= 0
            try former.isOnSlot.code(&isOnSlot, &c)
            if isOnSlot {
                try c.symbol(&day, [2, 24, 20, 4, 3, 3, 3, 3, 2, 1, 1, 1, 1, 1, 1, 2])
                try c.uniform(&slot, below: schedule.slots.count)
                let local = (today + Int64(day) - 1) * 1440 + Int64(schedule.slots[slot])
                return try set(&minute, local - offset, &c)
            }
        }
        var distance = Int64(minute.minutes) - Int64(reference.minute)
        try c.signed(&distance, lengths: Self.nextLengths, 2, 1)
        try set(&minute, Int64(reference.minute) + distance, &c)
    }

    private static let nextLengths: [UInt16] =
        Array(repeating: 1, count: 6) + [3, 3, 6, 8, 10, 18, 34, 16, 2, 2, 2, 2]
        + Array(repeating: 1, count: 17)

    func set<C: SymbolCoder>(
        _ minute: inout WallMinute, _ minutes: Int64, _ c: inout C
    ) throws(C.Failure) {
        try c.check(Int32(exactly: minutes) != nil, "minute of 32 bits")
        minute = WallMinute(minutes: Int32(truncatingIfNeeded: minutes))
    }
}
