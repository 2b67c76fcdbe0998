import WatchProtoCore

@testable import WatchProtoRecords

extension RejectedCoding {
    static var updates: [RejectedCoding] {
        let base = CodedExample.medication("Aspirin")
        let planned = changed(base) { $0.nextDose = WallMinute(minutes: 3_230_100) }
        func rejected(
            _ name: String, _ expected: String, from base: LightweightMedication,
            _ former: [CodedSymbol] = [], _ symbols: [CodedSymbol] = [],
            _ change: (inout LightweightMedication) -> Void = { _ in }
        ) -> RejectedCoding {
            let next = changed(base) {
                $0.revision += 1
                change(&$0)
            }
            return RejectedCoding(
                name: "update: " + name, expected: expected, base: base,
                symbols: Self.symbols(
                    next, from: base, replacing: former, with: symbols, isLast: true))
        }
        let wide: [CodedSymbol] = [
            .flag(true, 14, 1), .choice(8, [3, 0, 1, 1, 1, 1, 4, 1, 2]),
        ]
        let asNeeded: [CodedSymbol] = [
            .flag(true, 14, 1), .choice(2, [3, 0, 1, 1, 1, 1, 4, 1, 2]),
        ]
        let narrow: CodedSymbol = .flag(false, 14, 1)
        let distant = changed(base) {
            $0.updatedAt.milliseconds = RecordBase.milliseconds + 1 << 51
        }
        return [
            rejected(
                "a signed 0 with the sign 1", "number of at most 62 bits", from: base,
                [.flag(false, 40, 1)], [.flag(true, 40, 1)]),
            rejected("a distance of 63 bits", "number of at most 62 bits", from: base) {
                $0.updatedAt.milliseconds += 1 << 62
            },
            rejected(
                "changed flags with no bit", "changed flags", from: base, [narrow],
                wide + [.number(0, below: 256)]),
            rejected(
                "changed flags with overdue", "changed flags", from: base,
                [.flag(true, 2, 1), narrow],
                [.flag(false, 2, 1)] + wide + [.number(2, below: 256)]
            ) { $0.flags.formUnion(.isOverdue) },
            rejected(
                "one changed flag in the form 8", "changed flags", from: base, asNeeded,
                wide + [.number(4, below: 256)]
            ) { $0.flags.formUnion(.asNeeded) },
            rejected(
                "a dose of the schedule that is not there", "dose of the schedule", from: planned,
                [.choice(0, [3, 24, 3, 1, 1])], [.choice(1, [3, 24, 3, 1, 1])]
            ) { $0.nextDose?.minutes += 7 },
            rejected("a base that has no coding", "base that can be coded", from: distant),
        ]
    }

    static var texts: [RejectedCoding] {
        func rejected(
            _ name: String, _ expected: String, _ symbols: CodedSymbols
        ) -> RejectedCoding {
            RejectedCoding(name: name, expected: expected, symbols: symbols)
        }
        func named(_ name: String) -> LightweightMedication { CodedExample.medication(name) }
        let tokens = String(repeating: "a1", count: 127)
        return [
            rejected(
                "a surrogate", "Unicode scalar",
                symbols(
                    named("\u{E000}"), replacing: [.number(0xE000, below: 1 << 16)],
                    with: [.number(0xD800, below: 1 << 16)])),
            rejected(
                "a spelled word without letters", "word with a letter",
                symbols(
                    named("Zyxtor"), replacing: letters("zyxtor"), with: letters(""),
                    meaning: named(""))),
            rejected(
                "a spelled word of 256 letters", "word of at most 255 letters",
                symbols(named(String(repeating: "q", count: 256)))),
            rejected(
                "a spelled number of 256 digits", "number of at most 255 digits",
                symbols(named(String(repeating: "7", count: 256)))),
            rejected(
                "a name of 256 characters", "text of at most 255 characters",
                symbols(named(String(repeating: "a-", count: 128)))),
            rejected(
                "a record of 2,001 tokens", "record of at most 2,000 tokens",
                symbols(
                    CodedExample.medication(
                        tokens, tokens, "\(tokens)b. \(tokens)c. \(tokens)"))),
            rejected(
                "a name without a canonical encoding", "canonical encoding",
                symbols(named(String(repeating: "a ", count: 120)))),
        ]
    }

    /// The symbols of a word letter by letter.
    private static func letters(_ word: String) -> [CodedSymbol] {
        var recorder = SymbolRecorder()
        var letters = word.unicodeScalars.map(\.value)
        TextCoder(.shared).code(letters: &letters, &recorder)
        return recorder.symbols
    }

    /// The symbols of a medication with the end of another one, where that is another end.
    private static var otherCheck: CodedSymbols {
        let other = CodedExample.medication("Ibuprofen")
        for dose in 1...20 {
            let medication = CodedExample.medication("Aspirin", "\(dose) mg")
            let symbols = symbols(medication, meaning: other)
            if symbols.bytes != Self.symbols(medication).bytes { return symbols }
        }
        preconditionFailure("no medication has several ends")
    }

    static var limits: [RejectedCoding] {
        // A spelled word begins; zeros are letters that no letter has as a follower. The symbols
        // behind its start keep the end from being rounded up.
        let all = SymbolRecorder.symbols([CodedExample.medication("Zyxtor")])
        let start = all.firstRange(of: letters("zyxtor"))?.lowerBound ?? 0
        let medication = CodedExample.medication("Aspirin")
        return [
            RejectedCoding(
                name: "more than 400 zeros behind the end", expected: "end of the coded record",
                symbols: CodedSymbols(
                    symbols: all[..<start] + Array(repeating: .number(0, below: 1 << 16), count: 4))
            ),
            RejectedCoding(
                name: "batch of 101", expected: "batch of at most 100 records",
                identities: (1...101).map { MedicationID(rawValue: UInt128($0)) },
                symbols: symbols(medication)),
            RejectedCoding(
                name: "a check that is another one", expected: "check of the canonical encodings",
                symbols: otherCheck),
        ]
    }
}
