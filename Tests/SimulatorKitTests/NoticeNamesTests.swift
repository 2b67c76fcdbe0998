import Foundation
import Testing
import WatchProto

@testable import SimulatorKit

/// The articles list the codes that a notice can bear, no more and no fewer.
@Suite struct NoticeNamesTests {
    private static func article(_ path: String) throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: package.appending(path: "Sources/\(path)"), encoding: .utf8)
    }

    private static let readable: [UInt8] = (0...UInt8.max).filter { code in
        let bytes: [UInt8] = [0, code]
        var reader = WireReader(bytes.span)
        return (try? NoticePacket.read(&reader)) != nil
    }

    @Test func the_control_protocol_lists_the_meanings_that_occur() throws {
        let text = try Self.article("ControlKit/ControlKit.docc/ControlProtocol.md")
        let match = try #require(text.firstMatch(of: #/`meaning` \(([^)]*)\)/#))
        let names = match.output.1.matches(of: #/`([a-z_]+)`/#).map { String($0.output.1) }
        #expect(names == Self.readable.compactMap { CloseCode(rawValue: $0).controlName })
        #expect(names.count == Self.readable.count)
        #expect(!match.output.1.contains("null"))
    }

    @Test func the_wire_article_tells_notice_codes_from_close_codes() throws {
        let text = try Self.article("FormerCore/FormerCore.docc/wire-format.md")
            .replacing("\n", with: " ")
        let range = try #require(text.firstMatch(of: #/Notice codes: (\d+) to (\d+),/#)).output
        #expect(
            Self.readable == Array(try #require(UInt8(range.1))...(try #require(UInt8(range.2)))))
        let list = try #require(text.firstMatch(of: #/Close codes: ([^.]*)\./#)).output.1
        let named = list.split(separator: ", ").map { String($0).replacing(#/^\d+ /#, with: "") }
        let codes = (0...UInt8.max).compactMap { CloseCode(rawValue: $0).controlName }
        #expect(named == codes.map { $0.replacing("_", with: " ") })
    }
}
