import Testing

@testable import CommandLine
@testable import Reports

@Suite struct OutputFormatTests {
    @Test func names_are_read_in_any_order_and_kept_in_one() throws {
        let formats = try OutputFormats(argument: "markdown,json,table")
        #expect(formats.formats == [.table, .json, .markdown])
        #expect(formats.argumentText == "table,json,markdown")
        #expect(try OutputFormats(argument: OutputFormats.all.argumentText) == .all)
        let names = [
            "results.json", "junit.xml", "latency.hlog", "metrics.prom", "report.md", "report.html",
        ]
        #expect(OutputFormats.all.fileNames == names)
    }

    @Test(arguments: [
        (
            "jsno",
            "'jsno' is none of table, json, junit, hlog, prom, markdown, html; did you mean 'json'?"
        ),
        ("table,", "'' is none of table, json, junit, hlog, prom, markdown, html"),
        (
            "table, json",
            "' json' is none of table, json, junit, hlog, prom, markdown, html; "
                + "did you mean 'json'?"
        ),
        ("table,json,table", "'table' stands there twice"),
        ("JUNIT", "'JUNIT' is none of table, json, junit, hlog, prom, markdown, html"),
    ])
    func a_name_that_nobody_knows_is_refused(text: String, reason: String) {
        #expect(throws: ArgumentFault(reason)) { try OutputFormats(argument: text) }
    }
}
