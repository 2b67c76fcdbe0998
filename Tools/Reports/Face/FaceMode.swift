import CommandLine
package import WatchProtoRecords

/// The ways in which a watch shows a face.
package enum FaceMode: String, ArgumentChoice {
    /// Dark text on a light ground.
    case light
    /// Light text on black.
    case dark
    /// One colour of the wearer's choice on black.
    case tinted
    /// The dimmed display of a watch whose wearer looks away.
    case alwaysOn = "always-on"
}

/// The colours of a mode.
package struct FacePalette: Hashable, Sendable {
    /// The mode.
    package let mode: FaceMode
    /// The ground.
    package let ground: FaceColor
    /// Text of the first rank.
    package let text: FaceColor
    /// Text of the second rank.
    package let quiet: FaceColor
    /// The rest of a gauge.
    package let track: FaceColor
    /// The colours of the signs.
    private let tints: [FaceColor]

    /// The contrast of text with its ground: WCAG 2.2, success criterion 1.4.3.
    package static let textContrast = 4.5
    /// The contrast of signs and gauges with their ground: success criterion 1.4.11.
    package static let shapeContrast = 3.0

    /// The colours of `mode`.
    ///
    /// - Parameters:
    ///   - mode: the mode.
    ///   - accent: the wearer's colour in the tinted mode. It is made lighter where it would not be
    ///     legible.
    package init(_ mode: FaceMode, accent: FaceColor = FaceColor(0x64D2FF)) {
        self.mode = mode
        ground = FaceColor(mode == .light ? 0xFFFFFF : 0)
        switch mode {
        case .light:
            text = FaceColor(0x111111)
            quiet = FaceColor(0x505050)
            track = FaceColor(0xDDDDDD)
            tints = [0x1B6E3C, 0x8A5300, 0xB3261E].map { FaceColor($0) }
        case .dark:
            text = FaceColor(0xFFFFFF)
            quiet = FaceColor(0xB8B8B8)
            track = FaceColor(0x333333)
            tints = [0x5FD38D, 0xFFC24B, 0xFF8A80].map { FaceColor($0) }
        case .tinted:
            let legible = accent.legible(on: ground, contrast: 7)
            text = legible
            quiet = legible.mixed(0.8, with: ground).legible(on: ground, contrast: 4.6)
            track = legible.mixed(0.25, with: ground)
            tints = [legible, legible, legible]
        case .alwaysOn:
            text = FaceColor(0xA6A6A6)
            quiet = FaceColor(0x808080)
            track = FaceColor(0x222222)
            tints = [0x6F9F80, 0xA88E50, 0xBC7A74].map { FaceColor($0) }
        }
    }

    /// The colour of a tint.
    package func color(_ tint: FaceTint) -> FaceColor { tints[Int(tint.rawValue)] }

    /// The medication's colour as this mode shows it, so that it can be told from the ground.
    ///
    /// - Parameter color: red, green, blue and alpha, red in the highest byte.
    package func swatch(_ color: UInt32) -> FaceColor {
        let own = FaceColor(color >> 8)
        switch mode {
        case .light, .dark: return own.legible(on: ground, contrast: Self.shapeContrast)
        case .tinted: return tints[0]
        case .alwaysOn:
            return own.mixed(0.5, with: ground).legible(on: ground, contrast: Self.shapeContrast)
        }
    }
}
