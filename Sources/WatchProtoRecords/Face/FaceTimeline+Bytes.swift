import WatchProtoCore

extension FaceTimeline {
    /// The canonical bytes: equal timelines have equal ones, and no others have.
    ///
    /// A version, the active medications, the check, the end and the number of entries; then each
    /// entry. Numbers have the lowest byte first.
    package var bytes: [UInt8] {
        var writer = WireWriter()
        writer.byte(1)
        writer.fixed(UInt64(active), count: 2)
        writer.byte(checked == nil ? 0 : 1)
        if let checked { writer.minute(checked) }
        writer.minute(end)
        writer.byte(UInt8(entries.count))
        for entry in entries { entry.write(to: &writer) }
        return writer.bytes
    }

    /// The fingerprint of the bytes, to compare the timelines of two devices.
    package var fingerprint: UInt64 { ContentHash.of(bytes) }
}

extension FaceEntry {
    fileprivate func write(to writer: inout WireWriter) {
        writer.minute(minute)
        for count in [
            total, taken, skipped, notLogged, due, overdue, snoozed, conflicting, unchecked,
        ] {
            writer.fixed(UInt64(count), count: 2)
        }
        writer.byte(headline == nil ? 0 : 1)
        headline?.write(to: &writer)
    }
}

extension FaceDose {
    fileprivate func write(to writer: inout WireWriter) {
        writer.uint128(slot.medication.rawValue)
        writer.fixed(UInt64(slot.entry), count: 2)
        writer.fixed(UInt64(slot.day), count: 2)
        writer.minute(due)
        writer.byte((isUnchecked ? 1 : 0) | (isDateSkipped ? 2 : 0))
        switch phase {
        case .upcoming: writer.byte(0)
        case .due: writer.byte(1)
        case .overdue: writer.byte(2)
        case .snoozed(let end):
            writer.byte(3)
            writer.minute(end)
        // A face names no other dose.
        case .notDue, .notLogged, .taken, .skipped, .conflicting: writer.byte(4)
        }
    }
}

extension WireWriter {
    fileprivate mutating func minute(_ minute: WallMinute) {
        fixed(UInt64(UInt32(bitPattern: minute.minutes)), count: 4)
    }
}
