import WatchProtoCore

/// How long ago medications were edited, by the grain of the time: most a week to a year.
enum TimeAges {
    /// Milliseconds of each grain.
    static let grains: [Int64] = [1, 1_000, 60_000, 86_400_000]
    /// How often an age has each length in bits, from 0 to 64.
    static let lengths: [[UInt16]] = [
        list((12, 1), (8, 2), (5, 3), (5, 10), (1, 30), (1, 60), (1, 100), (1, 60), (1, 36))
            + list((1, 20), (3, 6), (3, 2), (23, 1)),
        list((8, 1), (8, 3), (5, 14), (5, 40), (3, 16), (3, 3), (33, 1)),
        list((6, 1), (4, 4), (5, 14), (5, 40), (3, 16), (3, 3), (39, 1)),
        list((4, 3), (5, 16), (5, 10), (51, 1)),
    ]

    static func list(_ parts: (count: Int, frequency: UInt16)...) -> [UInt16] {
        parts.flatMap { Array(repeating: $0.frequency, count: $0.count) }
    }
}

/// Facts in numbers.
extension MedicationCoder {
    mutating func code<C: SymbolCoder>(
        flags: inout MedicationFlags, _ hasSlots: Bool, _ c: inout C
    ) throws(C.Failure) {
        var bits: UInt8 = 0
        for place in 0..<8 {
            var isSet = flags.rawValue >> UInt8(place) & 1 == 1
            if place == 2, !hasSlots {
                try former.asNeeded.code(&isSet, &c)
            } else {
                try former.flags[place].code(&isSet, &c)
            }
            if isSet { bits |= 1 << UInt8(place) }
        }
        flags = MedicationFlags(rawValue: bits)
    }

    private static let formFrequencies: [UInt16] = [
        12, 40, 16, 2, 2, 5, 4, 3, 5, 7, 4, 3, 4, 3, 3, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    ]

    mutating func code<C: SymbolCoder>(form: inout DoseForm, _ c: inout C) throws(C.Failure) {
        if try former.form.code(&form.rawValue, &c) { return }
        try code(newForm: &form, &c)
        former.form.add(form.rawValue)
    }

    func code<C: SymbolCoder>(newForm form: inout DoseForm, _ c: inout C) throws(C.Failure) {
        let escape = Self.formFrequencies.count - 1
        var code = min(Int(form.rawValue), escape)
        try c.symbol(&code, Self.formFrequencies)
        if code == escape {
            code = Int(form.rawValue)
            try c.uniform(&code, below: 256)
        }
        form = DoseForm(rawValue: UInt8(code))
    }

    /// The unit in which each form is counted; milligrams for those that are not named.
    private static let countedIn: [UInt8: UInt8] = [
        1: 1, 4: 1, 27: 1, 2: 2, 3: 2, 11: 11, 18: 14, 16: 13, 15: 8, 12: 12, 13: 12, 14: 12,
        22: 12, 23: 12, 24: 12, 8: 7, 9: 15, 10: 10, 17: 16, 25: 16, 5: 6, 6: 6, 7: 6,
    ]
    private static let amountLengths = TimeAges.list(
        (1, 1), (1, 30), (1, 14), (1, 6), (1, 5), (1, 4), (2, 3), (2, 2), (23, 1))

    mutating func code<C: SymbolCoder>(
        amount: inout Amount?, _ form: DoseForm, _ c: inout C
    ) throws(C.Failure) {
        var isStated = amount != nil
        try former.hasAmount.code(&isStated, &c)
        guard isStated else {
            amount = nil
            return
        }
        var value = amount ?? Amount(checkedMantissa: 0, scale: 0, unit: .unspecified)
        if try former.amounts[form.rawValue, default: FormerValues()].code(&value, &c) {
            amount = value
            return
        }
        try code(newAmount: &value, form, &c)
        former.amounts[form.rawValue, default: FormerValues()].add(value)
        amount = value
    }

    func code<C: SymbolCoder>(
        newAmount amount: inout Amount, _ form: DoseForm, _ c: inout C
    ) throws(C.Failure) {
        var unit = Self.countedIn[form.rawValue] ?? 3
        var isOther = amount.unit.rawValue != unit
        try c.flag(&isOther, 8, 1)
        if isOther {
            var code = Int(amount.unit.rawValue)
            try c.uniform(&code, below: 256)
            unit = UInt8(code)
        }
        var scale = Int(amount.scale)
        try c.symbol(&scale, [24, 4, 1, 1, 1, 1, 1, 1, 1, 1])
        var mantissa = UInt64(amount.mantissa)
        try c.number(&mantissa, lengths: Self.amountLengths)
        try c.check(
            scale == 0 || !mantissa.isMultiple(of: 10), "amount without trailing zeros")
        amount = Amount(
            checkedMantissa: UInt32(truncatingIfNeeded: mantissa), scale: UInt8(scale),
            unit: DoseUnit(rawValue: unit))
    }

    mutating func code<C: SymbolCoder>(edit: inout WallTime, _ c: inout C) throws(C.Failure) {
        // From the base, so that days and minutes begin where those of the wall clock do.
        var time = edit.milliseconds &- RecordBase.milliseconds
        if let lastEdit = former.lastEdit {
            var isSame = time == lastEdit
            try former.isLastEdit.code(&isSame, &c)
            if isSame {
                edit = WallTime(milliseconds: lastEdit + RecordBase.milliseconds)
                return
            }
        }
        var grain = TimeAges.grains.lastIndex { time % $0 == 0 } ?? 0
        try former.editGrain.code(&grain, &c)
        let unit = TimeAges.grains[grain]
        let now = (Int64(reference.minute) + 1) * 60_000
        let latest = now >= 0 ? now / unit : (now - unit + 1) / unit
        var age = latest - (time >= 0 ? time / unit : (time - unit + 1) / unit)
        var isFuture = age < 0
        try former.isFuture.code(&isFuture, &c)
        var magnitude = age.magnitude
        var length = 64 - magnitude.leadingZeroBitCount
        try former.editAge[grain].code(&length, &c)
        try c.number(&magnitude, length: length)
        try c.check(
            magnitude < 1 << 52 && !(isFuture && magnitude == 0), "age of at most 52 bits")
        age = isFuture ? -Int64(magnitude) : Int64(magnitude)
        let (product, overflow) = (latest - age).multipliedReportingOverflow(by: unit)
        try c.check(!overflow && product.magnitude < 1 << 53, "time of at most 53 bits")
        time = product
        former.lastEdit = time
        edit = WallTime(milliseconds: time + RecordBase.milliseconds)
    }
}
