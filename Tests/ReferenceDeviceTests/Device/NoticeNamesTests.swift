import Foundation
import Testing
import WatchProtoCore

@testable import ReferenceDevice

/// The articles list the codes that an advisory can bear, no more and no fewer.
@Suite struct NoticeNamesTests {
    private static func article(_ path: String) throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: package.appending(path: "Sources/\(path)"), encoding: .utf8)
    }

    private static let readable: [UInt8] = (0...UInt8.max).filter { code in
        let bytes: [UInt8] = [1, code]
        var reader = WireReader(bytes.span)
        return (try? AdvisoryPacket.read(&reader)) != nil
    }

    @Test func the_control_protocol_lists_the_meanings_that_occur() throws {
        let text = try Self.article("ControlProtocol/ControlProtocol.docc/commands-and-events.md")
        let match = try #require(text.firstMatch(of: #/`meaning` \(([^)]*)\)/#))
        let names = match.output.1.matches(of: #/`([a-z_]+)`/#).map { String($0.output.1) }
        #expect(names == Self.readable.compactMap { CloseCode(rawValue: $0).controlName })
        #expect(names.count == Self.readable.count)
        #expect(!match.output.1.contains("null"))
    }

    @Test func the_article_of_frames_lists_the_codes() throws {
        let text = try Self.article("WatchProtoCore/WatchProtoCore.docc/frames.md")
        let table = try #require(
            text.firstMatch(of: #/\| Code \| Close or advisory \|(?s:.*?)\n\n/#))
        let codes = table.output.matches(of: #/\n\| (\d+) \|/#).compactMap { UInt8($0.output.1) }
        #expect(codes == Self.readable)
    }
}
