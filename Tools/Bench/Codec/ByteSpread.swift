/// Bytes of one thing over all samples of it.
package struct ByteSpread: Hashable, Sendable {
    /// The mean, in bytes.
    package var mean: Double
    /// The most, in bytes.
    package var largest: Int

    init(_ sizes: [Int]) {
        mean = Double(sizes.reduce(0, +)) / Double(max(1, sizes.count))
        largest = sizes.max() ?? 0
    }
}
