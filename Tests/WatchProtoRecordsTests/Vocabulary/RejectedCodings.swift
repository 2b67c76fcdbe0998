import WatchProtoCore

@testable import WatchProtoRecords

/// A coding that no encoder makes, and that every decoder refuses.
struct RejectedCoding {
    var name: String
    /// The words of the decoder's error.
    var expected: String
    var identities = [MedicationID(rawValue: 0x10)]
    var base: LightweightMedication?
    var reference = CodedExample.usual
    var symbols: CodedSymbols

    var bytes: [UInt8] { symbols.bytes }

    /// One for each sentence of *Refusals*, and of each part of a sentence.
    static var all: [RejectedCoding] {
        numbers + fields + updates + texts + limits
    }

    /// The symbols of a medication, of which some are replaced.
    ///
    /// The check is that of the medication, so that a decoder which takes the replaced symbols for
    /// it refuses nothing else.
    static func symbols(
        _ medication: LightweightMedication, from base: LightweightMedication? = nil,
        replacing former: [CodedSymbol] = [], with symbols: [CodedSymbol] = [],
        isLast: Bool = false, meaning: LightweightMedication? = nil
    ) -> CodedSymbols {
        var all = SymbolRecorder.symbols([medication], from: base)
        if !former.isEmpty {
            let ranges = all.ranges(of: former)
            let range = isLast ? ranges.last : ranges.first
            precondition(range != nil, "the symbols to be replaced are not there")
            if let range { all.replaceSubrange(range, with: symbols) }
        }
        let encoding = try? (meaning ?? medication).encoded()
        let check = ContentHash.of(encoding ?? [])
        guard base != nil else { return CodedSymbols(symbols: all, check: check) }
        let part = CodedSymbol.number(Int(check % 16), below: 16)
        return CodedSymbols(symbols: all + [part], check: check / 16)
    }

    static func changed(
        _ medication: LightweightMedication = CodedExample.medication("Aspirin"),
        _ change: (inout LightweightMedication) -> Void
    ) -> LightweightMedication {
        var medication = medication
        change(&medication)
        return medication
    }

    private static func edited(at milliseconds: Int64) -> LightweightMedication {
        changed { $0.updatedAt.milliseconds = RecordBase.milliseconds + milliseconds }
    }

    private static var numbers: [RejectedCoding] {
        let now = edited(at: 3_230_001 * 60_000)
        let late = changed {
            $0.schedule = DoseSchedule(slots: DoseSlots(minutes: [1_438, 1_439])!)
        }
        // Two times: of no list, a time of the finest grain.
        let start = Array(SymbolRecorder.symbols([late]).prefix(3))
        return [
            RejectedCoding(
                name: "an age of 0 below 0", expected: "age of at most 52 bits",
                symbols: symbols(
                    now, replacing: [.flag(false, 6, 2)], with: [.flag(true, 6, 2)])),
            RejectedCoding(
                name: "an age of 53 bits", expected: "age of at most 52 bits",
                symbols: symbols(edited(at: 1 << 53 + 1))),
            RejectedCoding(
                name: "a last edit of 2^53 ms", expected: "time of at most 53 bits",
                symbols: symbols(edited(at: (1 << 53 / 86_400_000 + 1) * 86_400_000))),
            RejectedCoding(
                name: "a time behind the last minute of the day", expected: "minute of the day",
                symbols: CodedSymbols(
                    symbols: start + [.number(1_151, below: 1_152), .choice(4, [4, 3, 3, 9, 1])])),
            RejectedCoding(
                name: "an amount of 1.0", expected: "amount without trailing zeros",
                symbols: symbols(
                    changed {
                        $0.dosage.amount = Amount(checkedMantissa: 10, scale: 1, unit: .tablet)
                    })),
            RejectedCoding(
                name: "a next dose of 33 bits", expected: "minute of 32 bits",
                reference: CodingReference(minute: 3_230_001, offset: 60),
                symbols: symbols(changed { $0.nextDose = WallMinute(minutes: .max) })),
        ]
    }

    private static let forms: [UInt16] = [30, 3, 6, 2]

    /// A field of form 1.
    private static func plain(_ tag: Int, _ bytes: [UInt8]) -> [CodedSymbol] {
        [.choice(1, forms), .number(tag, below: 256), .number(bytes.count, below: 256)]
            + bytes.map { .number(Int($0), below: 256) }
    }

    private static var fields: [RejectedCoding] {
        let two = changed {
            $0.extensions[4] = [7]
            $0.extensions[9] = [8, 8]
        }
        let (four, nine) = (plain(4, [7]), plain(9, [8, 8]))
        let none: [CodedSymbol] = [.flag(false, 10, 2), .flag(false, 6, 2)]
        let course = changed { $0.course = DoseCourse(firstDay: 2_240) }
        let added = changed { $0.extensions[3] = [0xA0, 0x45, 0x31, 0] }
        let early = changed(edited(at: 2 * 86_400_000)) { $0.course = DoseCourse(firstDay: 0) }
        let first = changed { $0.extensions[3] = [0, 0, 0, 0x80] }
        let hour = CodingReference(minute: 3_230_000 - 4_320, offset: 60)
        func rejected(
            _ name: String, _ expected: String, _ symbols: CodedSymbols,
            _ reference: CodingReference = CodedExample.usual
        ) -> RejectedCoding {
            RejectedCoding(
                name: name, expected: expected, reference: reference, symbols: symbols)
        }
        return [
            rejected(
                "fields that descend", "tags in ascending order",
                symbols(two, replacing: four + nine, with: nine + four)),
            rejected(
                "a field twice", "tags in ascending order",
                symbols(two, replacing: four, with: four + four)),
            rejected(
                "no newer fields behind their flag", "fields of a newer version",
                symbols(
                    changed { _ in }, replacing: none,
                    with: [none[0], .flag(true, 6, 2), .choice(0, forms)])),
            rejected(
                "a course in form 1", "field of a newer version",
                symbols(course, replacing: inForm(2, course), with: plain(2, course.extensions[2]!))
            ),
            rejected(
                "a time of adding in form 1", "field of a newer version",
                symbols(added, replacing: inForm(3, added), with: plain(3, added.extensions[3]!))),
            rejected("a course before 2020", "date", symbols(early), hour),
            rejected("a time of adding of 33 bits", "minute of 32 bits", symbols(first), hour),
        ]
    }

    /// The symbols of the only field of a medication, from its form to the end of the fields.
    private static func inForm(_ form: Int, _ medication: LightweightMedication) -> [CodedSymbol] {
        let all = SymbolRecorder.symbols([medication])
        guard let first = all.firstIndex(of: .choice(form, forms)),
            let end = all[first...].firstIndex(of: .choice(0, forms))
        else { preconditionFailure("the field is not there") }
        return Array(all[first..<end])
    }
}
