package import ControlProtocol

/// A type that a word of the command line can be read as.
package protocol ArgumentValue: Sendable {
    /// Reads `argument`.
    ///
    /// - Throws: what is wrong with it; the user is at fault.
    init(argument: String) throws(ArgumentFault)

    /// The text that reads back as this value; used where help shows a default.
    var argumentText: String { get }

    /// The words it may be, where there are but a few; empty where there are not.
    static var choices: [String] { get }
}

extension ArgumentValue {
    /// None.
    package static var choices: [String] { [] }
}

/// Why a word is not a value: a clause that follows a colon, such as `a unit is needed`.
package struct ArgumentFault: Error, Hashable, Sendable {
    /// The clause; where the word is no number of the type, without the range that ends it.
    private var words: String
    /// The type's own range, where the clause ends with one.
    private var range: String?

    /// Makes the fault from its clause.
    package init(_ reason: String) { words = reason }

    /// Makes the fault of a word that is no number in `range`: words that such a range follows.
    init(_ words: String, range: String) {
        self.words = words
        self.range = range
    }

    /// The clause.
    package var reason: String { reason(in: nil) }

    /// The clause where an option allows but `optionRange`, which is narrower than the type's.
    func reason(in optionRange: String?) -> String {
        guard let range else { return words }
        return "\(words) \(optionRange ?? range)"
    }
}

extension String: ArgumentValue {
    /// Takes the word as it stands. Throws when it is empty; the user is at fault.
    package init(argument: String) throws(ArgumentFault) {
        guard !argument.isEmpty else { throw ArgumentFault("it is empty") }
        self = argument
    }

    package var argumentText: String { self }
}

extension UInt64: ArgumentValue {
    /// Reads decimal digits. Throws for anything else and for a number out of range; the user
    /// is at fault.
    package init(argument: String) throws(ArgumentFault) {
        self = try Self.read(argument)
    }

    package var argumentText: String { String(self) }
}

extension Int: ArgumentValue {
    /// Reads decimal digits, with a minus sign in front or not. Throws for anything else and for a
    /// number out of range; the user is at fault.
    package init(argument: String) throws(ArgumentFault) {
        self = try Self.read(argument)
    }

    package var argumentText: String { String(self) }
}

extension FixedWidthInteger {
    fileprivate static func read(_ argument: String) throws(ArgumentFault) -> Self {
        if let value = Self(argument), argument.first != "+" { return value }
        let digits = argument.drop { $0 == "-" }
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw ArgumentFault("a whole number is needed,", range: "\(Self.min) to \(Self.max)")
        }
        throw ArgumentFault("it must be", range: "\(Self.min) to \(Self.max)")
    }
}

extension Quantity {
    /// Reads a number with its unit.
    ///
    /// - Throws: what is wrong with it; the user is at fault.
    package init(argument: String) throws(ArgumentFault) {
        do throws(QuantityError) {
            try self.init(quantity: argument)
        } catch {
            throw ArgumentFault(error.description)
        }
    }

    /// The value with its unit and without a space, such as `60ms`.
    package var argumentText: String { meaning.split(separator: " ").joined() }
}

extension Duration: ArgumentValue {}
extension Rate: ArgumentValue {}
extension BitRate: ArgumentValue {}
extension ByteCount: ArgumentValue {}
extension Percentage: ArgumentValue {}

/// A value that is one of a few words; an enumeration of strings conforms by saying so.
package protocol ArgumentChoice: ArgumentValue, CaseIterable, RawRepresentable<String> {}

extension ArgumentChoice {
    /// Reads one of the words. Throws for any other, with the nearest one; the user is at
    /// fault.
    package init(argument: String) throws(ArgumentFault) {
        if let value = Self(rawValue: argument) {
            self = value
            return
        }
        let hint = Spelling.nearest(to: argument, among: Self.choices)
            .map { "; did you mean '\($0)'?" }
        throw ArgumentFault("it must be \(WordList.either(Self.choices))" + (hint ?? ""))
    }

    /// The words that are taken, in the order of the cases.
    package static var choices: [String] { allCases.map(\.rawValue) }

    package var argumentText: String { rawValue }
}
