/// A run of seeds, both ends included: `1..10000`, or a single seed `7`.
package struct SeedRange: ArgumentValue, Hashable {
    /// The seeds.
    package var seeds: ClosedRange<UInt64>

    /// Makes the run of `seeds`.
    package init(_ seeds: ClosedRange<UInt64>) { self.seeds = seeds }

    /// Reads `first..last` or a single seed.
    ///
    /// - Throws: that it is no such run, or ends before it begins; the user is at fault.
    package init(argument: String) throws(ArgumentFault) {
        let (first, last): (String, String)
        if let dots = Self.indexOfDots(argument) {
            first = String(argument[..<dots])
            last = String(argument[argument.index(dots, offsetBy: 2)...])
        } else {
            (first, last) = (argument, argument)
        }
        guard let low = UInt64(first), let high = UInt64(last) else {
            throw ArgumentFault("a whole number, or two with '..' between, is needed")
        }
        guard low <= high else { throw ArgumentFault("it ends before it begins") }
        seeds = low...high
    }

    /// The run with both ends, such as `7..7`.
    package var argumentText: String { "\(seeds.lowerBound)..\(seeds.upperBound)" }

    private static func indexOfDots(_ text: String) -> String.Index? {
        text.indices.first { text[$0...].hasPrefix("..") }
    }
}
