import Glibc
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoJournal
import WatchProtoTransport

/// The face in the file: written a while after it changed, and the first that a start shows.
extension WatchApplication {
    /// Shows the face that the file kept, with its age. It reads the same rows of every file,
    /// however much the file holds; each of them opens only as it was written.
    func showKept(_ file: FileStore, in simulator: Simulator) -> Bool {
        guard let note = try? file.note(.face), let face = try? KeptFace(note),
            let own = try? simulator.ledger.store.digest(),
            let pushed = try? Self.complication(try file.note(.complication))
        else { return false }
        let isOfList = (try? file.note(.faceIsOfList)) != nil
        // If the note cannot be read, the watch is locked.
        do { timeline.setPrivate(try file.note(.isLocked) == [1]) } catch { return false }
        let clock = SystemClock.wall
        let shown = face.shown(at: clock, own: own, isOfList: isOfList)
        let now = WallMinute(clock.time)
        let display = FaceDisplay(pushed.0, shown, face.timeline, own, now) { id in
            guard let row = try? file.fetch(id),
                let medication = try? LightweightMedication(decoding: row.body),
                medication.id == id
            else { return nil }
            return medication
        }
        timeline.show(face, display, at: clock, in: simulator)
        return true
    }

    /// Keeps the face of the last look, if it is time and the face is another one.
    func keepFace(in simulator: Simulator, isLast: Bool = false) {
        if isKept.load(ordering: .relaxed) { simulator.keepZones(timeline.zonesToKeep) }
        guard let (face, changes) = timeline.faceToKeep(at: isLast ? nil : SystemClock.now),
            isKept.load(ordering: .relaxed)
        else { return }
        // To write would open a failed journal again. The next look keeps the face.
        guard simulator.canWrite else { return timeline.forgetKept() }
        let write = StoreChange.keep(face) { [self] in
            store.withLock { $0.changes } == changes
        }
        simulator.write([write])
    }

    /// Keeps the face of the end. A face is of known doses only while the ledger is not at work.
    func ends(in simulator: Simulator) {
        for _ in 0..<Self.mostWaits where !simulator.ledger.isIdle { usleep(Self.waitMicroseconds) }
        timeline.look(store, pictures, in: simulator)
        keepFace(in: simulator, isLast: true)
    }

    private static let mostWaits = 50
    private static let waitMicroseconds: UInt32 = 2000
}
