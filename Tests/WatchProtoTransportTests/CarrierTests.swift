import Glibc
import Testing
import WatchProtoCore

@testable import WatchProtoTransport

/// Carriers alone, without a peer.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CarrierTests {
    /// Two carriers that face each other.
    struct Pair {
        var left: any Carrier
        var right: any Carrier
        var sources: [any CarrierSource] = []

        func close() {
            left.close()
            right.close()
            for source in sources { source.close(leavingFiles: false) }
        }
    }

    static func makePair(_ kind: LinkKind, in directory: TemporaryDirectory) throws -> Pair {
        if kind == .pipes {
            let there = try makePipe()
            let back = try makePipe()
            return Pair(
                left: try PipeCarrier(reading: back.0, writing: there.1),
                right: try PipeCarrier(reading: there.0, writing: back.1))
        }
        let (phone, watch) = try kind.addresses(in: directory)
        let listener = watch.makeSource(side: .listening)
        let connector = phone.makeSource(side: .connecting)
        try listener.prepare()
        try connector.prepare()
        var left: (any Carrier)?
        var right: (any Carrier)?
        for occasion in [OpeningOccasion.asked, .sign, .sign] {
            if left == nil, case .opened(let carrier) = connector.open(occasion) { left = carrier }
            if right == nil, case .opened(let carrier) = listener.open(occasion) { right = carrier }
        }
        return Pair(
            left: try #require(left), right: try #require(right), sources: [listener, connector])
    }

    /// Reads what is there now; nil at the end.
    static func read(_ carrier: any Carrier, limit: Int = 1 << 16) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: limit)
        var span = buffer.mutableSpan
        switch carrier.read(into: &span) {
        case .bytes(let count), .datagram(let count, _): return Array(buffer[..<count])
        case .nothingYet, .ignored, .portRefused: return []
        case .ended, .failed: return nil
        }
    }

    @Test(
        "the end of a socket is seen at once, though a forked child still holds a copy",
        arguments: [SocketKind.stream, .seqpacket])
    func endWithCopies(_ kind: SocketKind) throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let address: LinkAddress =
            kind == .stream ? .unixStream(path: path) : .unixSeqpacket(path: path)
        let listener = address.makeSource(side: .listening)
        try listener.prepare()
        defer { listener.close(leavingFiles: false) }
        let descriptor = try kind.make().get()
        _ = try SocketPath.connect(descriptor, to: path).get()
        guard case .opened(let left) = listener.open(.sign) else {
            Issue.record("nobody came")
            return
        }
        defer { left.close() }
        let copy = dup(descriptor)
        defer { close(copy) }
        let right = SocketCarrier(descriptor, kind: kind)
        let bytes: [UInt8] = [1, 2]
        #expect(right.write(bytes.span) == .took(2))
        right.close()
        #expect(Self.read(left) == [1, 2])
        #expect(Self.read(left) == nil)
    }

    @Test("bytes cross both ways", arguments: LinkKind.allCases)
    func bothWays(_ kind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let pair = try Self.makePair(kind, in: directory)
        defer { pair.close() }
        // The side that waits to be called answers to the source of the first datagram.
        var address = pair.left.address
        for (from, to) in [(pair.left, pair.right), (pair.right, pair.left)] {
            #expect(Self.read(to) == [])
            #expect(from.write([1, 2, 3].span, to: address) == .took(3))
            var buffer = [UInt8](repeating: 0, count: 10)
            var span = buffer.mutableSpan
            let read = to.read(into: &span)
            if case .datagram(_, let source) = read { address = source }
            #expect(read == .bytes(3) || read == address.map { .datagram(3, from: $0) })
            #expect(buffer[..<3] == [1, 2, 3])
            #expect(Self.read(to) == [])
        }
    }

    @Test("a full carrier takes less, and all of it arrives in order", arguments: LinkKind.careful)
    func partialWrites(_ kind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let pair = try Self.makePair(kind, in: directory)
        defer { pair.close() }
        var generator = SeededGenerator(seed: 3)
        var sent: [UInt8] = []
        var received: [UInt8] = []
        var timesFull = 0
        while sent.count < 2 << 20 {
            let chunk = (0..<30_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            guard case .took(let count) = pair.left.write(chunk.span) else {
                Issue.record("the write failed")
                return
            }
            sent += chunk[..<count]
            if kind != .stream, kind != .pipes { #expect(count == 0 || count == chunk.count) }
            guard count < chunk.count else { continue }
            timesFull += 1
            #expect(!isWritable(pair.left))
            while let more = Self.read(pair.right), !more.isEmpty { received += more }
            #expect(isWritable(pair.left))
        }
        while let more = Self.read(pair.right), !more.isEmpty { received += more }
        #expect(timesFull > 1)
        #expect(received == sent)
    }

    private func isWritable(_ carrier: any Carrier) -> Bool {
        var set = pollfd(fd: carrier.writeDescriptor ?? -1, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&set, 1, 0) == 1
    }

    @Test(
        "what was written before the close arrives, then the end",
        arguments: [LinkKind.stream, .seqpacket, .pipes])
    func end(_ kind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let pair = try Self.makePair(kind, in: directory)
        #expect(pair.left.write([9].span) == .took(1))
        pair.left.close()
        #expect(Self.read(pair.right) == [9])
        #expect(Self.read(pair.right) == nil)
        pair.right.close()
        for source in pair.sources { source.close(leavingFiles: false) }
        #expect(directory.names.isEmpty)
    }

    @Test(
        "writing to one who is gone is a failure, not the end of the process",
        arguments: LinkKind.careful)
    func gone(_ kind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let pair = try Self.makePair(kind, in: directory)
        // The whole side vanishes, its socket included.
        if let listener = pair.sources.first { listener.close(leavingFiles: true) }
        pair.right.close()
        var last = CarrierWrite.took(0)
        for _ in 0..<3 { last = pair.left.write([1].span) }
        guard case .failed(let failure) = last else {
            Issue.record("expected a failure, found \(last)")
            return
        }
        #expect([EPIPE, ECONNREFUSED, ECONNRESET].contains(failure.errorNumber))
        pair.left.close()
        if pair.sources.count > 1 { pair.sources[1].close(leavingFiles: false) }
    }

    @Test(
        "a packet over the carrier's largest is refused, and the carrier lives",
        arguments: [LinkKind.seqpacket, .datagram, .udp])
    func tooLarge(_ kind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let pair = try Self.makePair(kind, in: directory)
        defer { pair.close() }
        guard case .datagram(let largest) = pair.left.traits.framing else {
            Issue.record("expected datagrams")
            return
        }
        let expected = CarrierWrite.failed(
            CarrierFailure(call: kind == .seqpacket ? "send" : "sendmsg", errorNumber: EMSGSIZE))
        #expect(pair.left.write([UInt8](repeating: 0, count: largest + 1).span) == expected)
        let most = [UInt8](repeating: 7, count: largest)
        #expect(pair.left.write(most.span) == .took(largest))
        #expect(Self.read(pair.right) == most)
    }

    @Test("a packet longer than the reader's buffer is never taken for a whole one")
    func truncated() throws {
        let directory = TemporaryDirectory()
        for kind in [LinkKind.seqpacket, .datagram, .udp] {
            let pair = try Self.makePair(kind, in: directory)
            #expect(pair.left.write([UInt8](repeating: 7, count: 100).span) == .took(100))
            var buffer = [UInt8](repeating: 0, count: 50)
            var span = buffer.mutableSpan
            let result = pair.right.read(into: &span)
            let lost = CarrierRead.failed(CarrierFailure(call: "recv", errorNumber: EMSGSIZE))
            #expect(result == (kind == .seqpacket ? lost : .ignored(.tooLarge)))
            pair.close()
        }
    }

    @Test("a datagram of an unknown sender is ignored and says so")
    func attackers() throws {
        let directory = TemporaryDirectory()
        let pair = try Self.makePair(.datagram, in: directory)
        defer { pair.close() }
        let attacker = try SocketKind.datagram.make().get()
        defer { DescriptorCall.close(attacker) }
        _ = try SocketPath.connect(attacker, to: directory.file("s")).get()
        #expect(DescriptorCall.send(attacker, [0, 1, 2, 3, 4, 5].span) == .took(6))
        var buffer = [UInt8](repeating: 0, count: 50)
        var span = buffer.mutableSpan
        #expect(pair.right.read(into: &span) == .ignored(.unknownSender))
        #expect(pair.right.read(into: &span) == .nothingYet)
    }

    @Test("descriptors are non-blocking and closed on exec", arguments: LinkKind.allCases)
    func flags(_ kind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let pair = try Self.makePair(kind, in: directory)
        defer { pair.close() }
        for carrier in [pair.left, pair.right] {
            for descriptor in [carrier.readDescriptor, carrier.writeDescriptor].compactMap(\.self) {
                #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
                #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
            }
        }
    }

    @Test(
        "a suspended carrier offers nothing to wait for until it resumes",
        arguments: LinkKind.allCases)
    func suspended(_ kind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let pair = try Self.makePair(kind, in: directory)
        defer { pair.close() }
        pair.right.suspend()
        #expect(pair.right.readDescriptor == nil)
        #expect(pair.left.write([1].span) == .took(1))
        pair.right.resume()
        #expect(pair.right.readDescriptor != nil)
        #expect(Self.read(pair.right) == [1])
    }
}
