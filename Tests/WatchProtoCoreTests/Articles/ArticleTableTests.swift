import Articles
import Testing

@testable import WatchProtoCore

/// The tables of the articles say what the code does.
@Suite("Tables of the articles")
struct ArticleTableTests {
    private static let folder = "Sources/WatchProtoCore/WatchProtoCore.docc/"

    private func rows(_ title: String, _ article: String) throws -> [[String]] {
        try #require(try MarkdownTable.below(title, in: Self.folder + article)).rows
    }

    @Test("Every type of frame stands in the table, under its code")
    func frames() throws {
        let rows = try rows("Overview", "frames.md")
        #expect(rows.map { $0[1] } == FrameType.allCases.map { "\($0)" })
        for (row, type) in zip(rows, FrameType.allCases) {
            #expect(row[0].hasPrefix("0x" + hex(type.rawValue)), "\(type)")
        }
    }

    @Test("Every kind of packet stands in the table, under its code")
    func packets() throws {
        let rows = try rows("Packets", "wire-format.md")
        #expect(rows.map { $0[1] } == PacketKind.allCases.map { "\($0.rawValue)" })
        let names = ["transport", "early", "message 1", "message 2"]
        #expect(rows.map { $0[0] } == names + PacketKind.allCases[4...].map { "\($0)" })
    }

    @Test("The table of channels has the limits of the code")
    func channels() throws {
        let rows = try rows("Channels and kinds", "wire-format.md")
        #expect(rows.count == Channel.count)
        for (row, channel) in zip(rows, Channel.allCases.sorted { $0.rawValue < $1.rawValue }) {
            let traits = channel.traits
            let isOrdered = traits.order == .ordered
            let credit = "\(grouped(traits.recordWindow)), \(grouped(traits.byteWindow))"
            #expect(
                row == [
                    "\(channel.rawValue)", "\(channel)", isOrdered ? "ordered" : "latest value",
                    traits.isDurable ? "yes" : "no", traits.travelsEarly ? "yes" : "no",
                    grouped(traits.recordByteLimit), isOrdered ? credit : "",
                    isOrdered ? "" : grouped(traits.setByteLimit),
                ])
        }
    }

    @Test("The codes of a close frame are those of the code")
    func closeCodes() throws {
        let rows = try rows("Session", "frames.md")
        #expect(rows.map { $0[0] } == (0...CloseCode.largest.rawValue).map { "\($0)" })
    }

    @Test("Every change of the counterpart stands in the table")
    func changes() throws {
        let rows = try rows("Changes of the counterpart", "identity.md").map { $0[0] }
        let names = CounterpartChange.allCases.map { $0 == .wentBack ? "went back" : "\($0)" }
        #expect(rows.sorted() == names.sorted())
    }

    @Test("The limits are those of the code")
    func limits() throws {
        let limits = Limits()
        let rows = try rows("Limits", "wire-format.md").map { $0[1] }
        let first = grouped(ConnectionConfiguration.firstPacketBytes)
        #expect(
            rows == [
                "\(grouped(limits.streamPacketBytes)) bytes, before one has authenticated \(first)",
                "\(grouped(limits.largestDatagramBytes)) bytes",
                "\(limits.handshakeBytes) bytes",
                grouped(RecordAddress.largestIndex),
                "\(limits.acknowledgementRanges)",
                grouped(Int(ValueAcknowledgementFrame.versionLimit)),
                "\(EpochListFrame.limit); in *heldQuery* and *heldDigest* "
                    + "\(HeldQueryFrame.epochLimit)",
                "\(HeldQueryFrame.rangeLimit), and \(4 * RangeSearch.window)",
                grouped(ValueFrame.handles),
                "\(limits.earlyPackets), and \(grouped(limits.earlyBytes))",
                "\(limits.assemblies); in an ordered channel also more, within its windows",
                grouped(limits.requests),
                grouped(limits.exceptionRanges),
            ])
    }

    private func hex(_ byte: UInt8) -> String {
        Hex.string([byte]).uppercased()
    }

    /// A number with commas, as the articles write it.
    private func grouped(_ number: Int) -> String {
        var text = "\(number)"
        var end = text.endIndex
        while text.distance(from: text.startIndex, to: end) > 3 {
            end = text.index(end, offsetBy: -3)
            text.insert(",", at: end)
        }
        return text
    }
}
