/// A value of a statement's parameter.
package enum SQLValue: Hashable, Sendable {
    /// No value.
    case null
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
    /// A whole number.
    package init(integerLiteral value: Int64) { self = .integer(value) }
    /// Text.
    package init(stringLiteral value: String) { self = .text(value) }
    /// No value.
    package init(nilLiteral: ()) { self = .null }
}
