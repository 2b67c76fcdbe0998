/// A range of names: those whose ``VersionDigest/place(of:)`` begins with some hexadecimal digits.
struct HeldRange: WireCoded, Hashable, Sendable {
    /// 1, then the digits: 1 is the range of all names.
    private(set) var number: UInt64 = 1

    /// Parts of a range, one for each further digit.
    static let parts = 16
    /// Digits of the smallest ranges.
    private static let mostDigits = 6

    /// The range of all names.
    init() {}

    init(number: UInt64) { self.number = number }

    /// The range of a place that has this many digits.
    private init(_ place: UInt64, digits: Int) {
        number = 1 << UInt64(4 * digits) | place >> UInt64(64 - 4 * digits)
    }

    private var digits: Int { (63 - number.leadingZeroBitCount) / 4 }

    var isAll: Bool { number == 1 }
    /// Whether the range is not divided further.
    var isSmallest: Bool { digits == Self.mostDigits }

    /// The ranges with one digit more.
    var parts: [HeldRange] {
        (0..<UInt64(Self.parts)).map { HeldRange(number: number << 4 | $0) }
    }

    /// The ranges that a place is in, from that of all names down.
    static func around(_ place: UInt64) -> [HeldRange] {
        (0...mostDigits).map { HeldRange(place, digits: $0) }
    }

    func contains(_ place: UInt64) -> Bool { HeldRange(place, digits: digits) == self }

    /// Finds the names of the range in a list of names.
    ///
    /// - Parameter places: the places of the names in the list, in ascending order.
    /// - Returns: the positions of those in the range.
    func rows(in places: [UInt64]) -> Range<Int> {
        let first = number << UInt64(64 - 4 * digits)
        let last = first | ((1 << UInt64(64 - 4 * digits)) &- 1)
        let start = Self.count(of: places) { $0 < first }
        return start..<max(start, Self.count(of: places) { $0 <= last })
    }

    /// The number of places, in ascending order, up to which a condition holds.
    private static func count(of places: [UInt64], _ holds: (UInt64) -> Bool) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(places[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    var isValid: Bool {
        number > 0 && (63 - number.leadingZeroBitCount) % 4 == 0 && digits <= Self.mostDigits
    }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        let start = c.offset
        try c.varint(&number, "range of names")
        try c.check(isValid, .outOfRange, at: start, "range of names", number)
    }
}
