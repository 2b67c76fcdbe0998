/// An exact decimal number with a unit: the amount of one dose.
///
/// The number is `mantissa` × 10^−`scale`, without trailing zeros: 1.50 is 1.5. One amount
/// therefore has one encoding, and no face shows "1.0", which could be misread as 10.
public struct Amount: Hashable, Sendable {
    /// The digits, without the point.
    public let mantissa: UInt32
    /// The number of digits after the decimal point, 0 to 9.
    public let scale: UInt8
    /// The unit of the number.
    public var unit: DoseUnit

    /// The largest scale.
    package static let largestScale = 9

    /// Makes `mantissa` × 10^−`scale` of `unit`; nil if the number needs a scale over 9.
    public init?(mantissa: UInt32, scale: Int = 0, unit: DoseUnit) {
        var mantissa = mantissa
        var scale = mantissa == 0 ? 0 : scale
        while scale > 0, mantissa.isMultiple(of: 10) {
            mantissa /= 10
            scale -= 1
        }
        guard (0...Self.largestScale).contains(scale) else { return nil }
        self.mantissa = mantissa
        self.scale = UInt8(scale)
        self.unit = unit
    }

    /// Makes an amount of decoded values that were already found to be without trailing zeros.
    @inlinable
    init(checkedMantissa: UInt32, scale: UInt8, unit: DoseUnit) {
        mantissa = checkedMantissa
        self.scale = scale
        self.unit = unit
    }
}

extension Amount: CustomStringConvertible {
    /// The number in digits, as `2.5`.
    public var digits: String {
        guard scale > 0 else { return String(mantissa) }
        var text = String(mantissa)
        if text.utf8.count <= Int(scale) {
            text = String(repeating: "0", count: Int(scale) - text.utf8.count + 1) + text
        }
        text.insert(".", at: text.index(text.endIndex, offsetBy: -Int(scale)))
        return text
    }

    /// The number and the unit, as `2.5 mL`.
    public var description: String {
        let name = unit.symbol
        return name.isEmpty ? digits : digits + " " + name
    }
}

/// The unit of an ``Amount``. An unknown code is kept unchanged.
public struct DoseUnit: RawRepresentable, Hashable, Sendable {
    /// The code in the encoding.
    public var rawValue: UInt8
    /// Makes the unit of this code, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Not stated.
    public static let unspecified = DoseUnit(rawValue: 0)
    /// Tablets.
    public static let tablet = DoseUnit(rawValue: 1)
    /// Capsules.
    public static let capsule = DoseUnit(rawValue: 2)
    /// Milligrams.
    public static let milligram = DoseUnit(rawValue: 3)
    /// Micrograms.
    public static let microgram = DoseUnit(rawValue: 4)
    /// Grams.
    public static let gram = DoseUnit(rawValue: 5)
    /// Milliliters.
    public static let milliliter = DoseUnit(rawValue: 6)
    /// Drops.
    public static let drop = DoseUnit(rawValue: 7)
    /// Puffs of an inhaler.
    public static let puff = DoseUnit(rawValue: 8)
    /// International units, as the substance defines them.
    public static let internationalUnit = DoseUnit(rawValue: 9)
    /// Units, if the label says no more than that.
    public static let unit = DoseUnit(rawValue: 10)
    /// Patches.
    public static let patch = DoseUnit(rawValue: 11)
    /// Applications to the skin, of a cream for example.
    public static let application = DoseUnit(rawValue: 12)
    /// Sprays.
    public static let spray = DoseUnit(rawValue: 13)
    /// Suppositories.
    public static let suppository = DoseUnit(rawValue: 14)
    /// Injections.
    public static let injection = DoseUnit(rawValue: 15)
    /// Sachets.
    public static let sachet = DoseUnit(rawValue: 16)
    /// Milliequivalents.
    public static let milliequivalent = DoseUnit(rawValue: 17)
    /// Teaspoons.
    public static let teaspoon = DoseUnit(rawValue: 18)
    /// Millimoles.
    public static let millimole = DoseUnit(rawValue: 19)

    /// The text on a face, without plural; empty if the unit is unknown.
    public var symbol: String {
        Int(rawValue) < Self.symbols.count ? Self.symbols[Int(rawValue)] : ""
    }

    private static let symbols = [
        "", "tablet", "capsule", "mg", "mcg", "g", "mL", "drop", "puff", "IU", "unit", "patch",
        "application", "spray", "suppository", "injection", "sachet", "mEq", "tsp", "mmol",
    ]
}
