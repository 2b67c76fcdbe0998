import WatchProtoCore

/// Colours, and the fields of newer versions.
extension MedicationCoder {
    func code<C: SymbolCoder>(color: inout UInt32, _ c: inout C) throws(C.Failure) {
        let palettes = texts.table.palettes
        var rgb = Int(color >> 8)
        var alpha = Int(color & 0xFF)
        var isTransparent = alpha != 255
        try c.flag(&isTransparent, 60, 1)
        var palette = palettes.firstIndex { $0.contains(UInt32(rgb)) } ?? palettes.count
        try c.symbol(&palette, [6, 6, 6, 16])
        if palette < palettes.count {
            var place = palettes[palette].firstIndex(of: UInt32(rgb)) ?? 0
            try c.uniform(&place, below: palettes[palette].count)
            rgb = Int(palettes[palette][place])
        } else {
            try c.uniform(&rgb, below: 1 << 24)
        }
        if isTransparent { try c.uniform(&alpha, below: 255) } else { alpha = 255 }
        color = UInt32(rgb) << 8 | UInt32(alpha)
    }

    /// The form of a field: the end, an unknown field, a course, or when entries were added.
    private enum FieldForm: Int {
        case end, plain, course, added
    }

    private static let fieldForms: [UInt16] = [30, 3, 6, 2]

    /// Codes the fields of a medication, all other parts of which are coded.
    func code<C: SymbolCoder>(
        extensions: inout ExtensionFields, _ medication: LightweightMedication, _ c: inout C
    ) throws(C.Failure) {
        let day = medication.editDay
        let tags = extensions.tags
        var read = ExtensionFields()
        var place = 0
        var least = 0
        while true {
            var tag = place < tags.count ? Int(tags[place]) : 0
            var field = place < tags.count ? extensions[tags[place]] ?? [] : []
            var form = Self.form(of: tag, field, isEnd: place >= tags.count).rawValue
            try c.symbol(&form, Self.fieldForms)
            switch FieldForm(rawValue: form) {
            case .end, nil:
                if C.isReading { extensions = read }
                return try c.check(!extensions.isEmpty, "fields of a newer version")
            case .plain:
                try c.uniform(&tag, below: 256)
                try code(bytes: &field, &c)
                try c.check(
                    Self.form(of: tag, field, isEnd: false) == .plain, "field of a newer version")
            case .course:
                tag = Int(LightweightMedication.courseTag)
                try code(course: &field, day, &c)
            case .added:
                tag = Int(LightweightMedication.addedTag)
                try code(added: &field, medication, &c)
            }
            try c.check(tag >= least, "tags in ascending order")
            least = tag + 1
            if C.isReading { read[UInt8(tag)] = field }
            place += 1
        }
    }

    private static func form(of tag: Int, _ field: [UInt8], isEnd: Bool) -> FieldForm {
        if isEnd { return .end }
        switch (UInt8(tag), field.count) {
        case (LightweightMedication.courseTag, 6): return .course
        case (LightweightMedication.addedTag, 4): return .added
        default: return .plain
        }
    }

    private func code<C: SymbolCoder>(bytes: inout [UInt8], _ c: inout C) throws(C.Failure) {
        var count = bytes.count
        try c.uniform(&count, below: 256)
        var read: [UInt8] = []
        for place in 0..<count {
            var byte = C.isReading ? 0 : Int(bytes[place])
            try c.uniform(&byte, below: 256)
            if C.isReading { read.append(UInt8(byte)) }
        }
        if C.isReading { bytes = read }
    }

    private static let everyLengths = TimeAges.list(
        (1, 1), (1, 30), (1, 3), (1, 2), (1, 3), (12, 1))

    /// Codes the first date, the last one and the days between.
    private func code<C: SymbolCoder>(
        course: inout [UInt8], _ day: Int64, _ c: inout C
    ) throws(C.Failure) {
        var parts: [UInt16] = C.isReading ? [0, 0, 0] : Self.shorts(course)
        try code(date: &parts[0], day, [1, 3, 6], &c)
        try code(date: &parts[1], day, [8, 1, 2], &c)
        var every = UInt64(parts[2])
        try c.number(&every, lengths: Self.everyLengths)
        parts[2] = UInt16(truncatingIfNeeded: every)
        course = parts.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    private static func shorts(_ bytes: [UInt8]) -> [UInt16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map {
            UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
        }
    }

    private static let dateLengths = TimeAges.list((1, 12), (1, 4), (2, 3), (3, 2), (3, 1))

    /// Codes a date, or that there is none.
    private func code<C: SymbolCoder>(
        date: inout UInt16, _ day: Int64, _ odds: [UInt16], _ c: inout C
    ) throws(C.Failure) {
        var distance = Int64(date) - day
        var form = date == .max ? 0 : (-511...511).contains(distance) ? 2 : 1
        try c.symbol(&form, odds)
        switch form {
        case 0: date = .max
        case 1:
            var value = Int(date)
            try c.uniform(&value, below: 1 << 16)
            date = UInt16(value)
        default:
            try c.signed(&distance, lengths: Self.dateLengths, 1, 1)
            try c.check(UInt16(exactly: day + distance) != nil, "date")
            date = UInt16(truncatingIfNeeded: day + distance)
        }
    }

    private static let addedLengths = TimeAges.list((1, 30), (16, 3), (16, 1))

    /// Codes when all entries were added, against the last edit.
    private func code<C: SymbolCoder>(
        added field: inout [UInt8], _ medication: LightweightMedication, _ c: inout C
    ) throws(C.Failure) {
        let edit = Int64(WallMinute(medication.updatedAt).minutes)
        var bits: UInt32 = 0
        for (place, byte) in field.enumerated() { bits |= UInt32(byte) << UInt32(8 * place) }
        var distance = Int64(Int32(bitPattern: bits)) - edit
        try c.signed(&distance, lengths: Self.addedLengths, 3, 1)
        try c.check(Int32(exactly: edit + distance) != nil, "minute of 32 bits")
        bits = UInt32(bitPattern: Int32(truncatingIfNeeded: edit + distance))
        field = (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32(8 * $0)) }
    }
}

extension LightweightMedication {
    /// The date of the last edit, in days since 2020-01-01.
    fileprivate var editDay: Int64 {
        MedicationCoder.day(Int64(WallMinute(updatedAt).minutes))
    }
}
