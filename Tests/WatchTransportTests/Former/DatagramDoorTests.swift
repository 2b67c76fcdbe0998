import Articles
import CPosix
import Foundation
import Glibc
import Testing
import WatchProto

@testable import WatchTransport

/// The header of a datagram, as the wire article and the vectors have it.
@Suite struct DatagramDoorTests {
    static let link: UInt32 = 0x1234_5678

    /// Name, code, link number and what follows the header.
    static let golden: [(name: String, code: DatagramDoor.Kind, link: UInt32, rest: [UInt8])] = [
        ("packet", .packet, link, [8, 1, 0, 0, 0, 1, 7]), ("empty packet", .packet, 1, []),
        ("hail", .hail, link, []), ("welcome", .welcome, link, []), ("busy", .busy, link, []),
        ("call", .call, 0, []), ("end", .end, .max, []),
        ("opening", .opening, link, [8, 1, 0, 0, 0, 1, 7]),
    ]

    static let rejected: [(name: String, bytes: [UInt8], rule: String, offset: Int)] = [
        ("no byte at all", [], "truncated", 0), ("a code alone", [1], "truncated", 1),
        ("half a number", [0, 1, 2, 3], "truncated", 4),
        ("code 7", [7, 1, 0, 0, 0], "unknownCode", 0),
        ("code 255", [255, 1, 0, 0, 0, 9], "unknownCode", 0),
    ]

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The lines of a fixture, written anew first where that was asked for.
    private static func rows(
        _ name: String, _ head: String, _ written: [[String]]
    ) throws -> [[String]] {
        let file = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("Fixtures/wire/carriers/" + name)
        if ProcessInfo.processInfo.environment["WATCHPROTO_WRITE_FIXTURES"] != nil {
            let lines = [head] + written.map { $0.joined(separator: "\t") }
            try (lines.joined(separator: "\n") + "\n").write(
                to: file, atomically: true, encoding: .utf8)
        }
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    /// What a socket at the other path gets.
    @Test func golden_bytes_do_not_change() throws {
        let pair = try DoorPair()
        var written: [[String]] = []
        for (name, code, link, rest) in Self.golden {
            _ = try pair.door.send(code, link: link, rest.span).get()
            let bytes = try #require(pair.other.receive())
            written.append([name, Self.hex(bytes), "\(code.rawValue)", "\(link)", Self.hex(rest)])
        }
        let head =
            "# Datagrams of a Unix datagram socket: name, bytes, code, link number, the rest."
        #expect(try Self.rows("golden.tsv", head, written) == written)
    }

    @Test func golden_bytes_are_read_as_what_they_were_made_from() throws {
        let pair = try DoorPair()
        for (name, code, link, rest) in Self.golden {
            let number = (0..<4).map { UInt8(truncatingIfNeeded: link >> (8 * $0)) }
            pair.other.send([code.rawValue] + number + rest)
            var buffer = [UInt8](repeating: 0, count: 64)
            var span = buffer.mutableSpan
            guard case .datagram(let read, let of, let count) = pair.door.receive(into: &span)
            else {
                Issue.record("\(name) was not read")
                continue
            }
            #expect(read == code && of == link && count == rest.count, "\(name)")
            #expect(Array(buffer[..<count]) == rest, "\(name)")
        }
    }

    @Test func what_must_be_rejected_is_ignored_and_counted() throws {
        let pair = try DoorPair()
        for (name, bytes, _, _) in Self.rejected {
            pair.other.send(bytes)
            var buffer = [UInt8](repeating: 0, count: 64)
            var span = buffer.mutableSpan
            guard case .ignored(.stranger) = pair.door.receive(into: &span) else {
                Issue.record("\(name) was not ignored")
                continue
            }
        }
        let written = Self.rejected.map { [$0.name, Self.hex($0.bytes), $0.rule, "\($0.offset)"] }
        let head = "# Datagrams no side may heed: name, bytes, broken rule, offset of the fault."
        #expect(try Self.rows("rejected.tsv", head, written) == written)
    }

    @Test func the_table_of_codes_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below(
                "On Unix datagram sockets",
                in: "Sources/FormerCore/FormerCore.docc/wire-format.md"))
        #expect(
            table.rows.map { [$0[0], $0[1]] }
                == DatagramDoor.Kind.allCases.map { ["\($0.rawValue)", "\($0)"] })
    }
}

/// A door, and a bare socket at the path of its counterpart.
final class DoorPair {
    let directory = TemporaryDirectory()
    let door: DatagramDoor
    let other: BareSocket

    init() throws {
        let path = directory.file("s")
        other = try BareSocket(at: path + ".peer", to: path)
        let descriptor = try SocketKind.datagram.make().get()
        _ = try SocketPath.bind(descriptor, path).get()
        door = DatagramDoor(descriptor: descriptor, counterpart: path + ".peer")
    }

    deinit { Descriptor.close(door.descriptor) }
}

/// A bound datagram socket that says and hears bytes as they are.
final class BareSocket {
    private(set) var descriptor: Int32
    private let path: String
    private let counterpart: String

    init(at path: String, to counterpart: String) throws {
        self.path = path
        descriptor = try SocketKind.datagram.make().get()
        self.counterpart = counterpart
        _ = try SocketPath.bind(descriptor, path).get()
    }

    func send(_ bytes: [UInt8]) {
        var path = counterpart
        let sent = path.withUTF8 { path in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe watchproto_unix_send(
                    descriptor, bytes.baseAddress, bytes.count, nil, 0, path.baseAddress,
                    path.count)
            }
        }
        if sent != bytes.count { Issue.record("sent \(sent) of \(bytes.count) bytes") }
    }

    /// Lets a stranger fill this socket's queue.
    func fill() throws {
        let stranger = try SocketKind.datagram.make().get()
        defer { Descriptor.close(stranger) }
        _ = try SocketPath.connect(stranger, to: path).get()
        let byte: [UInt8] = [255]
        var count = 0
        while case .took(1) = Descriptor.send(stranger, byte.span) { count += 1 }
        #expect(count > 0)
    }

    /// The next datagram that lies there; nil when none does (the socket does not block).
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : Array(bytes[..<count])
    }

    /// Ends as a process does: the file stays.
    func close() {
        if descriptor >= 0 { Descriptor.close(descriptor) }
        descriptor = -1
    }

    deinit { close() }
}
