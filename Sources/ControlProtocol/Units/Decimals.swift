/// Numbers as decimal text, without Foundation.
package enum Decimals {
    /// `value` with exactly `decimals` places after the point, rounded half away from zero.
    ///
    /// Magnitudes above 9·10⁸ are printed as in Swift.
    ///
    /// - Parameters:
    ///   - value: the number.
    ///   - decimals: 0 to 9.
    package static func fixed(_ value: Double, decimals: Int) -> String {
        guard value.isFinite, value.magnitude < 9e8, (0...9).contains(decimals) else {
            return "\(value)"
        }
        var scale: UInt64 = 1
        for _ in 0..<decimals { scale *= 10 }
        // Without `rounded()`, which would pull in the C mathematics library.
        let steps = UInt64(value.magnitude * Double(scale) + 0.5)
        let sign = value < 0 && steps > 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(steps)" }
        let rest = String(steps % scale)
        let padding = String(repeating: "0", count: decimals - rest.utf8.count)
        return "\(sign)\(steps / scale).\(padding)\(rest)"
    }

    /// `value` as in ``fixed(_:decimals:)``, without trailing zeros.
    package static func shortest(_ value: Double, decimals: Int) -> String {
        var text = fixed(value, decimals: decimals)
        guard text.contains(".") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    /// `value` with about three significant digits and at most three decimals, for tables.
    ///
    /// If three decimals would show zero, it has six: a nanosecond in milliseconds is `0.000001`,
    /// and less than that `<0.000001`.
    package static func table(_ value: Double) -> String {
        switch value.magnitude {
        case 100...: fixed(value, decimals: 0)
        case 10..<100: fixed(value, decimals: 1)
        case 1..<10: fixed(value, decimals: 2)
        case 0.0005..<1, 0: fixed(value, decimals: 3)
        case 0.000_000_5..<0.0005: shortest(value, decimals: 6)
        default: "\(value < 0 ? ">-" : "<")0.000001"
        }
    }
}
