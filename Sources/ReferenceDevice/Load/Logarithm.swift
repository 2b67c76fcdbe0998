internal import Glibc

/// The one function that the gaps of a Poisson stream need.
enum Logarithm {
    /// −ln(`value`) for a value in 0 < … ≤ 1: exponentially distributed when the value is uniform.
    static func ofInverse(_ value: Double) -> Double { -log(value) }
}
