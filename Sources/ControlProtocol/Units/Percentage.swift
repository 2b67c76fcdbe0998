/// A share of a whole, 0% to 100%, exact to a millionth.
package struct Percentage: Quantity, Hashable {
    /// Millionths of the whole.
    package var millionths: UInt64

    /// Makes the share of `millionths` millionths.
    ///
    /// - Precondition: at most 1,000,000; the caller is at fault otherwise.
    package init(millionths: UInt64) {
        precondition(millionths <= 1_000_000)
        self.millionths = millionths
    }

    /// Reads a share such as `2.5%`.
    ///
    /// - Throws: the fault of `text`, for example if it is over 100%; its author is at fault.
    package init(quantity text: String) throws(QuantityError) {
        let value = try UnitSize.parse(text, units: [UnitSize("%", 10_000)])
        guard value <= 1_000_000 else {
            throw QuantityError("it must be 0% to 100%")
        }
        millionths = value
    }

    /// The share as a number from 0 to 1.
    package var fraction: Double { Double(millionths) / 1_000_000 }

    /// The share in percent, to at most four decimals, such as `2.5 %`.
    package var meaning: String {
        "\(Decimals.shortest(Double(millionths) / 10_000, decimals: 4)) %"
    }
}
