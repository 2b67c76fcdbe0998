import ControlProtocol
import Locks
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

extension WatchTimeline {
    /// The face for the file.
    struct Keeping: Sendable {
        /// The face of the last look, and the changes of the list that it includes.
        private var face: KeptFace?
        private var changes = 0
        /// The face in the file, as far as is known.
        private var kept: (face: KeptFace, changes: Int)?
        /// When the face is to be kept; nil for never.
        private(set) var due: Instant?

        /// The time from a change to the write. Changes that follow are written together.
        private static let pause = Duration.seconds(1)

        init() {}

        /// Adopts the face of a look; nil if the doses that it includes are not known.
        mutating func take(_ face: KeptFace?, _ changes: Int, at now: Instant) {
            self.face = face
            self.changes = changes
            let isKept = face != nil && kept?.face == face && kept?.changes == changes
            if !isKept, due == nil { due = now.advanced(by: Self.pause) }
        }

        /// Whether a face is to be kept; with `now`, whether it is time.
        func isDue(at now: Instant?) -> Bool {
            due.map { due in now.map { due <= $0 } ?? true } ?? false
        }

        /// The face to be kept; nil if the doses that it includes are not known.
        mutating func takeOut() -> (KeptFace, Int)? {
            due = nil
            guard let face else { return nil }
            kept = (face, changes)
            return (face, changes)
        }
    }

    /// The face to be kept, with the changes of the list that it includes.
    ///
    /// - Parameter now: nil at the end of the process.
    func faceToKeep(at now: Instant?) -> (KeptFace, Int)? {
        state.withLock { state in
            guard state.keeping.isDue(at: now) else { return nil }
            let face = state.keeping.takeOut()
            // The ledger was at work in the last look: another one is due.
            if face == nil, state.pending == nil { state.pending = Pending() }
            return face
        }
    }

    /// Shows the picture that came after the face. A look that is due shows it to nobody who may
    /// not see it.
    func show(_ picture: FacePicture.Shown?, in simulator: Simulator) {
        let shown = state.withLock { state -> FaceDisplay? in
            guard state.isPrivate == state.shown.isPrivate else { return nil }
            var display = state.shown
            display.picture = picture
            display.takePlace(of: state.shown, at: SystemClock.now)
            defer { state.shown = display }
            return display.hasPicture(of: state.shown) ? nil : display
        }
        guard let shown, !simulator.isQuiet else { return }
        var members = shown.members
        members["source"] = "picture"
        members["age_ns"] = .null
        simulator.hub.post("complication.shown", .object(members))
    }

    /// Shows the face that the file kept, until a look makes another.
    func show(
        _ face: KeptFace, _ display: FaceDisplay, at clock: WallClock, in simulator: Simulator
    ) {
        var display = display
        display.isPrivate = isPrivate
        state.withLock { state in
            state.shown = display
            state.timeline = face.timeline
            state.ages.pass(isStale: display.asOf != nil, at: SystemClock.now)
        }
        var members = display.members
        members["source"] = "store"
        let age = clock.time.milliseconds - face.begin.wallTime.milliseconds
        members["age_ns"] = .whole(max(0, age) * 1_000_000)
        simulator.hub.post("complication.shown", .object(members))
    }
}
