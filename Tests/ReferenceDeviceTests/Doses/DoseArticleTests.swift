import Articles
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// The article says what the code does.
@Suite struct DoseArticleTests {
    private static let path = "Sources/ReferenceDevice/ReferenceDevice.docc/doses-in-fhir.md"

    private func rows(_ title: String) throws -> [[String]] {
        try #require(try MarkdownTable.below(title, in: Self.path)).rows
    }

    @Test func `Every extension is in the article with its kind of value`() throws {
        let listed = try rows("Extensions").map { ($0[0], $0[1]) }
        #expect(listed.map(\.0) == DoseFHIR.Name.allCases.map { "`\($0.rawValue)`" })
        var samples = DoseSamples(seed: 2)
        let text = String(decoding: DoseExporter.bytes(of: samples.events(300)), as: UTF8.self)
        for (name, kind) in listed {
            let url = #""url":"\#(DoseFHIR.base)\#(name.dropFirst().dropLast())","#
            let places = text.ranges(of: url)
            #expect(!places.isEmpty, "\(name)")
            let members = kind.split(separator: ", ").map { $0.dropFirst().dropLast() }
            for place in places {
                let value = text[place.upperBound...].prefix(400)
                let isText = value.hasPrefix(#""valueString""#)
                for member in members where !isText {
                    #expect(value.contains("\"\(member)\""), "\(name)")
                }
            }
        }
    }

    @Test func `Every status is in the article with its code`() throws {
        let listed = try rows("Overview")
        let statuses = DoseFHIR.statuses.map { [$0.name, "`\($0.code)`"] }
        #expect(Array(listed[..<3]) == statuses)
        #expect(listed[3][1] == "`entered-in-error`")
        let foreign = try rows("Doses of other programs")
        let named = foreign.map { $0[0] }.joined(separator: ", ")
        for code in FHIRDoses.statusCodes { #expect(named.contains("`\(code)`"), "\(code)") }
    }
}
