internal import ControlProtocol
package import WatchProtoRecords

/// A face's family as SVG.
package enum FaceSVG {
    /// The drawing.
    ///
    /// - Parameters:
    ///   - content: the content.
    ///   - palette: the colours.
    ///   - identifier: a word that no other drawing of a page has.
    package static func draw(
        _ content: FaceContent, _ palette: FacePalette, identifier: String = "face"
    ) -> String {
        let drawing = FaceDrawing(content.family, hasPicture: content.picture != nil)
        let (width, height) = (drawing.width, drawing.height)
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
            width="\(width)" height="\(height)" role="img" \
            font-family="'DejaVu Sans', sans-serif">
            <title>\(XMLText.content(content.accessibility))</title>
            \(ground(content.family, drawing, palette))

            """
        svg += gauge(content, palette)
        let tint = palette.color(content.sign.tint)
        svg += sign(content.sign, drawing.sign, tint, palette)
        if let picture = content.picture { svg += image(picture, palette) }
        for line in content.lines(drawing.fits) {
            guard let place = drawing.place(line.place) else { continue }
            svg += text(line, place, content, palette, identifier)
        }
        return svg + "</svg>\n"
    }

    private static func ground(
        _ family: FaceFamily, _ drawing: FaceDrawing, _ palette: FacePalette
    ) -> String {
        let fill = palette.ground.hex
        switch family {
        case .circular: return "<circle cx=\"60\" cy=\"60\" r=\"60\" fill=\"\(fill)\"/>"
        case .rectangular, .inline, .corner:
            let radius = family == .corner ? 24 : 12
            return "<rect width=\"\(drawing.width)\" height=\"\(drawing.height)\" rx=\"\(radius)\" "
                + "fill=\"\(fill)\"/>"
        }
    }

    /// A thumbnail, cut to a square.
    private static func image(_ jpeg: [UInt8], _ palette: FacePalette) -> String {
        let (x, y, side) = FaceDrawing.picture
        let dimming = palette.mode == .alwaysOn ? " opacity=\"0.5\"" : ""
        return """
            <image x="\(x)" y="\(y)" width="\(side)" height="\(side)"\(dimming) \
            preserveAspectRatio="xMidYMid slice" \
            href="data:image/jpeg;base64,\(Base64.encode(jpeg))"/>

            """
    }

    // MARK: Text

    private static func text(
        _ line: ShownLine, _ place: FaceDrawing.Place, _ content: FaceContent,
        _ palette: FacePalette, _ identifier: String
    ) -> String {
        let fill = (place.isQuiet ? palette.quiet : palette.text).hex
        let weight = place.isBold && palette.mode != .alwaysOn ? " font-weight=\"bold\"" : ""
        let style = "font-size=\"\(place.size)\" fill=\"\(fill)\"\(weight)"
        let words = XMLText.content(line.text)
        var svg = ""
        if content.family == .corner, line.place == .label {
            let radius = FaceDrawing.edge
            let name = XMLText.attribute(identifier)
            svg += """
                <path id="\(name)" d="M\(place.x - radius),\(place.y) \
                A\(radius),\(radius) 0 0 1 \(place.x),\(place.y - radius)" fill="none"/>
                <text \(style) text-anchor="middle"><textPath href="#\(name)" \
                startOffset="50%">\(words)</textPath></text>

                """
            return svg
        }
        if content.family == .rectangular, line.place == .body, content.picture == nil,
            let color = content.color
        {
            svg += """
                <rect x="12" y="\(place.y - 18)" width="5" height="23" rx="2" \
                fill="\(palette.swatch(color).hex)"/>

                """
        }
        let isIndented = content.family == .rectangular && line.place == .body
        let x = isIndented && content.color == nil ? 12 : place.x
        svg += """
            <text x="\(x)" y="\(place.y)" \(style) text-anchor="\(place.anchor)">\(words)</text>

            """
        return svg
    }

    // MARK: Gauges

    private static func gauge(_ content: FaceContent, _ palette: FacePalette) -> String {
        let share = content.gauge.map { gauge in
            gauge.total == 0 ? 0 : min(1, Double(gauge.taken) / Double(gauge.total))
        }
        let isThin = palette.mode == .alwaysOn
        let tint = palette.color(content.sign.tint).hex
        let track = palette.track.hex
        switch content.family {
        case .inline: return ""
        case .rectangular:
            guard let share else { return "" }
            let (y, height) = isThin ? (117, 5) : (114, 10)
            func bar(_ width: Int, _ fill: String) -> String {
                "<rect x=\"12\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" "
                    + "rx=\"\(height / 2)\" fill=\"\(fill)\"/>\n"
            }
            return bar(316, track) + (share > 0 ? bar(max(height, Int(316 * share)), tint) : "")
        case .circular:
            return ring((60, 60), 54, 1, share, isThin ? 4 : 8, tint, track)
        case .corner:
            return ring((150, 150), 112, 0.25, share, isThin ? 4 : 8, tint, track)
        }
    }

    /// An arc of `part` of a circle, clockwise from its top or, for a corner, from its left.
    private static func ring(
        _ center: (x: Int, y: Int), _ radius: Int, _ part: Double, _ share: Double?, _ width: Int,
        _ tint: String, _ track: String
    ) -> String {
        guard let share else { return "" }
        // The path has the length of 1,000.
        let begin = part < 1 ? 180 : -90
        func arc(_ length: Double, _ stroke: String) -> String {
            "<circle cx=\"\(center.x)\" cy=\"\(center.y)\" r=\"\(radius)\" fill=\"none\" "
                + "stroke=\"\(stroke)\" stroke-width=\"\(width)\" pathLength=\"1000\" "
                + "stroke-dasharray=\"\(Int(length)) 1000\" "
                + "transform=\"rotate(\(begin) \(center.x) \(center.y))\"/>\n"
        }
        return arc(1000 * part, track) + (share > 0 ? arc(1000 * part * share, tint) : "")
    }
}
