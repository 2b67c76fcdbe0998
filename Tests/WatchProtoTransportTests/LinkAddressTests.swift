import Testing
import WatchProtoTransport

@Suite struct LinkAddressTests {
    @Test(
        "addresses are read as written, and written as read",
        arguments: [
            ("unix:/tmp/a b.sock", LinkAddress.unixStream(path: "/tmp/a b.sock")),
            ("unix:w.sock", .unixStream(path: "w.sock")),
            ("unix-seqpacket:s", .unixSeqpacket(path: "s")),
            ("unix-datagram:d", .unixDatagram(path: "d")),
            ("udp:127.0.0.1:7001", .udp(UDPEndpoint(port: 7001))),
            ("udp:127.9.8.255:65535", .udp(UDPEndpoint(.v4(0x7F09_08FF), port: 65_535))),
            (
                "udp:[::1]:1024?datagram=244&interval=30ms",
                .udp(
                    UDPEndpoint(
                        .v6, port: 1_024, datagramBytes: 244, sendInterval: .milliseconds(30)))
            ),
            ("fd:3,4", .descriptors(read: 3, write: 4)),
            ("fd:0,0", .descriptors(read: 0, write: 0)),
            ("stdio", .standardIO),
            ("exec:WatchSim --link stdio", .command(["WatchSim", "--link", "stdio"])),
            (#"exec:sh -c "echo \"a b\"""#, .command(["sh", "-c", #"echo "a b""#])),
        ])
    func roundTrip(_ text: String, _ address: LinkAddress) throws {
        #expect(try LinkAddress(text) == address)
        #expect(try LinkAddress(address.description) == address)
    }

    @Test(
        "quotes and backslashes keep spaces together",
        arguments: [
            ("exec:a  'b c' d", ["a", "b c", "d"]), ("exec:a\\ b", ["a b"]),
            ("exec:a ''", ["a", ""]),
            ("exec:'it\\s'", ["it\\s"]), ("exec:x\"y z\"w", ["xy zw"]),
        ])
    func words(_ text: String, _ words: [String]) throws {
        #expect(try LinkAddress(text) == .command(words))
    }

    @Test(
        "what is no address says what was expected",
        arguments: [
            ("", LinkAddressError.missingScheme(found: "")),
            ("w.sock", .missingScheme(found: "w.sock")),
            ("unix", .missingValue(scheme: "unix")),
            ("unix:", .missingValue(scheme: "unix")),
            ("exec:", .missingValue(scheme: "exec")),
            ("exec:  ", .missingValue(scheme: "exec")),
            ("stdio:x", .unexpectedValue(scheme: "stdio", found: "x")),
            ("unx:a", .unknownScheme("unx", didYouMean: "unix")),
            ("unix-datagrm:a", .unknownScheme("unix-datagrm", didYouMean: "unix-datagram")),
            ("bluetooth:a", .unknownScheme("bluetooth", didYouMean: nil)),
            ("unix:a\0b", .embeddedNUL(scheme: "unix")),
            ("fd:3", .badDescriptors(found: "3")),
            ("fd:3,-1", .badDescriptors(found: "3,-1")),
            ("fd:3,4,5", .badDescriptors(found: "3,4,5")),
            ("fd:a,b", .badDescriptors(found: "a,b")),
            ("exec:a 'b", .unfinishedQuote(found: "a 'b")),
            ("udp:", .missingValue(scheme: "udp")),
            ("tcp:127.0.0.1:7001", .unknownScheme("tcp", didYouMean: nil)),
            ("udp:7001", .badEndpoint(found: "7001")),
            ("udp:127.0.0.1", .badEndpoint(found: "127.0.0.1")),
            ("udp:127.0.0.1:", .badEndpoint(found: "127.0.0.1:")),
            ("udp:127.0.0.1:70a", .badEndpoint(found: "127.0.0.1:70a")),
            ("udp:[::1]", .badEndpoint(found: "[::1]")),
            ("udp::7001", .badEndpoint(found: ":7001")),
            ("udp:0.0.0.0:7001", .notLoopback(found: "0.0.0.0")),
            ("udp:192.168.1.2:7001", .notLoopback(found: "192.168.1.2")),
            ("udp:127.0.1:7001", .notLoopback(found: "127.0.1")),
            ("udp:0127.0.0.1:7001", .notLoopback(found: "0127.0.0.1")),
            ("udp:127.0.0.256:7001", .notLoopback(found: "127.0.0.256")),
            ("udp:[::]:7001", .notLoopback(found: "[::]")),
            ("udp:localhost:7001", .notLoopback(found: "localhost")),
            ("udp:127.0.0.1:80", .badPort(found: "80")),
            ("udp:127.0.0.1:0", .badPort(found: "0")),
            ("udp:127.0.0.1:65536", .badPort(found: "65536")),
            ("exec:a\\", .unfinishedQuote(found: "a\\")),
        ])
    func refused(_ text: String, _ error: LinkAddressError) {
        #expect(throws: error) { try LinkAddress(text) }
        #expect(!error.description.isEmpty)
    }

    @Test("a path may have as many bytes as the system takes, and not one more")
    func pathLength() throws {
        let longest = String(repeating: "é", count: 53) + "x"
        #expect(longest.utf8.count == 107)
        _ = try LinkAddress("unix:" + longest)
        #expect(
            throws: LinkAddressError.pathTooLong(
                path: longest + "x", bytes: 108, limitBytes: 107)
        ) {
            try LinkAddress("unix:" + longest + "x")
        }
        // The other side's ".peer" must fit, too.
        _ = try LinkAddress("unix-datagram:" + String(repeating: "x", count: 102))
        #expect(throws: LinkAddressError.self) {
            try LinkAddress("unix-datagram:" + String(repeating: "x", count: 103))
        }
    }

    @Test(
        "an option of a UDP endpoint has its bounds, and its error names them",
        arguments: [
            ("datagram=243", "244 (Bluetooth Low Energy) to \(UDPEndpoint.largestDatagramBytes)"),
            (
                "datagram=\(UDPEndpoint.largestDatagramBytes + 1)",
                "to \(UDPEndpoint.largestDatagramBytes) (what UDP holds)"
            ), ("datagram=64KiB", "in bytes"),
            ("datagram", "in bytes"), ("datagram=+300", "in bytes"),
            ("interval=30", "with its unit"), ("interval=4001ms", "0ms to 4000ms"),
            ("mtu=300", "'datagram=BYTES' or 'interval=TIME'"), ("", "'datagram=BYTES'"),
            ("datagram=300&datagram=300", "each option once"),
        ])
    func options(_ option: String, _ expected: String) {
        do throws(LinkAddressError) {
            let address = try LinkAddress("udp:127.0.0.1:7001?\(option)")
            Issue.record("\(option) was read as \(address)")
        } catch {
            #expect(error.description.hasPrefix("link option '"))
            #expect(error.description.contains(expected), "\(error)")
        }
    }

    @Test("errors name the way out")
    func texts() {
        #expect(
            LinkAddressError.unknownScheme("unx", didYouMean: "unix").description
                .contains("did you mean 'unix'"))
        #expect(LinkAddressError.missingScheme(found: "w").description.contains("'unix:w'"))
        #expect(LinkAddressError.badDescriptors(found: "3").description.contains("fd:3,4"))
        #expect(
            LinkAddressError.notLoopback(found: "10.0.0.1").description
                == "'10.0.0.1' is not a loopback address: a UDP link stays on this host, because "
                + "it does not share a network fairly with others; write 127.0.0.1 or [::1]")
        #expect(LinkAddressError.badPort(found: "80").description.contains("1024 to 65535"))
    }
}
