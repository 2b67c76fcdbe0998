import Articles
import CPosix
import Glibc
import Testing
import WatchProto

@testable import WatchTransport

/// Both sides of a link over UDP, against a bare socket in the place of the other.
@Suite struct UDPSourceTests {
    /// A bare UDP socket, and what it hears from the source of a test.
    final class BareUDP {
        let descriptor: Int32
        let place: UDPPlace

        init(_ wanted: UDPPlace) throws {
            var system = wanted.system
            descriptor = try retryOnInterrupt { unsafe watchproto_udp_open(&system, 0) }.get()
            var own = watchproto_place()
            _ = unsafe watchproto_udp_own_place(descriptor, &own)
            place = UDPPlace(own)
        }

        deinit { Descriptor.close(descriptor) }

        func send(_ bytes: [UInt8], to place: UDPPlace) {
            var system = place.system
            let count = unsafe watchproto_udp_send(
                descriptor, bytes, bytes.count, nil, 0, &system)
            #expect(count == bytes.count)
        }

        func say(_ code: DatagramDoor.Kind, _ link: UInt32, to place: UDPPlace) {
            let number = (0..<4).map { UInt8(truncatingIfNeeded: link >> (8 * $0)) }
            let packet: [UInt8] = code == .packet || code == .opening ? [1, 2, 3] : []
            send([code.rawValue] + number + packet, to: place)
        }

