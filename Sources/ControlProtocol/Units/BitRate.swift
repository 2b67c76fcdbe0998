/// The data rate of a link: `700kbit/s` is 700,000 bits a second, `12kB/s` 96,000.
///
/// Prefixes are decimal (SI), as in data sheets of links: `k` is 1,000, never 1,024.
package struct BitRate: Quantity, Hashable {
    /// Bits a second.
    package var bitsPerSecond: UInt64

    /// Makes the rate of `bitsPerSecond` bits a second.
    package init(bitsPerSecond: UInt64) { self.bitsPerSecond = bitsPerSecond }

    private static let bitUnits = [
        UnitSize("bit/s", 1), UnitSize("kbit/s", 1000), UnitSize("Mbit/s", 1_000_000),
        UnitSize("Gbit/s", 1_000_000_000),
    ]
    private static let byteUnits = [
        UnitSize("B/s", 8), UnitSize("kB/s", 8000), UnitSize("MB/s", 8_000_000),
    ]

    /// Reads a rate such as `700kbit/s` or `12kB/s`.
    ///
    /// - Throws: the fault of `text`; its author is at fault.
    package init(quantity text: String) throws(QuantityError) {
        bitsPerSecond = try UnitSize.parse(text, units: Self.bitUnits + Self.byteUnits)
    }

    /// The rate in a readable unit of bits a second, such as `700 kbit/s`.
    package var meaning: String { UnitSize.describe(bitsPerSecond, units: Self.bitUnits) }
}
