import WatchProtoCore
import WatchProtoRecords

/// The values behind the golden vectors: chosen ones for each rule, then a few drawn from a seed.
enum RecordExamples {
    /// The medication of the specification's worked example.
    static let usual = LightweightMedication(
        id: MedicationID(rawValue: 0xC3F4_DA93_EE2D_45FD_A5E4_E172_237F_C80A), name: "Metoprolol",
        dosage: Dosage(strength: "50 mg", form: .tablet),
        schedule: DoseSchedule(slots: DoseSlots(minutes: [480, 1200])!),
        nextDose: WallMinute(minutes: 3_230_880), color: 0x3366_CCFF, flags: .isActive,
        instructions: "Take with food", revision: 300,
        updatedAt: WallTime(milliseconds: 1_771_843_168_469))

    static var medications: [(name: String, value: LightweightMedication)] {
        var list: [(name: String, value: LightweightMedication)] = [("usual", usual)]
        func add(_ name: String, _ change: (inout LightweightMedication) -> Void) {
            var value = usual
            change(&value)
            list.append((name, value))
        }
        add("a dose later") {
            $0.nextDose = WallMinute(minutes: 3_231_600)
            $0.flags = [.isActive, .isOverdue]
            $0.revision = 301
            $0.updatedAt.milliseconds += 7_200_000
        }
        add("nothing optional") {
            $0.name = ""
            $0.dosage = Dosage(strength: "")
            $0.schedule = DoseSchedule()
            $0.nextDose = nil
            $0.flags = []
            $0.instructions = ""
            $0.revision = 0
            $0.updatedAt = WallTime(milliseconds: RecordBase.milliseconds)
        }
        add("everything optional") {
            $0.dosage.amount = Amount(mantissa: 25, scale: 1, unit: .milliliter)
            $0.schedule = DoseSchedule(
                slots: DoseSlots(minutes: [0, 180, 360, 540, 720, 900, 1080, 1439])!,
                weekdays: [.monday, .thursday], zone: .fixed(ZoneOffset(minutes: -210)!))
            $0.color = 0x3366_CC80
            $0.nextDose = WallMinute(minutes: -1)
            $0.updatedAt = WallTime(milliseconds: -1)
            $0.revision = .max
            $0.extensions[7] = [1, 2, 3]
            $0.extensions[200] = []
        }
        add("moments fixed in UTC") { $0.schedule.zone = .absolute }
        add("six slots, no weekday") {
            $0.schedule = DoseSchedule(
                slots: DoseSlots(minutes: [60, 61, 62, 63, 64, 65])!, weekdays: [])
        }
        add("as needed with weekdays") {
            $0.schedule = DoseSchedule(weekdays: .all)
            $0.flags = [.isActive, .asNeeded]
            $0.nextDose = nil
        }
        add("text beyond ASCII") {
            $0.name = "Lévothyrox 錠"
            $0.dosage.strength = "50 µg"
            $0.instructions = "Принимать после еды 💊"
        }
        add("last narrow times") {
            $0.nextDose = WallMinute(minutes: 0xFF_FFFF)
            $0.updatedAt = WallTime(milliseconds: RecordBase.milliseconds + 0xFF_FFFF_FFFF)
        }
        add("first wide next dose") { $0.nextDose = WallMinute(minutes: 0x100_0000) }
        add("first wide time stamp") {
            $0.updatedAt = WallTime(milliseconds: RecordBase.milliseconds + 0x100_0000_0000)
        }
        add("before 2020, no next dose") {
            $0.nextDose = nil
            $0.updatedAt = WallTime(milliseconds: RecordBase.milliseconds - 1)
        }
        for revision in [255, 256, 65_535, 65_536, 16_777_216] as [UInt32] {
            add("revision \(revision)") { $0.revision = revision }
        }
        add("unknown codes") {
            $0.dosage.form = DoseForm(rawValue: 251)
            $0.dosage.amount = Amount(
                mantissa: 4_294_967_291, scale: 9, unit: DoseUnit(rawValue: 250))
            $0.flags = MedicationFlags(rawValue: 0x80)
        }
        add("exactly 200 bytes") {
            $0.instructions = String(repeating: "Take with food. ", count: 9) + "Ok"
        }
        var samples = RecordSamples(seed: 2020)
        while list.count < 28 {
            let value = samples.medication()
            if value.encodedSize <= 200 { list.append(("seed 2020, \(list.count)", value)) }
        }
        return list
    }

