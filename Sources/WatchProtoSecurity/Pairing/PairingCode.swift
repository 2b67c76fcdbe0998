/// The six digits that one device displays and the user enters on the other. A code is good for one
/// run and for ``PairingCoordinator/codeLife``.
///
/// Printing a code does not show its digits; ``text`` has them, for the display.
package struct PairingCode: Hashable, Sendable, CustomStringConvertible {
    /// The number of digits in a code.
    package static let digitCount = 6

    /// The digits, for the display.
    package let text: String

    /// Reads typed text: six digits, with spaces or hyphens anywhere between them. Nil for all
    /// other text.
    package init?(_ typed: String) {
        let digits = typed.unicodeScalars.filter { $0 != " " && $0 != "-" }
        guard digits.count == Self.digitCount,
            digits.allSatisfy({ ("0"..."9").contains($0) })
        else { return nil }
        text = String(String.UnicodeScalarView(digits))
    }

    /// Draws a code. All of the million codes are equally likely.
    init(_ random: RandomSource) {
        // 2³² is no multiple of a million: draws from the last, incomplete million are repeated.
        let limit = UInt32.max - UInt32.max % 1_000_000
        var draw: UInt32
        repeat { draw = LittleEndian.value(random.bytes(4)) } while draw >= limit
        let digits = String(draw % 1_000_000)
        text = String(repeating: "0", count: Self.digitCount - digits.count) + digits
    }

    /// A text without the digits, which must not be logged.
    package var description: String { "a pairing code" }
}
