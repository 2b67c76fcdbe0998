import Testing
import WatchProtoCore

@testable import WatchProtoRecords

/// Reads symbols as a decoder that lacks one refusal.
private struct LenientReader: SymbolCoder {
    typealias Failure = WireError

    var reader: SymbolReader
    let ignored: String

    static var isReading: Bool { true }

    func write(_ start: UInt32, _ size: UInt32, of total: UInt32) {}

    mutating func place(in total: UInt32) -> UInt32 { reader.place(in: total) }

    mutating func read(_ start: UInt32, _ size: UInt32) throws(WireError) {
        try reader.read(start, size)
    }

    func check(_ isValid: Bool, _ what: StaticString) throws(WireError) {
        guard "\(what)" != ignored else { return }
        try reader.check(isValid, what)
    }
}

@Suite struct RejectedCodingTests {
    /// Whether a decoder without the refusal that a coding is made for takes it, check and all.
    private func isTaken(_ rejected: RejectedCoding) -> Bool {
        var lenient = LenientReader(
            reader: SymbolReader(rejected.bytes), ignored: rejected.expected)
        var coder = MedicationCoder(.shared, rejected.reference)
        var medication = rejected.base ?? CodedExample.medication("")
        do throws(WireError) {
            if let base = rejected.base {
                try coder.code(&medication, from: base, &lenient)
            } else {
                try coder.code(&medication, &lenient)
            }
            guard let encoding = try? medication.encoded() else { return false }
            var check = ContentHash.of(encoding)
            if rejected.base != nil {
                var part = 0
                try lenient.uniform(&part, below: 16)
                guard UInt64(part) == check % 16 else { return false }
                check /= 16
            }
            try lenient.reader.finish(check: check)
            return true
        } catch {
            return false
        }
    }

    /// So their rows show that a decoder lacks the refusal: its check does not refuse them.
    @Test(arguments: [
        "an age of 0 below 0", "fields that descend", "a field twice",
        "no newer fields behind their flag", "a course in form 1", "a time of adding in form 1",
        "update: a signed 0 with the sign 1", "update: changed flags with no bit",
        "update: changed flags with overdue", "update: one changed flag in the form 8",
        "a spelled word without letters",
    ]) func other_symbols_for_the_same_value_have_its_check(name: String) throws {
        let rejected = try #require(RejectedCoding.all.first { $0.name == name })
        #expect(isTaken(rejected))
    }
}
