import Articles
import Foundation
import Testing
import WatchProto

/// The wire article says what the code does, where a table can be compared.
@Suite struct WireArticleTests {
    static let path = "Sources/FormerCore/FormerCore.docc/wire-format.md"

    @Test func the_table_of_lanes_is_the_code() throws {
        let table = try #require(try MarkdownTable.below("Numbers", in: Self.path))
        let rows = Lane.allCases.map { lane in
            let traits = lane.traits
            return [
                "\(lane)", traits.order == .ordered ? "ordered" : "newest per key",
                traits.isDurable ? "yes" : "no", traits.needsReachability ? "yes" : "no",
                Self.grouped(traits.offerWindow), Self.grouped(traits.byteWindow),
                Self.grouped(traits.recordByteLimit),
            ]
        }
        #expect(table.rows == rows)
    }

    @Test func the_table_of_frames_lists_every_type() throws {
        let table = try #require(try MarkdownTable.below("Frames", in: Self.path))
        // Of a type with a lane in it the table gives the first and the last.
        let codes = table.rows.map { String($0[0].prefix(4)) }
        #expect(
            codes
                == FrameType.allCases.map { type in
                    "0x" + (type.rawValue < 16 ? "0" : "")
                        + String(type.rawValue, radix: 16)
                        .uppercased()
                })
    }

    private static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return String(digits)
    }
}
