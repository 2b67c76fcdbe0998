/// A value that a command line or a file states as a number with its unit, such as `60ms`.
///
/// The unit is required. "30" alone is refused, because a reader cannot distinguish seconds from
/// milliseconds. ``meaning`` returns the value as understood, so that it can be echoed.
package protocol Quantity: Sendable {
    /// Reads `text`, a number directly followed by its unit (one space between is allowed).
    ///
    /// - Throws: the fault of `text`; its author is at fault.
    init(quantity text: String) throws(QuantityError)

    /// The value with its unit, such as `1.5 s`.
    var meaning: String { get }
}

/// Why a text is not a quantity.
package struct QuantityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A clause that follows a colon: `a unit is needed`.
    package var description: String

    /// Makes the error from a clause that states the fault.
    package init(_ description: String) { self.description = description }
}

/// A unit and its size in the smallest steps of its quantity.
struct UnitSize {
    var name: String
    var steps: UInt64

    init(_ name: String, _ steps: UInt64) {
        self.name = name
        self.steps = steps
    }
}

extension UnitSize {
    /// Reads a decimal number and one of `units`, exactly, without rounding.
    ///
    /// - Returns: the value in steps.
    static func parse(_ text: String, units: [UnitSize]) throws(QuantityError) -> UInt64 {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        var name = text.dropFirst(number.count)
        if name.first == " " { name = name.dropFirst() }
        let names = WordList.either(units.map(\.name))
        guard !number.isEmpty else {
            if text.first == "-" { throw QuantityError("it must not be negative") }
            throw QuantityError("a number with a unit is needed (\(names))")
        }
        guard !name.isEmpty else { throw QuantityError("a unit is needed (\(names))") }
        guard let unit = units.first(where: { $0.name == name }) else {
            throw QuantityError("unknown unit '\(name)', expected \(names)")
        }
        return try steps(of: number, unit: unit, smallest: units.first { $0.steps == 1 })
    }

    private static func steps(
        of number: Substring, unit: UnitSize, smallest: UnitSize?
    ) throws(QuantityError) -> UInt64 {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let wholeText = parts.first, !wholeText.isEmpty,
            parts.count == 1 || !parts[1].isEmpty
        else {
            throw QuantityError("'\(number)' is not a number")
        }
        let tooLarge = QuantityError("it is too large")
        guard let whole = UInt64(wholeText) else { throw tooLarge }
        let (scaled, overflow) = whole.multipliedReportingOverflow(by: unit.steps)
        guard !overflow else { throw tooLarge }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.utf8.count <= 18 else {
            throw QuantityError("it has more than 18 decimals")
        }
        var denominator: UInt128 = 1
        for _ in fraction.utf8 { denominator *= 10 }
        let numerator = UInt128(UInt64(fraction) ?? 0) * UInt128(unit.steps)
        guard numerator.isMultiple(of: denominator) else {
            let step = smallest.map { "1 \($0.name)" } ?? "a millionth"
            throw QuantityError("it is finer than \(step), the smallest step")
        }
        let (sum, carry) = scaled.addingReportingOverflow(
            UInt64(numerator / denominator))
        guard !carry else { throw tooLarge }
        return sum
    }

    /// `value` steps in the largest unit that shows it with at most three decimals.
    static func describe(_ value: UInt64, units: [UnitSize]) -> String {
        let sizes = units.sorted { $0.steps > $1.steps }
        for unit in sizes where value >= unit.steps && unit.steps > 1 {
            let (whole, rest) = value.quotientAndRemainder(dividingBy: unit.steps)
            if rest == 0 { return "\(whole) \(unit.name)" }
            guard unit.steps.isMultiple(of: 1000), rest.isMultiple(of: unit.steps / 1000) else {
                continue
            }
            let thousandths = String(rest / (unit.steps / 1000))
            let padded = String(repeating: "0", count: 3 - thousandths.count) + thousandths
            let digits = padded.reversed().drop { $0 == "0" }.reversed()
            return "\(whole).\(String(digits)) \(unit.name)"
        }
        return "\(value) \(sizes.last?.name ?? "")"
    }
}
