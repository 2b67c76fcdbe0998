import ControlProtocol
import Foundation
import FoundationXML
import Testing

@testable import Reports

/// The elements that a reader of XML finds in a document.
final class XMLElements: NSObject, XMLParserDelegate {
    struct Element {
        var name: String
        var attributes: [String: String]
        var depth: Int
        var text = ""
    }

    private(set) var elements: [Element] = []
    private var open: [Int] = []

    /// Nil where the document is not well formed.
    init?(_ text: String) {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        guard parser.parse(), open.isEmpty else { return nil }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        elements.append(Element(name: name, attributes: attributes, depth: open.count))
        open.append(elements.count - 1)
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) { open.removeLast() }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if let last = open.last { elements[last].text += text }
    }

    func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }
}

@Suite struct JUnitReportTests {
    static func sample() -> Report {
        var report = HistogramLogTests.sample()
        report.rows[3].measurement?.worst = LatencySeries.Worst(
            message: "complication 233", atNanoseconds: 11_650_000_000,
            latencyNanoseconds: 911_000_000)
        report.host = ["cpus": 2, "placement": "apart"]
        return report
    }

    @Test func the_file_reads_as_specified() {
        #expect(
            JUnitReport.text(Self.sample()) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="rig demo" tests="10" failures="3" errors="0" skipped="4" \
                time="10.24">
                  <testsuite name="rig demo" tests="10" failures="3" errors="0" skipped="4" \
                time="10.24" timestamp="2023-11-14T22:13:20.123Z">
                    <properties>
                      <property name="version" value="0.1.0"/>
                      <property name="seed" value="42"/>
                      <property name="link" value="loopback"/>
                      <property name="complete" value="true"/>
                      <property name="passed" value="false"/>
                      <property name="repeat" value="rig demo --seed 42"/>
                      <property name="load" value="300 msg/s (open loop)"/>
                      <property name="host.cpus" value="2"/>
                      <property name="host.placement" value="apart"/>
                    </properties>
                    <testcase classname="demo/loopback" name="phone-watch sync, one change p99" \
                time="0.412">
                      <system-out>PASS: 412 ms; target &lt;= 1000 ms, max 3000 ms, n=1200
                not durable yet</system-out>
                    </testcase>
                    <testcase classname="demo/loopback" name="data sync, list of 50" time="0.7">
                      <system-out>WARN: 700 ms; target &lt;= 500 ms, max 2000 ms, n=50
                not durable yet</system-out>
                    </testcase>
                    <testcase classname="demo/loopback" name="message delivery p99" time="0">
                      <skipped message="TOO FEW: too few samples; \
                target &lt;= 200 ms, max 1000 ms, \
                n=7, 1000 needed"/>
                    </testcase>
                    <testcase classname="demo/loopback" name="complication update p99" \
                time="0.6124">
                      <failure message="FAIL: 612 ms; target &lt;= 100 ms, max 500 ms, n=1200; \
                worst: complication 233 at 11.65 s" type="FAIL">FAIL: 612 ms; \
                target &lt;= 100 ms, max 500 ms, n=1200; worst: complication 233 at 11.65 s
                repeat: rig demo --seed 42</failure>
                    </testcase>
                    <testcase classname="demo/loopback" name="50 items on the wire" time="0">
                      <skipped message="TOO FEW: too few samples; \
                target &lt;= 1 MB, n=3, 50 needed"/>
                    </testcase>
                    <testcase classname="demo/loopback" name="delivered exactly once" time="0">
                      <failure message="FAIL: 99.99 %; target 100 %, n=1" type="FAIL">FAIL: \
                99.99 %; target 100 %, n=1
                1 lost
                repeat: rig demo --seed 42</failure>
                    </testcase>
                    <testcase classname="demo/loopback" name="sync stress, rate" time="0">
                      <system-out>no goal: 5123 /s; n=100</system-out>
                    </testcase>
                    <testcase classname="demo/loopback" name="sync push, idle link, worst" \
                time="0">
                      <failure message="NODATA: nothing was measured; target &lt;= 500 ms, n=0" \
                type="NODATA">NODATA: nothing was measured; target &lt;= 500 ms, n=0
                not durable yet
                repeat: rig demo --seed 42</failure>
                    </testcase>
                    <testcase classname="demo/loopback" name="background sync task, one core" \
                time="0">
                      <skipped message="not built: nothing measures it yet"/>
                    </testcase>
                    <testcase classname="demo/loopback" name="imagined metric p99" time="0">
                      <skipped message="not built: nothing measures it yet"/>
                    </testcase>
                    <system-out>note: the link is UNSEALED</system-out>
                  </testsuite>
                </testsuites>

                """)
    }

    /// The counts of a suite are the counts of its elements, whatever the policy.
    @Test(arguments: [
        (GatePolicy(), true, 3, 4), (GatePolicy(warnFails: true), true, 4, 4),
        (GatePolicy(fewFails: true), true, 5, 2),
        (GatePolicy(warnFails: true, fewFails: true), false, 6, 2),
    ])
    func counts_match(policy: GatePolicy, isComplete: Bool, failures: Int, skipped: Int) throws {
        var report = Self.sample()
        report.policy = policy
        report.isComplete = isComplete
        let document = try #require(XMLElements(JUnitReport.text(report)))
        let errors = isComplete ? 0 : 1
        for suite in document.all("testsuite") + document.all("testsuites") {
            #expect(suite.attributes["tests"] == "\(10 + errors)")
            #expect(suite.attributes["failures"] == "\(failures)")
            #expect(suite.attributes["skipped"] == "\(skipped)")
            #expect(suite.attributes["errors"] == "\(errors)")
        }
        #expect(document.all("testcase").count == 10 + errors)
        #expect(document.all("failure").count == failures)
        #expect(document.all("skipped").count == skipped)
        #expect(document.all("error").count == errors)
        let complete = document.all("property").first { $0.attributes["name"] == "complete" }
        #expect(complete?.attributes["value"] == "\(isComplete)")
        if !isComplete {
            #expect(document.all("testcase").last?.attributes["name"] == "run complete")
            #expect(document.all("error")[0].attributes["type"] == "INCOMPLETE")
        }
    }

    @Test func hostile_text_comes_back_as_it_was() throws {
        var report = Self.sample()
        let text = "<a b=\"'&]]>\u{1F600}\té\n\r\u{0}\u{1B}[31m\u{FFFE}x"
        let allowed = "<a b=\"'&]]>\u{1F600}\té\n\r\u{FFFD}\u{FFFD}[31m\u{FFFD}x"
        report.link = text
        report.repeatCommand = text
        report.notes = [text]
        report.rows[5].measurement?.remark = text
        report.rows[5].caveat = text
        let document = try #require(XMLElements(JUnitReport.text(report)))
        #expect(document.all("testcase")[0].attributes["classname"] == "demo/\(allowed)")
        let link = document.all("property").first { $0.attributes["name"] == "link" }
        #expect(link?.attributes["value"] == allowed)
        #expect(document.all("system-out").last?.text == "note: \(allowed)")
        let failure = try #require(document.all("failure").first { $0.text.contains("99.99") })
        #expect(failure.text.hasSuffix("\(allowed)\n\(allowed)\nrepeat: \(allowed)"))
        #expect(XMLElements("<a>\u{0}</a>") == nil)
        #expect(XMLElements("<a><b></a>") == nil)
    }
}
