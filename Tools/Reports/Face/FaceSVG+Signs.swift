import WatchProtoRecords

/// The shapes of the signs. Each differs from the others without its colour.
extension FaceSVG {
    /// A sign around a middle.
    static func sign(
        _ sign: FaceSign, _ at: (x: Int, y: Int, size: Int), _ color: FaceColor,
        _ palette: FacePalette
    ) -> String {
        let isThin = palette.mode == .alwaysOn
        let scale = Double(at.size) / 24
        let lines = shapes(sign, isFilled: !isThin, ground: palette.ground.hex, color: color.hex)
        return """
            <g transform="translate(\(at.x) \(at.y)) scale(\(short(scale)))" \
            fill="none" stroke="\(color.hex)" stroke-width="\(isThin ? 2 : 3)" \
            stroke-linecap="round" stroke-linejoin="round">\(lines)</g>

            """
    }

    private static func short(_ number: Double) -> String {
        "\((number * 1000).rounded() / 1000)"
    }

    /// The shapes in a square of 24, with the middle at 0.
    private static func shapes(
        _ sign: FaceSign, isFilled: Bool, ground: String, color: String
    ) -> String {
        let fill = isFilled ? " fill=\"\(color)\"" : ""
        let inner = isFilled ? " stroke=\"\(ground)\"" : ""
        switch sign {
        case .nothing: return path("M-8,0 H8")
        case .done: return path("M-9,1 L-3,7 L9,-7")
        case .upcoming: return "<circle r=\"9.5\"/>" + path("M0,-5 V0 L4,3")
        case .snoozed: return path("M-7,-8 H5 L-7,6 H5 M6,2 H10 L6,8 H10")
        case .due:
            return "<circle r=\"10\"/><circle r=\"4\" fill=\"\(color)\" stroke=\"none\"/>"
        case .unchecked:
            return "<circle r=\"10.5\"/>" + path("M-3.5,-3.5 A3.6,3.6 0 1 1 0,0.8 V2 M0,5.8 V6")
        case .overdue:
            return path("M0,-9.5 L10.5,8.5 H-10.5 Z", fill)
                + path("M0,-3.5 V1.5 M0,5.5 V5.6", inner)
        case .conflicting: return path("M-9,-4 H9 M-9,4 H9 M-5,9.5 L5,-9.5")
        }
    }

    private static func path(_ data: String, _ attributes: String = "") -> String {
        "<path d=\"\(data)\"\(attributes)/>"
    }
}
