import WatchProtoCore

/// The coding of a medication against a former state of it that both sides hold.
extension MedicationCoder {
    private static let dueLengths = TimeAges.list((10, 1), (6, 2), (10, 8), (3, 3), (36, 1))
    private static let editLengths = TimeAges.list(
        (10, 1), (8, 2), (8, 5), (6, 6), (4, 2), (29, 1))
    private static let moveLengths = TimeAges.list((5, 1), (8, 4), (22, 1))

    /// Codes what changed from `base`.
    mutating func code<C: SymbolCoder>(
        _ medication: inout LightweightMedication, from base: LightweightMedication, _ c: inout C
    ) throws(C.Failure) {
        var next = C.isReading ? base : medication
        var isMoved = next.nextDose != base.nextDose
        try c.flag(&isMoved, 1, 3)
        try code(flags: &next.flags, from: base.flags, &c)
        var isFurther = Self.differ(next, base)
        try c.flag(&isFurther, 20, 1)
        var isJump = next.revision != base.revision &+ 1
        try c.flag(&isJump, 40, 1)
        if isJump {
            var revision = UInt64(next.revision)
            try c.number(&revision, lengths: FormerMedications.revisionLengths)
            next.revision = UInt32(truncatingIfNeeded: revision)
        } else {
            next.revision = base.revision &+ 1
        }
        if isMoved { try code(next: &next.nextDose, from: base, &c) }
        try code(edit: &next.updatedAt, from: base, &c)
        if isFurther { try code(rest: &next, from: base, &c) }
        medication = next
    }

    private static func differ(
        _ one: LightweightMedication, _ other: LightweightMedication
    ) -> Bool {
        var same = one
        same.revision = other.revision
        same.nextDose = other.nextDose
        same.flags = other.flags
        same.updatedAt = other.updatedAt
        return same != other || !same.hasBytes(of: other)
    }

    private func code<C: SymbolCoder>(
        flags: inout MedicationFlags, from base: MedicationFlags, _ c: inout C
    ) throws(C.Failure) {
        let overdue = MedicationFlags.isOverdue.rawValue
        var changes = flags.rawValue ^ base.rawValue
        var isOverdue = changes & overdue != 0
        try c.flag(&isOverdue, 2, 1)
        var others = changes & ~overdue
        var hasOthers = others != 0
        try c.flag(&hasOthers, 14, 1)
        if hasOthers {
            var place = others.nonzeroBitCount == 1 ? others.trailingZeroBitCount : 8
            try c.symbol(&place, [3, 0, 1, 1, 1, 1, 4, 1, 2])
            var bits = Int(others)
            if place == 8 { try c.uniform(&bits, below: 256) } else { bits = 1 << place }
            others = UInt8(bits)
            try c.check(
                others & overdue == 0 && others != 0
                    && (place < 8) == (others.nonzeroBitCount == 1), "changed flags")
        } else {
            others = 0
        }
        changes = others | (isOverdue ? overdue : 0)
        flags = MedicationFlags(rawValue: base.rawValue ^ changes)
    }

    /// Codes the next dose: one that the schedule has after the former one, none, or how
    /// far it moved.
    private mutating func code<C: SymbolCoder>(
        next: inout WallMinute?, from base: LightweightMedication, _ c: inout C
    ) throws(C.Failure) {
        guard let former = base.nextDose else {
            var minute = next ?? WallMinute(minutes: reference.minute)
            try code(next: &minute, base.schedule, &c)
            next = minute
            return
        }
        let following = followers(of: former, base)
        var form = 4
        if let next { form = (following.firstIndex(of: next) ?? -1) + 1 }
        try c.symbol(&form, [3, 24, 3, 1, 1])
        switch form {
        case 4: next = nil
        case 1...3:
            try c.check(form <= following.count, "dose of the schedule")
            if C.isReading { next = following[form - 1] }
        default:
            var distance = Int64(next?.minutes ?? 0) - Int64(former.minutes)
            try c.signed(&distance, lengths: Self.moveLengths)
            var minute = former
            try set(&minute, Int64(former.minutes) + distance, &c)
            next = minute
        }
    }

