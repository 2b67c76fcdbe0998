import Glibc

/// A colour of sRGB, with the contrast of WCAG 2.2.
package struct FaceColor: Hashable, Sendable {
    /// Red, from 0 to 255.
    package var red: UInt8
    /// Green, from 0 to 255.
    package var green: UInt8
    /// Blue, from 0 to 255.
    package var blue: UInt8

    /// Makes the colour of 24 bits, red in the highest byte.
    package init(_ bits: UInt32) {
        red = UInt8(truncatingIfNeeded: bits >> 16)
        green = UInt8(truncatingIfNeeded: bits >> 8)
        blue = UInt8(truncatingIfNeeded: bits)
    }

    /// As SVG has it: `#RRGGBB`.
    package var hex: String {
        [red, green, blue].reduce("#") { text, part in
            let digits = String(part, radix: 16, uppercase: true)
            return text + (digits.utf8.count < 2 ? "0" : "") + digits
        }
    }

    /// The relative luminance: 0 for black, 1 for white (WCAG 2.2).
    package var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    private static func linear(_ part: UInt8) -> Double {
        let share = Double(part) / 255
        guard share > 0.04045 else { return share / 12.92 }
        return pow((share + 0.055) / 1.055, 2.4)
    }

    /// The contrast ratio with `other`: from 1 for equal colours to 21 for black on white.
    package func contrast(with other: FaceColor) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    /// `share` of this colour, from 0 to 1, mixed with `other`.
    package func mixed(_ share: Double, with other: FaceColor) -> FaceColor {
        func part(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8(max(0, min(255, (Double(one) * share + Double(two) * (1 - share)).rounded())))
        }
        var mixed = self
        mixed.red = part(red, other.red)
        mixed.green = part(green, other.green)
        mixed.blue = part(blue, other.blue)
        return mixed
    }

    /// This colour, mixed with white on a dark ground and with black on a light one until it has
    /// `contrast` with it.
    package func legible(on ground: FaceColor, contrast least: Double) -> FaceColor {
        let end = FaceColor(ground.luminance < 0.18 ? 0xFFFFFF : 0)
        for step in 0...32 {
            let color = mixed(1 - Double(step) / 32, with: end)
            if color.contrast(with: ground) >= least { return color }
        }
        return end
    }
}
