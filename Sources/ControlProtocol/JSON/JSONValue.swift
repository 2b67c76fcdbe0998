/// A JSON value (RFC 8259), without positions.
///
/// Whole numbers of 64 bits are exact. Strings compare as in Swift, by canonical equivalence; names
/// of members compare byte for byte.
package enum JSONValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// A truth value.
    case bool(Bool)
    /// A whole number that fits 64 bits, signed.
    case integer(Int64)
    /// A whole number above `Int64.max`; smaller ones are ``integer(_:)``.
    case unsigned(UInt64)
    /// Any other number. JSON has only finite ones; others are written as `null`.
    case number(Double)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members in order.
    case object(JSONObject)

    /// The value of a whole number: ``integer(_:)`` if it fits.
    package static func whole(_ value: some BinaryInteger) -> JSONValue {
        if let small = Int64(exactly: value) { return .integer(small) }
        if let large = UInt64(exactly: value) { return .unsigned(large) }
        return .number(Double(value))
    }
}

extension JSONValue {
    /// Whether this is `null`.
    package var isNull: Bool { self == .null }
    /// The truth value, if it is one.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The whole number, if it is one that fits.
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The whole number, if it is one that is not negative.
    package var unsigned: UInt64? {
        switch self {
        case .integer(let value): UInt64(exactly: value)
        case .unsigned(let value): value
        default: nil
        }
    }
    /// The number, if it is one; whole numbers above 2⁵³ are rounded.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
    /// The string, if it is one.
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements, if it is an array.
    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members, if it is an object.
    package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The member `name`, if it is an object that has it.
    package subscript(name: String) -> JSONValue? { object?[name] }

    /// The kind of this value, with its article: `a string`.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .integer, .unsigned, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// The string of the literal.
    package init(stringLiteral value: String) { self = .string(value) }
    /// The whole number of the literal.
    package init(integerLiteral value: Int64) { self = .integer(value) }
    /// The number of the literal, as exactly as a `Double` allows.
    package init(floatLiteral value: Double) { self = .number(value) }
    /// True or false, as the literal says.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array of the literal's elements, in their order.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// The value `null`.
    package init(nilLiteral: ()) { self = .null }
    /// An object whose members keep the order of the literal; of two equal names the later counts.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}
