/// The six digits that one device shows and the other is given: good for one run and for
/// ``PairingDesk/codeLife``.
///
/// Printing one does not show it; ``text`` does, for the display.
package struct PairingCode: Hashable, Sendable, CustomStringConvertible {
    /// How many digits a code has.
    package static let digitCount = 6

    /// The digits, for the display.
    package let text: String

    /// Takes what somebody typed: six digits, with spaces or hyphens between them as they please.
    /// Nil for everything else.
    package init?(_ typed: String) {
        let digits = typed.unicodeScalars.filter { $0 != " " && $0 != "-" }
        guard digits.count == Self.digitCount,
            digits.allSatisfy({ ("0"..."9").contains($0) })
        else { return nil }
        text = String(String.UnicodeScalarView(digits))
    }

    /// Draws a code, each of the million as likely as the next.
    init(_ random: RandomSource) {
        // 2³² is no multiple of a million: draws from the last, incomplete million are repeated.
        let limit = UInt32.max - UInt32.max % 1_000_000
        var draw: UInt32
        repeat { draw = LittleEndian.value(random.bytes(4)) } while draw >= limit
        let digits = String(draw % 1_000_000)
        text = String(repeating: "0", count: Self.digitCount - digits.count) + digits
    }

    /// Not the digits: they do not belong into a log.
    package var description: String { "a pairing code" }
}
