extension MedicationLayout {
    /// Lays out the usual case in a few wide loads: no extension, no amount, floating times, no
    /// wide times, at most five slots, eight bytes or more after the numbers.
    ///
    /// Returns nil for everything else, valid or not; ``init(reading:)`` then decides. It must
    /// never accept an encoding that ``init(reading:)`` refuses; a fuzzer compares the two.
    @inline(__always)
    init?(usual bytes: Span<UInt8>) {
        let count = bytes.count
        guard count >= 40, count <= LightweightMedication.byteBudget else { return nil }
        let header = bytes.word(at: 0) & 0x00FF_FFFF_FFFF_FFFF
        let first = UInt8(truncatingIfNeeded: header)
        let second = UInt8(truncatingIfNeeded: header >> 8)
        let slotCount = UInt64(second & MedicationShape.slotCount)
        guard
            first & ~(MedicationShape.weekdays | MedicationShape.alpha) == MedicationShape.version,
            second & MedicationShape.wide == 0, slotCount <= 5
        else { return nil }

        let stampAndColor = bytes.word(at: 23)
        let alpha = first & MedicationShape.alpha != 0 ? bytes[31] : 0xFF
        let hasAlpha = first >> 7
        guard hasAlpha == 0 || alpha != 0xFF else { return nil }

        // Next dose, revision and weekday mask: eight bytes at most.
        var offset = 31 &+ Int(hasAlpha)
        var word = bytes.word(at: offset)
        let minuteBits: UInt64 = second & MedicationShape.nextDose != 0 ? 24 : 0
        let minutes = word & ((1 << minuteBits) &- 1)
        word >>= minuteBits
        let revisionWidth = UInt64(second >> 4 & 3) &+ 1
        let revision = UInt32(truncatingIfNeeded: word & ((1 << (revisionWidth &* 8)) &- 1))
        word >>= revisionWidth &* 8
        let hasWeekdays = UInt64(first >> 6 & 1)
        let usualMask: UInt8 = slotCount == 0 ? 0 : 0x7F
        let mask = hasWeekdays == 0 ? usualMask : UInt8(truncatingIfNeeded: word)
        // 1 where the mask is the usual one; a sum, because a branch would often be mispredicted.
        let isUsualMask: UInt64 = mask == usualMask ? 1 : 0
        guard byteWidth(revision) == Int(revisionWidth), mask < 0x80,
            hasWeekdays &+ isUsualMask == 1
        else { return nil }
        offset &+= Int(truncatingIfNeeded: minuteBits >> 3 &+ revisionWidth &+ hasWeekdays)

        guard offset &+ 8 <= count else { return nil }
        let slotBytes = (11 &* slotCount &+ 7) >> 3
        let slots = bytes.word(at: offset) & ((1 << (slotBytes &* 8)) &- 1)
        guard slots >> (11 &* slotCount) == 0, Self.areSlots(slots, slotCount) else { return nil }
        offset &+= Int(truncatingIfNeeded: slotBytes)

        self.header = header
        updatedAtMilliseconds =
            RecordBase.milliseconds &+ Int64(bitPattern: stampAndColor & 0xFF_FFFF_FFFF)
        color = UInt32(truncatingIfNeeded: stampAndColor >> 40).byteSwapped | UInt32(alpha)
        nextMinutes = Int32(truncatingIfNeeded: minutes)
        self.revision = revision
        weekdayMask = mask
        slotsLow = slots
        textStart = UInt8(truncatingIfNeeded: offset)
        guard offset &+ textLength == count else { return nil }
    }

    /// Whether the low `count` of five packed slots are below 1440 and ascend; the others are zero.
    /// All five are tested for any count, which costs less than a mispredicted branch.
    @inline(__always)
    private static func areSlots(_ slots: UInt64, _ count: UInt64) -> Bool {
        // A difference below zero sets the top bit; the top bits are gathered.
        var last = slots & 0x7FF
        var wrong = 1439 &- last
        for position in 1..<5 as Range<UInt64> {
            let slot = slots >> (11 &* position) & 0x7FF
            let isCounted = position &- count
            wrong |= 1439 &- slot
            wrong |= (slot &- last &- 1) & isCounted
            last = slot
        }
        return wrong >> 63 == 0
    }
}
