import ControlProtocol

/// A run as one page that needs nothing but itself: `report.html`.
///
/// Its tables are markup, so that they read without scripts; its pictures are drawn from data
/// beside them by the page's own script. A policy in the page (Content Security Policy, level 3)
/// allows that script and the page's style by their SHA-256, and nothing else: no network.
package enum HTMLReport {
    /// The whole page; below 1 MB in UTF-8 whatever the run's length.
    package static func text(of report: Report) -> String {
        let columns = report.detail.map(RecordColumns.init)
        let style = HTMLStyle.text
        let script = HTMLScript.text
        let policy =
            "default-src 'none'; base-uri 'none'; form-action 'none'; "
            + "script-src '\(source(script))'; style-src '\(source(style))'"
        let data = JSONWriter.text(HTMLData.json(of: report, columns))
        let seed = report.seed.map { ", seed \($0)" } ?? ""
        let body = """
            \(HTMLTables.body(of: report, columns))
            <script type="application/json" id="data">\(HTMLText.embedded(data))</script>
            <script>\(script)</script>
            """
        return HTMLText.page(
            "rig \(report.verb), \(report.link)\(seed)", policy: policy, style: style, body)
    }

    /// How a policy names `text`, the bytes between the tags.
    static func source(_ text: String) -> String {
        "sha256-" + Base64.encode(SHA256.digest(of: Array(text.utf8)))
    }
}
