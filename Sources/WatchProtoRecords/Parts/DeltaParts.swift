import WatchProtoCore

// The pieces that the deltas of several records share.

/// The change of the next dose: two bits of a mask, and their data.
enum NextDoseChange {
    static let unchanged: UInt8 = 0
    /// A difference in minutes follows.
    static let moved: UInt8 = 1
    static let gone: UInt8 = 2
    /// The minute itself follows, in four bytes.
    static let new: UInt8 = 3

    /// The two bits for the change from `base` to `next`.
    static func code(_ base: WallMinute?, _ next: WallMinute?) -> UInt8 {
        switch (base, next) {
        case _ where base == next: unchanged
        case (_, nil): gone
        case (nil, _): new
        default: moved
        }
    }
}

extension WireWriter {
    /// Writes the fields that follow ``NextDoseChange/code(_:_:)``.
    mutating func nextDoseChange(_ base: WallMinute?, _ next: WallMinute?) {
        guard let next, base != next else { return }
        if let base {
            let difference = Int64(next.minutes) - Int64(base.minutes)
            varint(UInt64(bitPattern: difference << 1 ^ difference >> 63))
        } else {
            fixed(UInt64(UInt32(bitPattern: next.minutes)), count: 4)
        }
    }

    /// Writes the edit from `base` to `next`: the bytes kept at the start, the bytes kept at the
    /// end, and the bytes between them, after their length.
    mutating func textEdit(_ base: String, _ next: String) {
        let old = [UInt8](base.utf8)
        let new = [UInt8](next.utf8)
        let shorter = min(old.count, new.count)
        var front = 0
        while front < shorter, old[front] == new[front] { front += 1 }
        var back = 0
        while back < shorter - front, old[old.count - 1 - back] == new[new.count - 1 - back] {
            back += 1
        }
        byte(UInt8(front))
        byte(UInt8(back))
        block([UInt8](new[front..<(new.count - back)]))
    }

    /// The extension fields as a whole.
    mutating func extensionFields(_ fields: ExtensionFields) { block(fields.wireForm) }
}

extension WireReader {
    /// The next dose after a change with the two bits `code`.
    mutating func nextDose(
        _ code: UInt8, after base: WallMinute?
    ) throws(WireError) -> WallMinute? {
        switch code {
        case NextDoseChange.unchanged:
            return base
        case NextDoseChange.gone:
            return nil
        case NextDoseChange.new:
            return try minute(wide: true)
        default:
            let start = offset
            let bits = try varint("the move of a next dose", atMost: 1 << 33)
            let difference = Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
            guard let base, let minutes = Int32(exactly: Int64(base.minutes) + difference) else {
                throw WireError(
                    .outOfRange, at: start, expected: "a move of the next dose there is",
                    found: bits)
            }
            return WallMinute(minutes: minutes)
        }
    }

    /// `base` after an edit.
    mutating func editedText(_ base: String) throws(WireError) -> String {
        let old = [UInt8](base.utf8)
        let start = offset
        let front = Int(try byte("the bytes kept in front"))
        let back = Int(try byte("the bytes kept behind"))
        guard front + back <= old.count else {
            throw WireError(
                .outOfRange, at: start, expected: "an edit within the text",
                found: UInt64(front + back))
        }
        let middle = try block("the new part of a text", atMost: 200)
        let bytes = old[..<front] + middle + old[(old.count - back)...]
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw WireError(
                .invalidText, at: start, expected: "an edit that gives UTF-8",
                found: UInt64(bytes.count))
        }
        return text
    }

    /// Extension fields as a whole.
    mutating func wholeExtensions() throws(WireError) -> ExtensionFields {
        try extensions(count("the length of extension fields", atMost: 200))
    }
}

extension String {
    /// Whether the bytes are the same; `==` also equates equivalent spellings.
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
