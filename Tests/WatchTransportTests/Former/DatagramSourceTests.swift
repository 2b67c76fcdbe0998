import Articles
import Testing
import WatchProto

@testable import WatchTransport

/// Both sides of the link of two datagram sockets, against a bare socket in the place of the other.
@Suite struct DatagramSourceTests {
    static let article = "Sources/WatchTransport/WatchTransport.docc/datagram-link.md"

    /// One side, and what is in the place of the other.
    final class Bench {
        let directory = TemporaryDirectory()
        let source: DatagramSource
        let other: BareSocket
        private let side: LinkSide
        private var carrier: (any Carrier)?
        /// The link this side knows: the one that is open, or hailed.
        private(set) var link: UInt32 = 0x0101_0101
        private(set) var state = "unlinked"

        init(_ side: LinkSide) throws {
            self.side = side
            let path = directory.file("s")
            let paths = side == .listening ? (path + ".peer", path) : (path, path + ".peer")
            other = try BareSocket(at: paths.0, to: paths.1)
            source = DatagramSource(path: path, side: side)
            try source.prepare()
            _ = heard()
        }

        deinit {
            carrier?.close()
            source.close(leavingFiles: false)
        }

        /// Brings this side into a state of the table.
        func enter(_ state: String) {
            switch (side, state) {
            case (.listening, "open"): say(.hail, link: link)
            case (.connecting, "hailed"), (.connecting, "open"):
                note(source.open(.asked))
                _ = heard()
                if state == "open" { say(.welcome, link: link) }
            default: break
            }
        }

        /// Says something to this side and lets it do what its driver would; gives what it said.
        @discardableResult
        func say(_ code: DatagramDoor.Kind, link: UInt32) -> [String] {
            let number = (0..<4).map { UInt8(truncatingIfNeeded: link >> (8 * $0)) }
            other.send(
                [code.rawValue] + number + (code == .packet || code == .opening ? [1, 2, 3] : []))
            guard let carrier else {
                note(source.open(.sign))
                return heard()
            }
            var buffer = [UInt8](repeating: 0, count: 64)
            var span = buffer.mutableSpan
            switch carrier.read(into: &span) {
            case .bytes: state = "taken"
            case .ended:
                self.carrier = nil
                state = "unlinked"
                carrier.close()
                note(source.open(.sign))
            default: break
            }
            return heard()
        }

        /// Asks this side for a link, as its driver does.
        func open(_ occasion: OpeningOccasion) { note(source.open(occasion)) }

        /// Closes the link from this side.
        func close() {
            carrier?.close()
            carrier = nil
            state = "unlinked"
        }

        private func note(_ opening: CarrierOpening) {
            switch opening {
            case .opened(let carrier):
                self.carrier = carrier
                state = "open"
            case .failed: state = "failed"
            default: break
            }
        }

        /// What this side has said since, in order; a hail or welcome tells its link.
        func heard() -> [String] {
            var said: [String] = []
            while let bytes = other.receive() {
                guard let code = DatagramDoor.Kind(rawValue: bytes[0]) else { continue }
                said.append("\(code)")
                if code == .hail {
                    state = "hailed"
                    link = (0..<4).reduce(0) { $0 | UInt32(bytes[1 + $1]) << UInt32(8 * $1) }
                }
            }
            return said
        }
    }

    /// What a side does, as the cells of the article have it: the state that follows, "–" when it
    /// is the same, and what it says.
    private static func cells(_ side: LinkSide, _ state: String, own: Bool) throws -> [String] {
        try DatagramDoor.Kind.allCases.map { code in
            let bench = try Bench(side)
            bench.enter(state)
            #expect(bench.state == state)
            let said = bench.say(code, link: own ? bench.link : bench.link ^ 0xFF)
            let isHailing = said.contains("hail")
            let isAnew = isHailing || said.contains("welcome")
            let next = bench.state == state && !isAnew ? "–" : bench.state
            return said.isEmpty ? next : next + "; " + said.joined(separator: ", ")
        }
    }

    @Test(arguments: [LinkSide.listening, .connecting])
    func the_table_of_the_article_is_the_code(_ side: LinkSide) throws {
        let title = side == .listening ? "The listening side" : "The connecting side"
        let table = try #require(try MarkdownTable.below(title, in: Self.article))
        #expect(table.header == ["state", "link"] + DatagramDoor.Kind.allCases.map { "\($0)" })
        let states =
            side == .listening ? ["unlinked", "open"] : ["unlinked", "hailed", "open"]
        var rows: [[String]] = []
        for state in states {
            for (number, own) in [("its own", true), ("another", false)] {
                if state == "unlinked", own { continue }
                let cells = try Self.cells(side, state, own: own)
                rows.append([state, state == "unlinked" ? "any" : number] + cells)
            }
        }
        #expect(table.rows == rows)
    }

    @Test func a_listening_side_calls_when_it_starts() throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let other = try BareSocket(at: path + ".peer", to: path)
        let source = DatagramSource(path: path, side: .listening)
        try source.prepare()
        #expect(other.receive() == [DatagramDoor.Kind.call.rawValue, 0, 0, 0, 0])
        #expect(other.receive() == nil)
        source.close(leavingFiles: false)
    }

    @Test func a_connecting_side_hails_when_it_is_asked_and_not_twice() throws {
        let bench = try Bench(.connecting)
        bench.enter("hailed")
        let link = bench.link
        bench.enter("hailed")
        #expect(bench.link == link)
        #expect(bench.state == "hailed")
    }
}
