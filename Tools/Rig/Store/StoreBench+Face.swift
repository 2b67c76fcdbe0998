import ReferenceDevice
import Reports
import WatchProto
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords

extension StoreBench {
    /// Medications of the measured face.
    private static let faceCount = 200

    /// Measures a face from the watch's records and a day of doses to the bytes of its timeline,
    /// from those bytes to the drawings of the four families, and the memory of both.
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
        var bytes: [UInt8] = []
        func make() throws -> Bool {
            let dosings = try records.map { FaceDosing(try LightweightMedication(decoding: $0)) }
            let timeline = FaceTimeline(
                dosings, FaceTimeline.states(events), at: now, zone: zone, checked: nil)
            var writer = WireWriter()
            timeline.write(to: &writer)
            bytes = writer.bytes
            return timeline.entries.count <= FaceTimeline.largestCount && !bytes.isEmpty
        }
        func draw() throws -> Bool {
            var reader = WireReader(bytes.span)
            let shown = try FaceTimeline(&reader).shown(at: now)
            let medications = try records.map { try LightweightMedication(decoding: $0) }
            let named = medications.first { $0.id == shown.entry.headline?.slot.medication }
            let drug = named.map { FaceDrug($0, among: medications.map(\.name)) }
            let scene = FaceScene(shown, drug: drug, checked: nil, now: now, zone: zone)
            return FaceFamily.allCases.allSatisfy { family in
                let drawing = FaceSVG.draw(FaceContent(family, scene), FacePalette(.dark))
                return drawing.hasSuffix("</svg>\n")
            }
        }
        try time("timeline", "timeline of 200 medications", 200, make)
        try time("face.render", "face of 200 medications, four families", 200, draw)
        var memory = OwnMemory()
        for _ in 0..<Self.memoryRounds {
            guard try make(), try draw() else { throw StoreFailure("the face is wrong") }
            memory.sample()
        }
        keep(
            "timeline.memory",
            Measurement(
                memory.peak.map { Double($0) }, sampleCount: UInt64(memory.count),
                remark: "growth of this process"))
    }

    private static let memoryRounds = 20
}
