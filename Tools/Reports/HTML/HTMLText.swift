/// Text of a page. Names that a run itself gives stand in it as text, never as markup.
enum HTMLText {
    /// `text` as it reads, between tags and in quoted attributes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // HTML has no sign for NUL.
            case "\0": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A page of this title; all else is markup.
    static func page(_ title: String, policy: String, style: String, _ body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(escaped(title))</title>
        <style>\(style)</style>
        </head>
        <body>
        \(body)
        </body>
        </html>

        """
    }

    /// JSON for a `script` element: no `<` in it, so that nothing in it ends the element or begins
    /// a comment.
    static func embedded(_ json: String) -> String {
        String(json.flatMap { $0 == "<" ? Array(#"\u003c"#) : [$0] })
    }

    /// A table with a head; the columns of `numbers` stand to the right. Cells are markup.
    ///
    /// - Parameter stacks: whether on a narrow page each row becomes a block of its own, in which
    ///   figures have their column's head beside them.
    /// - Parameter isNamed: whether cells know their column's head although nothing stacks.
    static func table(
        _ name: String, heads: [String], rows: [[String]], numbers: Range<Int> = 0..<0,
        stacks: Bool = false, isNamed: Bool = false
    ) -> String {
        func cell(_ tag: String, _ place: Int, _ text: String) -> String {
            let isNumber = numbers.contains(place)
            let isNamed = (stacks || isNamed) && tag == "td" && place > 0 && !heads[place].isEmpty
            let head = isNamed ? " data-head=\"\(escaped(heads[place]))\"" : ""
            return "<\(tag)\(isNumber ? " class=\"n\"" : "")\(head)>\(text)</\(tag)>"
        }
        let head = heads.enumerated().map { cell("th scope=\"col\"", $0, $1) }
            .map { $0.replacing("</th scope=\"col\">", with: "</th>") }
        let body = rows.map { row in
            "<tr>" + row.enumerated().map { cell("td", $0, $1) }.joined() + "</tr>\n"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(escaped(name))">
            <table id="table-\(escaped(name.lowercased().replacing(" ", with: "-")))"\
            \(stacks ? " class=\"stacks\"" : "")>
            <thead><tr>\(head.joined())</tr></thead>
            <tbody>
            \(body.joined())</tbody></table></div>

            """
    }
}
