import ControlProtocol
import Locks
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

extension WatchTimeline {
    /// The members of the reply to `face`.
    ///
    /// - Parameter jpeg: the thumbnail of a picture; nil without one, and if nobody asked for it.
    func members(
        _ face: WatchFace, jpeg: (FacePicture.Shown) -> [UInt8]?
    ) -> JSONObject {
        let (display, timeline, ages) = state.withLock { ($0.shown, $0.timeline, $0.ages) }
        var object = JSONObject()
        object["revision"] = .whole(face.revision)
        object["complication"] = display.complication(jpeg: display.picture.flatMap(jpeg))
        var next = JSONValue.null
        if let dose = face.next, !display.isPrivate {
            next = [
                "key": .string(dose.recordKey.hex), "name": .string(dose.name),
                "dosage": .string(dose.dosage.text),
                "minute": dose.nextDose.map { .whole($0.minutes) } ?? .null,
                "revision": .whole(dose.revision),
            ]
        }
        object["next_dose"] = next
        object["timeline"] = timeline.map(\.controlValue) ?? .null
        object["ages"] = .object(ages.members(at: SystemClock.now))
        return object
    }
}
