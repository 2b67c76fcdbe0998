import WatchProtoCore

/// The delta between two complication states: a mask of the changes, then the new values.
enum ComplicationDelta {
    /// Bits of the first mask. Bits 0 and 1 are a ``NextDoseChange``; bit 7 is zero.
    private enum First {
        static let taken: UInt8 = 4
        static let total: UInt8 = 8
        static let overdue: UInt8 = 16
        static let active: UInt8 = 32
        static let second: UInt8 = 64
        static let unused: UInt8 = 128
    }

    /// Bits of the second mask, in the order of its data; the high four are zero.
    private enum Second {
        static let color: UInt8 = 1
        static let name: UInt8 = 2
        static let amountText: UInt8 = 4
        static let extensions: UInt8 = 8
        static let unused: UInt8 = 0xF0
    }

    /// The delta from `base` to `next`.
    static func make(_ base: ComplicationState, _ next: ComplicationState) -> [UInt8] {
        var second: UInt8 = 0
        if base.color != next.color { second |= Second.color }
        if !base.name.hasSameBytes(as: next.name) { second |= Second.name }
        if !base.amountText.hasSameBytes(as: next.amountText) { second |= Second.amountText }
        if base.extensions != next.extensions { second |= Second.extensions }
        var first = NextDoseChange.code(base.nextDose, next.nextDose)
        if base.taken != next.taken { first |= First.taken }
        if base.total != next.total { first |= First.total }
        if base.overdue != next.overdue { first |= First.overdue }
        if base.active != next.active { first |= First.active }
        if second != 0 { first |= First.second }

        var writer = WireWriter()
        writer.byte(first)
        if second != 0 { writer.byte(second) }
        writer.nextDoseChange(base.nextDose, next.nextDose)
        if base.taken != next.taken { writer.byte(next.taken) }
        if base.total != next.total { writer.byte(next.total) }
        if base.overdue != next.overdue { writer.byte(next.overdue) }
        if base.active != next.active { writer.byte(next.active) }
        if second & Second.color != 0 { writer.fixed(UInt64(next.color.byteSwapped), count: 4) }
        if second & Second.name != 0 { writer.textEdit(base.name, next.name) }
        if second & Second.amountText != 0 { writer.textEdit(base.amountText, next.amountText) }
        if second & Second.extensions != 0 { writer.extensionFields(next.extensions) }
        return writer.bytes
    }

    /// Applies `delta` to `base`.
    static func apply(
        _ delta: Span<UInt8>, to base: ComplicationState
    ) throws(WireError) -> ComplicationState {
        var reader = WireReader(delta)
        var next = base
        let first = try reader.byte("the mask of a complication's delta")
        guard first & First.unused == 0 else {
            throw WireError(
                .unknownCode, at: 0, expected: "a mask below 128", found: UInt64(first))
        }
        let second = first & First.second != 0 ? try reader.byte("the second mask of a delta") : 0
        guard second & Second.unused == 0 else {
            throw WireError(
                .unknownCode, at: 1, expected: "a second mask below 16", found: UInt64(second))
        }
        next.nextDose = try reader.nextDose(first & 3, after: base.nextDose)
        if first & First.taken != 0 { next.taken = try reader.byte("the doses taken") }
        if first & First.total != 0 { next.total = try reader.byte("the doses planned") }
        if first & First.overdue != 0 { next.overdue = try reader.byte("the doses overdue") }
        if first & First.active != 0 { next.active = try reader.byte("the active medications") }
        if second & Second.color != 0 {
            next.color = UInt32(try reader.fixed(4, "a colour")).byteSwapped
        }
        if second & Second.name != 0 { next.name = try reader.editedText(base.name) }
        if second & Second.amountText != 0 {
            next.amountText = try reader.editedText(base.amountText)
        }
        if second & Second.extensions != 0 { next.extensions = try reader.wholeExtensions() }
        try reader.finish("the end of a delta")
        return next
    }
}