        /// The next word that lies there with its link and sender; nil when none does.
        func hear() -> (code: DatagramDoor.Kind, link: UInt32, from: UDPPlace)? {
            var bytes = [UInt8](repeating: 0, count: 256)
            var source = watchproto_place()
            var age: UInt64 = 0
            let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                unsafe watchproto_udp_receive(
                    descriptor, buffer.baseAddress, buffer.count, nil, 0, &source, &age)
            }
            guard count >= 5, let code = DatagramDoor.Kind(rawValue: bytes[0]) else { return nil }
            let link = (0..<4).reduce(UInt32(0)) {
                $0 | UInt32(bytes[1 + $1]) << UInt32(8 * $1)
            }
            return (code, link, UDPPlace(source))
        }
    }

    /// One side, and what is in the place of the other.
    final class Bench {
        let endpoint = UDPEndpoint.fresh()
        let source: UDPSource
        let other: BareUDP
        /// Where the source is: known at once where it listens, from its hail where it connects.
        private var own: UDPPlace
        private let side: LinkSide
        private(set) var carrier: (any Carrier)?
        private(set) var link: UInt32 = 0x0101_0101
        private(set) var state = "unlinked"

        init(_ side: LinkSide) throws {
            self.side = side
            let place = UDPPlace(endpoint)
            other = try BareUDP(side == .listening ? place.anyPort : place)
            source = UDPSource(endpoint, side: side)
            own = place
            try source.prepare()
            // The other side has heard of this one.
            if side == .connecting {
                note(source.open(.asked))
                _ = heard()
                say(.busy, link: link)
                state = "unlinked"
                link = 0x0101_0101
            }
        }

        deinit {
            carrier?.close()
            source.close(leavingFiles: false)
        }

        /// Brings this side into a state of the table.
        func enter(_ state: String) {
            switch (side, state) {
            case (.listening, "open"): say(.hail, link: link)
            case (.connecting, "opening"):
                // A link that was answered: the next is opened before its hail is.
                enter("open")
                say(.end, link: link)
                open(.asked)
            case (.connecting, "hailed"), (.connecting, "open"):
                open(.asked)
                _ = heard()
                if state == "open" { say(.welcome, link: link) }
            default: break
            }
            _ = heard()
            if state == "opening" { self.state = state }
        }

        /// Says something to this side and lets it do what its driver would; gives what it said.
        @discardableResult
        func say(
            _ code: DatagramDoor.Kind, link: UInt32, as speaker: BareUDP? = nil
        ) -> [String] {
            (speaker ?? other).say(code, link, to: own)
            guard let carrier else {
                note(source.open(.sign))
                return heardOnOpening()
            }
            var buffer = [UInt8](repeating: 0, count: 64)
            var span = buffer.mutableSpan
            switch carrier.read(into: &span) {
            case .bytes: state = "taken"
            case .ended, .failed:
                self.carrier = nil
                state = "unlinked"
                carrier.close()
                note(source.open(.sign))
            default:
                let said = heard()
                if state == "opening", written(over: carrier) == .packet { state = "open" }
                return said
            }
            return heardOnOpening()
        }

        /// What is said by opening; a link whose counterpart has not answered is being opened.
        private func heardOnOpening() -> [String] {
            let said = heard()
            if state == "open", side == .connecting, let carrier, written(over: carrier) == .opening
            {
                state = "opening"
            }
            var bytes = [UInt8](repeating: 0, count: 8)
            var span = bytes.mutableSpan
            if state == "open", let carrier,
                case .bytes(3) = carrier.read(into: &span)
            {
                state = "taken"
            }
            return said
        }

        /// As what a packet leaves over `carrier`.
        private func written(over carrier: any Carrier) -> DatagramDoor.Kind? {
            #expect(carrier.write([9].span) == .took(1))
            return other.hear()?.code
        }

        /// Asks this side for a link, as its driver does.
        func open(_ occasion: OpeningOccasion) { note(source.open(occasion)) }

        private func note(_ opening: CarrierOpening) {
            switch opening {
            case .opened(let carrier):
                self.carrier = carrier
                state = "open"
            case .failed: state = "failed"
            default: break
            }
        }

        /// What this side has said since, in order.
        func heard() -> [String] {
            var said: [String] = []
            while let (code, link, place) = other.hear() {
                said.append("\(code)")
                if code == .hail {
                    if carrier == nil { state = "hailed" }
                    self.link = link
                    own = place
                }
            }
            return said
        }
    }

    /// What a side does, as the cells of the article have it.
    private static func cells(_ side: LinkSide, _ state: String, own: Bool) throws -> [String] {
        try DatagramDoor.Kind.allCases.map { code in
            let bench = try Bench(side)
            bench.enter(state)
            #expect(bench.state == state)
            let before = bench.link
            let said = bench.say(code, link: own ? bench.link : bench.link ^ 0xFFFF)
            let isAnew =
                bench.link != before || (said.contains("welcome") && said.contains("end"))
            let next = bench.state == state && !isAnew ? "–" : bench.state
            return said.isEmpty ? next : next + "; " + said.joined(separator: ", ")
        }
    }

    @Test(arguments: [LinkSide.listening, .connecting])
    func the_table_of_the_article_is_the_code(_ side: LinkSide) throws {
        let title = "Over UDP: the \(side == .listening ? "listening" : "connecting") side"
        let table = try #require(
            try MarkdownTable.below(title, in: DatagramSourceTests.article))
        #expect(table.header == ["state", "link"] + DatagramDoor.Kind.allCases.map { "\($0)" })
        let states =
            side == .listening ? ["unlinked", "open"] : ["unlinked", "hailed", "opening", "open"]
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

    @Test func the_first_packets_wait_for_no_answer() throws {
        let bench = try Bench(.connecting)
        bench.enter("opening")
        let carrier = try #require(bench.carrier)
        #expect(carrier.write([7, 8].span) == .took(2))
        #expect(bench.heard() == ["opening"])
        bench.say(.welcome, link: bench.link)
        #expect(carrier.write([7, 8].span) == .took(2))
        #expect(bench.heard() == ["packet"])
    }

    @Test func a_link_that_nobody_answers_is_given_up_for_patience() throws {
        let bench = try Bench(.connecting)
        bench.enter("opening")
        let carrier = try #require(bench.carrier)
        var set = pollfd(fd: carrier.readDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
        #expect(unsafe watchproto_poll(&set, 1, 10_000_000_000) == 1)
        var buffer = [UInt8](repeating: 0, count: 8)
        var span = buffer.mutableSpan
        let failure = CarrierFailure(call: "hail", errorNumber: ETIMEDOUT)
        #expect(carrier.read(into: &span) == .failed(failure))
        carrier.close()
        #expect(bench.heard() == ["end"])
        let link = bench.link
        guard case .nobodyYet = bench.source.open(.asked) else {
            Issue.record("opened once more without an answer")
            return
        }
        #expect(bench.heard() == ["hail"])
        #expect(bench.link == link &+ 1)
    }

    @Test func an_opening_whose_hail_was_lost_opens_and_is_taken_once() throws {
        let bench = try Bench(.listening)
        let phone = try BareUDP(UDPPlace(bench.endpoint).anyPort)
        // Over an open link, the successor of which it is; and where there is none.
        for (link, said) in [(UInt32(70), []), (UInt32(71), [DatagramDoor.Kind.end])] {
            bench.say(.opening, link: link, as: phone)
            #expect(bench.state == "taken")
            for code in said + [.welcome] { #expect(phone.hear()?.code == code) }
            #expect(CarrierTests.read(try #require(bench.carrier)) == [])
        }
        // A copy that is late changes nothing, and its packet goes nowhere.
        bench.say(.opening, link: 70, as: phone)
        #expect(phone.hear() == nil)
        #expect(bench.say(.packet, link: 71, as: phone) == [])
        #expect(bench.state == "taken")
    }

    @Test func an_opening_is_answered_with_busy_while_no_link_is_wanted() throws {
        let bench = try Bench(.listening)
        bench.other.say(.opening, 3, to: UDPPlace(bench.endpoint))
        bench.open(.signWhileBusy)
        #expect(bench.heard() == ["busy"])
        #expect(bench.state == "unlinked")
    }

    @Test func where_nobody_is_no_link_is_opened_on_trust() throws {
        let source = UDPSource(UDPEndpoint.fresh(), side: .connecting)
        try source.prepare()
        defer { source.close(leavingFiles: false) }
        guard case .nobodyYet = source.open(.asked) else {
            Issue.record("a link to nobody")
            return
        }
    }

    @Test func a_hail_is_repeated_with_its_number_until_it_is_answered() throws {
        let bench = try Bench(.connecting)
        bench.enter("hailed")
        let link = bench.link
        for _ in 0..<2 {
            // The sign tells when: nothing is said before.
            bench.open(.sign)
            #expect(bench.heard() == [])
            var set = pollfd(
                fd: bench.source.signDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
            #expect(unsafe watchproto_poll(&set, 1, 5_000_000_000) == 1)
            bench.open(.sign)
            #expect(bench.heard() == ["hail"])
            #expect(bench.link == link)
        }
        bench.say(.welcome, link: link)
        #expect(bench.state == "open")
    }

    @Test func nothing_is_hailed_once_no_link_is_wanted() throws {
        let bench = try Bench(.connecting)
        bench.enter("hailed")
        #expect(!bench.source.rest())
        var set = pollfd(fd: bench.source.signDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
        #expect(unsafe watchproto_poll(&set, 1, 400_000_000) == 0)
    }

    @Test func a_late_copy_of_an_earlier_hail_ends_no_link() throws {
        let bench = try Bench(.listening)
        bench.enter("open")
        #expect(bench.say(.hail, link: bench.link &- 1) == [])
        #expect(bench.state == "open")
        #expect(bench.say(.hail, link: bench.link &+ 1) == ["end", "welcome"])
    }

    @Test func who_knocks_while_the_counterpart_lives_is_told_that_this_side_is_busy() throws {
        let bench = try Bench(.listening)
        bench.enter("open")
        let stranger = try BareUDP(UDPPlace(bench.endpoint).anyPort)
        // The counterpart is asked for a sign of life first; a welcome it has had means nothing.
        #expect(bench.say(.hail, link: 5, as: stranger) == ["welcome"])
        #expect(stranger.hear() == nil)
        #expect(bench.say(.hail, link: 5, as: stranger) == [])
        #expect(stranger.hear()?.code == .busy)
        #expect(bench.state == "open")
        // What a stranger says of the link it does not have changes nothing.
        for code in [DatagramDoor.Kind.end, .packet, .busy, .call, .welcome] {
            bench.say(code, link: bench.link, as: stranger)
            #expect(bench.state == "open", "\(code)")
        }
    }

    @Test func who_knocks_after_the_counterpart_has_ended_is_let_in() throws {
        let bench = try Bench(.listening)
        let successor = try BareUDP(UDPPlace(bench.endpoint).anyPort)
        do {
            let former = try BareUDP(UDPPlace(bench.endpoint).anyPort)
            bench.say(.hail, link: 7, as: former)
            #expect(former.hear()?.code == .welcome)
        }
        #expect(bench.state == "open")
        for _ in 0..<2 where successor.hear()?.code != .welcome {
            bench.say(.hail, link: 9, as: successor)
        }
        #expect(bench.say(.packet, link: 9, as: successor) == [])
        #expect(bench.state == "taken")
    }

    @Test func a_counterpart_that_has_ended_is_noticed_with_the_next_packet() throws {
        let directory = TemporaryDirectory()
        let pair = try CarrierTests.makePair(.udp, in: directory)
        if let listener = pair.sources.first { listener.close(leavingFiles: true) }
        #expect(pair.left.write([1].span) == .took(1))
        var buffer = [UInt8](repeating: 0, count: 8)
        var span = buffer.mutableSpan
        let refused = CarrierFailure(call: "sendmsg", errorNumber: ECONNREFUSED)
        #expect(pair.left.read(into: &span) == .failed(refused))
        #expect(pair.left.read(into: &span) == .nothingYet)
        pair.left.close()
        if pair.sources.count > 1 { pair.sources[1].close(leavingFiles: false) }
    }

    @Test func a_port_in_use_is_refused_and_says_so() throws {
        let endpoint = UDPEndpoint.fresh()
        let first = UDPSource(endpoint, side: .listening)
        try first.prepare()
        let second = UDPSource(endpoint, side: .listening)
        let error = LinkError.portInUse(address: "udp:\(endpoint)")
        #expect(throws: error) { try second.prepare() }
        #expect(
            error.description
                == "'udp:\(endpoint)' is in use by another socket of this host; "
                + "end the process that has it or choose another port")
        first.close(leavingFiles: false)
        try second.prepare()
        second.close(leavingFiles: false)
    }

    @Test func it_speaks_over_the_sixth_version_too() throws {
        // A port the system says is free, a moment later.
        let free = try BareUDP(UDPPlace(UDPEndpoint(.v6, port: 1)).anyPort)
        var system = watchproto_place()
        _ = unsafe watchproto_udp_own_place(free.descriptor, &system)
        let endpoint = UDPEndpoint(.v6, port: system.port &+ 1 > 1_024 ? system.port &+ 1 : 1_025)
        let listener = UDPSource(endpoint, side: .listening)
        do { try listener.prepare() } catch { return }
        defer { listener.close(leavingFiles: false) }
        let connector = UDPSource(endpoint, side: .connecting)
        try connector.prepare()
        defer { connector.close(leavingFiles: false) }
        guard case .opened(let phone) = connector.open(.asked),
            case .opened(let watch) = listener.open(.sign)
        else {
            Issue.record("no link over [::1]")
            return
        }
        #expect(phone.write([1, 2].span) == .took(2))
        #expect(CarrierTests.read(watch) == [1, 2])
    }

    @Test func the_traits_are_those_of_the_endpoint() throws {
        var endpoint = UDPEndpoint.fresh(datagramBytes: 244)
        endpoint.sendInterval = .milliseconds(30)
        let listener = UDPSource(endpoint, side: .listening)
        try listener.prepare()
        let other = try BareUDP(UDPPlace(endpoint).anyPort)
        other.say(.hail, 1, to: UDPPlace(endpoint))
        guard case .opened(let carrier) = listener.open(.sign) else {
            Issue.record("not opened")
            return
        }
        #expect(
            carrier.traits
                == CarrierTraits(
                    framing: .datagram(largestBytes: 244), isLossy: true,
                    sendInterval: .milliseconds(30)))
        carrier.close()
        listener.close(leavingFiles: false)
    }
}