    static var doseEvents: [(name: String, value: DoseEvent)] {
        let taken = DoseEvent(
            id: DoseEventID(rawValue: 0x0102_0304_0506_4708_890A_0B0C_0D0E_0F10),
            medication: usual.id, planned: PlannedDose(day: 2243, minute: 480), status: .taken,
            time: DoseTime(
                WallTime(milliseconds: 1_771_843_168_469), zoneOffset: ZoneOffset(minutes: 60)!))
        var list: [(name: String, value: DoseEvent)] = [("taken", taken)]
        func add(
            _ name: String, _ status: DoseStatus?, _ action: DoseAction = .record,
            replacing replaces: [UInt128] = [], planned: PlannedDose? = taken.planned,
            _ change: (inout DoseTime) -> Void = { _ in }
        ) {
            var time = taken.time
            change(&time)
            let event = DoseEvent(
                id: taken.id, medication: taken.medication, planned: planned, action,
                status: status, replaces: replaces.map(DoseEventID.init), time: time)!
            list.append((name, event))
        }
        add("skipped", .skipped)
        add("snoozed", .snoozed(until: WallMinute(minutes: 3_230_895)))
        let half = Amount(mantissa: 5, scale: 1, unit: .tablet)
        add("as needed, with an amount", .taken(half), planned: nil)
        add("a correction", .skipped, .correct, replacing: [1])
        add("a withdrawal of two", nil, .withdraw, replacing: [1, .max])
        add("a resolution", .taken, .resolve, replacing: [1, 2, 3])
        add("taken earlier than entered", .taken(half, at: WallMinute(minutes: 3_230_000)))
        add("every part of the time", .taken) {
            $0.zoneOffset = ZoneOffset(minutes: -607)!
            $0.device = 0x8070_6050
            $0.uptime = DoseUptime(boot: 7, milliseconds: 1 << 40 - 1)
            $0.phoneOffset = -61_000
        }
        add("a moved entry", .taken, planned: PlannedDose(day: 2243, minute: 540, entry: 480))
        add("the first planned dose", .taken, planned: PlannedDose(day: 0, minute: 0))
        add(
            "the last planned dose", .taken,
            planned: PlannedDose(day: .max, minute: 1_439, entry: .max))
        add("an uptime alone", .taken) { $0.uptime = DoseUptime(boot: 0, milliseconds: 1) }
        add("an uptime of the last boot, as needed", .taken, planned: nil) {
            $0.uptime = DoseUptime(boot: .max, milliseconds: 0)
        }
        add("wide by the end of a snooze", .snoozed(until: WallMinute(minutes: -1)))
        add("wide, extended", .taken) { $0.wall = WallTime(milliseconds: .min) }
        list[list.count - 1].value.extensions[0] = [0xFF]
        var samples = RecordSamples(seed: 2021)
        for index in 0..<4 { list.append(("seed 2021, \(index)", samples.doseEvent())) }
        return list
    }

    static var complications: [(name: String, value: ComplicationState)] {
        let usual = ComplicationState(
            name: "Metoprolol", amountText: "1 × 50 mg", color: 0x3366_CCFF,
            nextDose: WallMinute(minutes: 3_230_880), taken: 1, total: 4, overdue: 1, active: 3)
        var list: [(name: String, value: ComplicationState)] = [
            ("usual", usual), ("empty", ComplicationState()),
        ]
        func add(_ name: String, _ change: (inout ComplicationState) -> Void) {
            var value = usual
            change(&value)
            list.append((name, value))
        }
        add("one taken") {
            $0.taken = 2
            $0.overdue = 0
            $0.nextDose = WallMinute(minutes: 3_231_600)
        }
        add("wide, translucent, extended") {
            $0.nextDose = WallMinute(minutes: .min)
            $0.color = 0
            $0.extensions[255] = [0, 1]
        }
        var samples = RecordSamples(seed: 2022)
        for index in 0..<4 { list.append(("seed 2022, \(index)", samples.complication())) }
        return list
    }
}
