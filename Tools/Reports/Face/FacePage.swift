package import WatchProtoRecords

/// Faces on one page, to be looked at: each state in each mode, in all families.
package enum FacePage {
    /// A state with its name.
    package struct Row: Sendable {
        /// The name of the state.
        package var name: String
        /// The state.
        package var scene: FaceScene

        /// Makes the row.
        package init(_ name: String, _ scene: FaceScene) {
            self.name = name
            self.scene = scene
        }
    }

    /// The page. It needs no script and no network.
    ///
    /// - Parameters:
    ///   - rows: the states.
    ///   - families: the families, in their order.
    ///   - palettes: the modes with their colours.
    package static func html(
        _ rows: [Row], _ families: [FaceFamily], _ palettes: [FacePalette]
    ) -> String {
        let policy =
            "default-src 'none'; img-src data:; style-src '\(HTMLReport.source(style))'"
        var body = "<h1>Faces</h1>\n"
        for (number, row) in rows.enumerated() {
            body += "<h2>\(HTMLText.escaped(row.name))</h2>\n"
            for palette in palettes {
                let name = palette.mode.rawValue
                body += "<section class=\"\(name)\"><h3>\(name)</h3>\n"
                for family in families {
                    let content = FaceContent(family, row.scene.seen(in: palette.mode))
                    body += FaceSVG.draw(
                        content, palette, identifier: "edge-\(number)-\(name)-\(family)")
                }
                body += "</section>\n"
            }
            let said = FaceContent(.rectangular, row.scene).accessibility
            body += "<p>\(HTMLText.escaped(said))</p>\n"
        }
        return HTMLText.page("Faces", policy: policy, style: style, body)
    }

    private static let style = """
        body { font-family: sans-serif; margin: 1rem; background: #7A7A7A; color: #000 }
        section { display: inline-flex; flex-wrap: wrap; gap: .6rem; align-items: center;
          margin: .2rem; padding: .6rem; border-radius: .6rem; background: #606060 }
        section.light { background: #C9C9C9 }
        h1, h2 { margin: .6rem 0 .2rem } h2 { font-size: 1rem }
        h3 { font-size: .8rem; width: 4.5rem; margin: 0; color: #FFF }
        section.light h3 { color: #000 }
        p { margin: .2rem; max-width: 60rem }
        """
}

extension FaceScene {
    /// The same state as a mode shows it.
    package func seen(in mode: FaceMode) -> FaceScene {
        var scene = self
        scene.isDimmed = mode == .alwaysOn
        // This mode has one colour, and a picture has more.
        if mode == .tinted { scene.drug?.picture = nil }
        return scene
    }
}
