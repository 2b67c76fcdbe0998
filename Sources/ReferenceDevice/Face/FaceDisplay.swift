package import ControlProtocol
package import Pictures
package import WatchProto
internal import WatchProtoCore

/// The content of a watch's face: the entry of the watch's own timeline, with the name of its dose.
///
/// A state of the phone that names a ledger is never shown over it: the watch has the list and the
/// doses, and its own newer ones. A state that names none is a text of the phone's application,
/// which stays until the phone sends another; the counts beside it are the watch's. A watch without
/// a list shows what the phone sent, from the next dose of that state on *as of* its minute.
package struct FaceDisplay: Sendable {
    /// The shown state; nil before there is one.
    package var state: ComplicationState?
    /// The entry of the timeline; nil without a list.
    package var entry: FaceEntry?
    /// The minute up to which it is known to be right, if that is over.
    package var asOf: WallMinute?
    /// The last comparison of the ledgers that counts.
    package var checked: WallMinute?
    /// Whether the phone has doses that this watch does not have yet.
    package var isBehind = false
    /// Whether the text is the phone's.
    package var isPhones = false
    /// Whether the watch is locked or off the wrist: the face names no medication then.
    package var isPrivate = false
    /// The picture of ``named``; nil while the colour and the amount stand alone.
    package var picture: FacePicture.Shown?
    /// The medication of the watch's list that the state names.
    private var medication: MedicationID?

    /// Shows nothing.
    package init() {}

    /// Makes the content of the face.
    ///
    /// - Parameters:
    ///   - pushed: the newest state of the phone.
    ///   - shown: the present entry of the timeline.
    ///   - timeline: the timeline of the entry; nil without a list.
    ///   - own: the digest of this watch's ledger.
    ///   - now: the present minute.
    ///   - name: the medication of an identity.
    package init(
        _ pushed: ComplicationState?, _ shown: ShownFace?, _ timeline: FaceTimeline?,
        _ own: LedgerDigest, _ now: WallMinute,
        _ name: (MedicationID) -> LightweightMedication?
    ) {
        guard let shown, let timeline else {
            state = pushed
            isPhones = true
            asOf = pushed?.nextDose.flatMap { $0 <= now ? $0 : nil }
            return
        }
        entry = shown.entry
        asOf = shown.asOf
        checked = timeline.checked
        if let pushed, pushed.ledger == nil {
            state = pushed
            state?.setCounts(shown.entry, active: timeline.active)
            isPhones = true
            return
        }
        var made = ComplicationState(shown.entry, active: timeline.active)
        if let dose = shown.entry.headline {
            made.nextDose = dose.minute
            if let medication = name(dose.slot.medication) {
                made.name = medication.name
                made.amountText = AmountText.of(medication.dosage)
                made.color = medication.color
                self.medication = medication.id
            }
        }
        state = made
        guard let ledger = pushed?.ledger, ledger != own else { return }
        // The watch has newer doses, or the phone has: until those arrive, the face is not current.
        isBehind = ledger.count >= own.count
        if isBehind { asOf = asOf ?? checked ?? shown.entry.minute }
    }

    /// The medication that the face names; nil for none, and for a text of the phone.
    package var named: MedicationID? { isPrivate ? nil : medication }

    /// Whether a dose is due that another device may have closed.
    package var isUnchecked: Bool { entry.map { $0.unchecked > 0 } ?? false }

    /// Whether a wearer sees the same.
    package func looks(like other: FaceDisplay) -> Bool {
        let isSameEntry =
            if let entry, let next = other.entry {
                entry.shows(the: next)
            } else {
                entry == nil && other.entry == nil
            }
        return isSameEntry && state == other.state && asOf == other.asOf
            && isPrivate == other.isPrivate && hasPicture(of: other)
    }

    /// Whether the picture is the same.
    package func hasPicture(of other: FaceDisplay) -> Bool {
        picture?.name == other.picture?.name && picture?.version == other.picture?.version
    }

    /// The face shows this from now on, in place of another one. A picture that was not on that one
    /// has its time then.
    package mutating func takePlace(of other: FaceDisplay, at now: Instant) {
        guard let updated = picture?.updated else { return }
        let wait = hasPicture(of: other) ? other.picture?.wait : updated.duration(to: now)
        picture?.wait = wait
    }

    /// The members of `complication.shown`, the source and the age aside.
    package var members: JSONObject {
        [
            "text": .string(isPrivate ? "" : state?.name ?? ""),
            "as_of_minute": asOf.map { .whole($0.minutes) } ?? .null,
            "picture": picture.map { .object($0.controlMembers()) } ?? .null,
        ]
    }

    /// The member `complication` of the reply to `face`.
    ///
    /// - Parameter jpeg: the thumbnail of the picture; nil if the reply has none.
    package func complication(jpeg: [UInt8]? = nil) -> JSONValue {
        guard let state else { return .null }
        var object: JSONObject = [
            "text": .string(isPrivate ? "" : state.name),
            "amount": .string(isPrivate ? "" : state.amountText),
            "taken": .whole(state.taken), "total": .whole(state.total),
            "overdue": .whole(state.overdue), "active": .whole(state.active),
            "next_minute": state.nextDose.map { .whole($0.minutes) } ?? .null,
            "source": entry == nil || isPhones ? "phone" : "timeline",
            "as_of_minute": asOf.map { .whole($0.minutes) } ?? .null,
            "picture": picture.map { .object($0.controlMembers(jpeg)) } ?? .null,
        ]
        guard let entry else { return .object(object) }
        for (name, count) in [
            ("due", entry.due), ("skipped", entry.skipped), ("snoozed", entry.snoozed),
            ("not_logged", entry.notLogged), ("conflicting", entry.conflicting),
            ("unchecked", entry.unchecked),
        ] {
            object[name] = .whole(count)
        }
        object["dose"] = isPrivate ? .null : entry.headline.map(\.controlValue) ?? .null
        return .object(object)
    }
}

extension FacePicture.Shown {
    /// The member `picture` of `complication` and of `complication.shown`.
    fileprivate func controlMembers(_ jpeg: [UInt8]? = nil) -> JSONObject {
        var members = JSONValue.members([
            "key": .string(Hex.text(name.medication, digits: 32)),
            "size": .string(name.size.controlName),
            "version": .string(Hex.text(UInt128(version), digits: 16)),
            "width": .whole(bitmap.width), "height": .whole(bitmap.height),
            "pixels_hash": .string(Hex.text(UInt128(ContentHash.of(bitmap.rgb)), digits: 16)),
            "took_ns": .whole(wait?.nanosecondsClamped ?? 0),
        ])
        if let jpeg { members["jpeg_b64"] = .string(Base64.encode(jpeg)) }
        return members
    }
}

extension FaceDose {
    /// The slot that a *Take* on the face is about, and how it is shown.
    fileprivate var controlValue: JSONValue {
        [
            "key": .string(slot.medication.recordKey.hex), "day": .whole(slot.day),
            "entry": .whole(slot.entry), "due_minute": .whole(due.minutes),
            "phase": .string(phase.controlName), "unchecked": .bool(isUnchecked),
            "date_skipped": .bool(isDateSkipped),
        ]
    }
}

extension FaceTimeline {
    /// The member `timeline` of the reply to `face`.
    package var controlValue: JSONValue {
        [
            "entries": .array(entries.map { .whole($0.minute.minutes) }),
            "end_minute": .whole(end.minutes),
            "checked_minute": checked.map { .whole($0.minutes) } ?? .null,
            "digest": .string(Hex.text(UInt128(fingerprint), digits: 16)),
        ]
    }
}