    /// The three planned doses after `former`, by the times, the days and the course. There may be
    /// fewer in 800 days.
    private func followers(
        of former: WallMinute, _ base: LightweightMedication
    ) -> [WallMinute] {
        let offset = offset(base.schedule.zone)
        let local = Int64(former.minutes) + offset
        let course = base.course
        let minutes = base.schedule.slots.minutes
        var found: [WallMinute] = []
        let first = Self.day(local)
        guard !minutes.isEmpty, (0...0xFFFF).contains(first) else { return [] }
        for day in first...min(first + 800, 0xFFFF)
        where course.holds(on: Int(day), base.schedule.weekdays) {
            for minute in minutes where day * 1440 + Int64(minute) > local {
                found.append(
                    WallMinute(minutes: Int32(clamping: day * 1440 + Int64(minute) - offset)))
                if found.count == 3 { return found }
            }
        }
        return found
    }

    /// Codes the time of an edit: from the dose that was due, or from the former edit.
    private func code<C: SymbolCoder>(
        edit: inout WallTime, from base: LightweightMedication, _ c: inout C
    ) throws(C.Failure) {
        let last = base.updatedAt.milliseconds
        let due = base.nextDose?.wallTime.milliseconds
        let time = edit.milliseconds
        var isAfterDue = false
        if let due {
            let near = time.subtractingReportingOverflow(due).partialValue.magnitude
            let far = time.subtractingReportingOverflow(last).partialValue.magnitude
            isAfterDue = near.leadingZeroBitCount > far.leadingZeroBitCount
            try c.flag(&isAfterDue, 1, 2)
        }
        let start = isAfterDue ? due ?? last : last
        var distance = time.subtractingReportingOverflow(start).partialValue
        if isAfterDue {
            try c.signed(&distance, lengths: Self.dueLengths, 3, 1)
        } else {
            try c.signed(&distance, lengths: Self.editLengths, 40, 1)
        }
        let (sum, overflow) = start.addingReportingOverflow(distance)
        try c.check(!overflow, "time of the edit")
        edit = WallTime(milliseconds: sum)
    }

    /// Codes all that changes seldom.
    private mutating func code<C: SymbolCoder>(
        rest next: inout LightweightMedication, from base: LightweightMedication, _ c: inout C
    ) throws(C.Failure) {
        var isChanged = next.color != base.color
        try c.flag(&isChanged, 5, 1)
        if isChanged { try code(color: &next.color, &c) }
        isChanged = next.schedule != base.schedule
        try c.flag(&isChanged, 2, 1)
        if isChanged { try code(&next.schedule, &c) }
        isChanged = next.dosage.form != base.dosage.form || next.dosage.amount != base.dosage.amount
        try c.flag(&isChanged, 3, 1)
        if isChanged {
            try code(form: &next.dosage.form, &c)
            try code(amount: &next.dosage.amount, next.dosage.form, &c)
        }
        isChanged = next.extensions != base.extensions
        try c.flag(&isChanged, 6, 1)
        if isChanged {
            var isExtended = !next.extensions.isEmpty
            try c.flag(&isExtended, 1, 6)
            if isExtended {
                try code(extensions: &next.extensions, next, &c)
            } else {
                next.extensions = ExtensionFields()
            }
        }
        try code(text: &next.name, from: base.name, 0, 8, &c)
        try code(text: &next.dosage.strength, from: base.dosage.strength, 1, 4, &c)
        try code(text: &next.instructions, from: base.instructions, 2, 2, &c)
    }

    /// Codes a text as the former one with changes.
    private mutating func code<C: SymbolCoder>(
        text: inout String, from base: String, _ field: Int, _ odds: UInt32, _ c: inout C
    ) throws(C.Failure) {
        var isChanged = !text.utf8.elementsEqual(base.utf8)
        try c.flag(&isChanged, odds, 1)
        guard isChanged else {
            text = base
            return
        }
        texts.begin()
        texts.add(base)
        try texts.code(&text, field, match: 0, &c)
    }
}

extension LightweightMedication {
    /// Whether the texts have the same bytes, which `==` of strings does not say.
    fileprivate func hasBytes(of other: LightweightMedication) -> Bool {
        name.utf8.elementsEqual(other.name.utf8)
            && dosage.strength.utf8.elementsEqual(other.dosage.strength.utf8)
            && instructions.utf8.elementsEqual(other.instructions.utf8)
    }
}
