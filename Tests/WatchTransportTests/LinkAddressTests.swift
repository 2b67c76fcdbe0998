import Testing
import WatchTransport

@Suite struct LinkAddressTests {
    @Test(
        "addresses are read as written, and written as read",
        arguments: [
            ("unix:/tmp/a b.sock", LinkAddress.unixStream(path: "/tmp/a b.sock")),
            ("unix:w.sock", .unixStream(path: "w.sock")),
            ("unix-seqpacket:s", .unixSeqpacket(path: "s")),
            ("unix-datagram:d", .unixDatagram(path: "d")),
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

    @Test("errors name the way out")
    func texts() {
        #expect(
            LinkAddressError.unknownScheme("unx", didYouMean: "unix").description
                .contains("did you mean 'unix'"))
        #expect(LinkAddressError.missingScheme(found: "w").description.contains("'unix:w'"))
        #expect(LinkAddressError.badDescriptors(found: "3").description.contains("fd:3,4"))
    }
}
