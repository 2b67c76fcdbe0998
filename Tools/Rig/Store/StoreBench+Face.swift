import ReferenceDevice
import Reports
import WatchProto
import WatchProtoCore
import WatchProtoRecords

extension StoreBench {
    /// Medications of the measured face.
    private static let faceCount = 200

    /// Measures a face from the watch's records and a day of doses to the bytes of its timeline.
    func measureFace(_ medications: [Medication], _ ledger: some LedgerStore, at clock: WallClock)
        throws
    {
        let encodings = medications.lazy.compactMap { medication in
            try? MedicationProjection.project(medication).encoded()
        }
        let records = Array(encodings.prefix(Self.faceCount))
        let now = WallMinute(clock.time)
        let day = UInt16(clamping: Int(now.minutes) / DoseSlots.minutesPerDay)
        let events = try ledger.events(on: day...day)
        let zone = LocalZone.offsets(around: now)
        try time("timeline", "timeline of 200 medications", 200) {
            let dosings = try records.map { FaceDosing(try LightweightMedication(decoding: $0)) }
            let timeline = FaceTimeline(
                dosings, FaceTimeline.states(events), at: now, zone: zone, checked: nil)
            return timeline.entries.count <= FaceTimeline.largestCount && !timeline.bytes.isEmpty
        }
    }
}
