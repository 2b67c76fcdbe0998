import Testing
import WatchProtoCore

@testable import ReferenceDevice

/// The promises of the projection, checked without its own means.
enum ShorteningRules {
    /// A name is whole, or a head of it that ends at a word and took no number away that the
    /// strength does not hold.
    static func expectSafeName(
        _ name: String, of medication: Medication, location: SourceLocation = #_sourceLocation
    ) {
        guard name != medication.name else { return }
        #expect(name.hasSuffix("…"), "\(name)", sourceLocation: location)
        let head = String(name.dropLast())
        #expect(medication.name.hasPrefix(head), "\(name)", sourceLocation: location)
        let rest = medication.name.dropFirst(head.count)
        let isEnd = rest.first.map { !$0.isLetter && !$0.isNumber } ?? false
        #expect(
            isEnd || head.last.map { !$0.isASCII } ?? false, "\(name)", sourceLocation: location)
        let carried = digitRuns(medication.strength)
        for run in digitRuns(String(rest)) {
            #expect(carried.contains(run), "\(name) lost \(run)", sourceLocation: location)
        }
    }

    /// Instructions are whole, or begin as the full text does and end in the mark after a whole
    /// sentence or a word that no number precedes.
    static func expectSafeInstructions(
        _ shown: String, of full: String, location: SourceLocation = #_sourceLocation
    ) {
        guard shown != full else { return }
        #expect(shown.hasSuffix("…"), "\(shown)", sourceLocation: location)
        var head = String(shown.dropLast())
        while head.last == " " { head.removeLast() }
        #expect(full.hasPrefix(head), "\(shown)", sourceLocation: location)
        guard let last = head.last else { return }
        let rest = full.dropFirst(head.count)
        if ".!?。！？।؟".contains(last) { return }
        if rest.prefix(while: \.isWhitespace).count(where: \.isNewline) > 1 { return }
        // The sentence that was cut holds no numeral before or after the cut.
        let before = head.split { ".!?".contains($0) }.last ?? ""
        let after = rest.split { ".!?".contains($0) }.first ?? ""
        for part in [before, after] {
            let digits = part.unicodeScalars.contains { $0.properties.numericType != nil }
            #expect(!digits, "\(shown)", sourceLocation: location)
        }
        #expect(rest.first.map { !$0.isLetter } ?? true, "\(shown)", sourceLocation: location)
        let words = " " + (before + after).lowercased() + " "
        for word in [" not ", " never ", " avoid ", " without ", " unless ", " only ", " if "] {
            #expect(!words.contains(word), "\(shown)", sourceLocation: location)
        }
    }

    private static func digitRuns(_ text: String) -> [String] {
        text.split { !$0.isNumber && $0 != "." }.map(String.init).filter {
            $0.contains(where: \.isNumber)
        }
    }
}
