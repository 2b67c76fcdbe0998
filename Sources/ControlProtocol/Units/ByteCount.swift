/// A size in bytes: `200B`, `1kB` (1,000), `64KiB` (65,536), `1MB`.
package struct ByteCount: Quantity, Hashable {
    /// Bytes.
    package var bytes: UInt64

    /// Makes the size of `bytes` bytes.
    package init(bytes: UInt64) { self.bytes = bytes }

    private static let decimalUnits = [
        UnitSize("B", 1), UnitSize("kB", 1000), UnitSize("MB", 1_000_000),
        UnitSize("GB", 1_000_000_000),
    ]
    private static let binaryUnits = [
        UnitSize("KiB", 1 << 10), UnitSize("MiB", 1 << 20), UnitSize("GiB", 1 << 30),
    ]

    /// Reads a size such as `200B`, `1kB` or `64KiB`.
    ///
    /// - Throws: the fault of `text`; its author is at fault.
    package init(quantity text: String) throws(QuantityError) {
        bytes = try UnitSize.parse(text, units: Self.decimalUnits + Self.binaryUnits)
    }

    /// The size in a readable decimal unit of bytes, such as `1 kB`.
    package var meaning: String { UnitSize.describe(bytes, units: Self.decimalUnits) }
}
