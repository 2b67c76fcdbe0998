import WatchProtoCore
import WatchProtoRecords

/// A device's list and doses, and the face that it makes of them.
struct LifeDevice {
    private(set) var medications: [LightweightMedication]
    private(set) var dosings: [FaceDosing] = []
    /// Counts the changes of the list.
    private(set) var version = 0
    private(set) var states: [DoseSlot: DoseSlotState] = [:]
    private(set) var known: Set<DoseEventID> = []
    private var bySlot: [DoseSlot: [DoseEvent]] = [:]
    private var zones = ZoneLog()
    /// The zones in the device's file.
    private var keptZones: [UInt8]?
    var checked: WallMinute?
    private(set) var timeline: FaceTimeline?

    init(_ medications: [LightweightMedication]) {
        self.medications = medications
        dosings = medications.map { FaceDosing($0) }
    }

    /// Replaces a medication of the list.
    mutating func take(_ medication: LightweightMedication) {
        guard let place = medications.firstIndex(where: { $0.id == medication.id }) else { return }
        medications[place] = medication
        dosings[place] = FaceDosing(medication)
        version += 1
    }

    /// Adds an event; false if it is known.
    @discardableResult
    mutating func insert(_ event: DoseEvent) -> Bool {
        guard known.insert(event.id).inserted, let slot = event.slot else { return false }
        bySlot[slot, default: []].append(event)
        states[slot] = DoseSlotState(of: slot, bySlot[slot] ?? [])
        return true
    }

    /// Makes the timeline anew.
    mutating func look(
        at now: WallMinute, _ offset: (WallMinute) -> ZoneOffset
    ) {
        let zone = zones.offsets(at: now, ZoneTimeline(around: now, offset))
        keptZones = zones.takeNews() ?? keptZones
        timeline = FaceTimeline(dosings, states, at: now, zone: zone, checked: checked)
    }

    /// The process ends, and begins with what is in its file.
    ///
    /// - Parameter forgetsZones: whether the file has lost the zones.
    mutating func restart(forgetsZones: Bool) {
        let kept = forgetsZones ? nil : keptZones
        zones = kept.flatMap { try? ZoneLog($0) } ?? ZoneLog()
    }

    /// The planned doses of a local date.
    func doses(on day: Int) -> [(medication: LightweightMedication, dose: PlannedDose)] {
        zip(medications, dosings).flatMap { medication, dosing in
            dosing.isActive && !dosing.isAsNeeded
                ? dosing.doses(on: day).map { (medication, $0) } : []
        }
    }
}

/// Medication lists of lives.
enum LifeMedications {
    /// A list of some medications, or by the rule of ``CodecFixtures`` if there are none. It has a
    /// number of doses a day that is drawn: four in half of the lives.
    static func list(
        _ given: [LightweightMedication], _ random: inout SeededGenerator
    ) -> [LightweightMedication] {
        let wanted = [2, 3, 4, 4, 4, 4, 5, 6, 8, 12][Int(random.uniform(in: 0...9))]
        var list: [LightweightMedication] = []
        var count = 0
        let seed = random.next()
        var order = SeededGenerator(seed: seed)
        let all =
            given.isEmpty
            ? CodecFixtures.records(count: 200, seed: seed) : given.shuffled(using: &order)
        for var medication in all {
            // A life may begin before the medication came into its file.
            medication.entries = medication.entries.undated
            let doses = medication.entries.list.count
            let isRegular = medication.schedule.weekdays == .all
            let isActive = medication.flags.contains(.isActive)
            // Real lists have a few that are stopped or taken as needed, too.
            let isPlanned = isActive && doses > 0
            if isPlanned, !isRegular || count + doses > wanted { continue }
            if !isPlanned, list.count > 2 { continue }
            guard let bytes = try? medication.encoded(), bytes.count < 190 else { continue }
            list.append(medication)
            count += isPlanned ? doses : 0
            if count == wanted { break }
        }
        return list
    }
}
