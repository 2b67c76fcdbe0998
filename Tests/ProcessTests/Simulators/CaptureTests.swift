import CPosix
import CommandLine
import ControlProtocol
import Foundation
import Glibc
import Testing

/// A reader of the link, the files and the logs of a full run sees nothing of the wearer's.
@Suite(.serialized, .timeLimit(.minutes(2))) struct CaptureTests {
    private let bench = Bench()

    /// The kind of secret that seals both journals.
    enum Seal: CaseIterable { case keyFile, passphrase }

    /// The first line of the file that unseals the journals.
    private static let passphrase = "a long word of mouth"

    /// The traces of a run, and the texts that are looked for in them.
    private struct Seen {
        var capture: [UInt8] = []
        /// Every file of the run but those that were given to it.
        var files: [String: [UInt8]] = [:]
        var logs = ""
        var linkCount = 0
        /// Texts and identities of the run.
        var needles: [(name: String, bytes: [UInt8])] = []
        /// Names of the devices and of their pairing.
        var names: [(name: String, bytes: [UInt8])] = []

        func found(in bytes: [UInt8]) -> [String] { Self.found(needles, in: bytes) }

        func foundNames(in bytes: [UInt8]) -> [String] { Self.found(names, in: bytes) }

        private static func found(
            _ needles: [(name: String, bytes: [UInt8])], in bytes: [UInt8]
        ) -> [String] {
            // The array's own search takes most of a test's time, unoptimized.
            let bytes = Data(bytes)
            return needles.filter { bytes.range(of: Data($0.bytes)) != nil }.map(\.name)
        }
    }

    /// Pairs through somebody in the middle, sends everything there is, and ends.
    private func run(_ further: [String], sealed: Bool) throws -> Seen {
        let relay = Relay(front: bench.path("front"), back: bench.path("link.sock"))
        defer { relay.end() }
        func start(_ name: String, _ link: String, _ journal: String) throws -> Program {
            try Program(
                name,
                ["--link", "unix:\(bench.path(link))", "--journal", bench.path(journal)] + further)
        }
        let watch = try start("WatchSim", "link.sock", "w")
        let phone = try start("PhoneSim", "front", "p")
        if sealed { try Pair.pair(shows: watch, enters: phone) }
        try phone.wait("reachability", ["reachable": true])
        try phone.call("import", ["path": .string(bench.list())])
        try phone.call("sync")
        try watch.poll("store") { $0["count"] == 20 }
        var seen = Seen()
        if sealed {
            for (name, program) in [("phone", phone), ("watch", watch)] {
                let list = try program.call("pair.list")
                seen.names += identity(name, list["device"]?.string ?? "")
                guard name == "phone" else { continue }
                let pairing = list["pairings"]?.array?.first?["pairing"]?.string
                seen.names += identity("pairing", pairing ?? "")
            }
        }
        let rows = try phone.call("medication.list", ["limit": 1000])["medications"]?.array ?? []
        #expect(rows.count == 20)
        for row in rows {
            let key = row["key"]?.string ?? ""
            seen.needles += identity("medication \(key)", key)
        }
        for text in ["Medicine", "glass of water", "take it now", "a word in private"] {
            seen.needles.append((text, Array(text.utf8)))
        }
        // Strengths stand as numbers in the watch's records, and as these texts in the phone's.
        for strength in 10...20 {
            seen.needles.append(("\(strength) mg", Array("\(strength) mg".utf8)))
        }
        let dose = "5eed00112233445566778899aabbccdd"
        seen.needles += identity("dose", dose)
        try phone.call("medication.change", ["index": 3, "count": 5])
        try phone.call("complication.update", ["text": "take it now"])
        try watch.wait("complication.shown", ["source": "phone"])
        try watch.call("dose.record", ["index": 0, "dose": .string(dose)])
        try phone.wait("dose.arrived")
        let words = Base64.encode(Array("a word in private".utf8))
        for kind in ["message", "user_info"] {
            try phone.call("send", ["kind": .string(kind), "payload_b64": .string(words)])
        }
        try phone.call("link.close")
        try phone.call("medication.change", ["index": 0, "count": 20])
        try phone.call("link.open")
        for program in [phone, watch] {
            try program.poll("status") { $0["reachable"] == true && $0["outstanding"] == 0 }
        }
        for program in [phone, watch] {
            program.signal(SIGKILL)
            _ = try program.awaitEnd()
            seen.logs += program.errorText()
        }
        for name in bench.files where !Self.given.contains(name) && isFile(name) {
            seen.files[name] = try Files.read(bench.path(name))
        }
        seen.capture = relay.capture
        seen.linkCount = relay.linkCount
        return seen
    }

    /// An identity as text, and as bytes in either order.
    private func identity(_ name: String, _ hex: String) -> [(name: String, bytes: [UInt8])] {
        let value = UInt128(hex, radix: 16) ?? 0
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return [
            (name, Array(hex.utf8)), ("\(name), lowest first", bytes),
            ("\(name), highest first", bytes.reversed()),
        ]
    }

    /// Names of the files that a run is given.
    private static let given: Set<String> = ["secret", "list.json"]

    private func isFile(_ name: String) -> Bool {
        var status = stat()
        return unsafe lstat(bench.path(name), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The options that seal a journal, and what tells of the secret.
    private func sealing(
        _ seal: Seal
    ) throws -> (options: [String], needles: [(name: String, bytes: [UInt8])]) {
        let (option, secret): (String, [UInt8]) =
            switch seal {
            case .keyFile: ("--journal-key", (0..<32).map { 0xA5 ^ UInt8($0) })
            case .passphrase: ("--journal-passphrase-file", Array(Self.passphrase.utf8))
            }
        try Files.write(secret, to: bench.path("secret"))
        _ = unsafe chmod(bench.path("secret"), 0o600)
        return ([option, bench.path("secret")], [("the secret itself", secret)])
    }

    @Test(arguments: Seal.allCases)
    func a_sealed_run_tells_nothing_on_the_link_in_files_or_in_logs(_ seal: Seal) throws {
        let (options, secret) = try sealing(seal)
        var seen = try run(options, sealed: true)
        seen.needles += secret
        // Pairing, a session, and another after the link was closed.
        #expect(seen.linkCount >= 3)
        #expect(seen.capture.count > 5000, "\(seen.capture.count) bytes")
        #expect(seen.found(in: seen.capture) == [])
        // A link does show this much: the first two messages of a pairing name the devices.
        #expect(
            Set(seen.foundNames(in: seen.capture))
                == Set(["phone", "watch"].map { "\($0), lowest first" }))
        #expect(Set(["p", "p-wal", "w", "w-wal"]).isSubset(of: seen.files.keys))
        for (name, bytes) in seen.files {
            #expect(bytes.count > 10_000 || name.contains("-"), "\(name)")
            #expect(seen.found(in: bytes) == [], "\(name)")
            // A file tells its pairings apart by their names, which no link tells.
            #expect(seen.foundNames(in: bytes).allSatisfy { $0 == "pairing, highest first" })
        }
        #expect(seen.foundNames(in: Array(seen.logs.utf8)) == [])
        #expect(seen.found(in: Array(seen.logs.utf8)) == [])
        #expect(!seen.logs.isEmpty, "there is something to look through")
        // The search finds the secret where it is, and what the run was given.
        #expect(seen.found(in: try Files.read(bench.path("secret"))) == ["the secret itself"])
        #expect(seen.found(in: try Files.read(bench.path("list.json"))).contains("Medicine"))
    }

    /// The same run in clear: what is looked for is there to be found.
    @Test func an_unsealed_run_shows_what_a_sealed_one_hides() throws {
        let seen = try run(["--unsealed"], sealed: false)
        let found = seen.found(in: seen.capture)
        #expect(found.contains("Medicine") && found.contains("a word in private"))
        #expect(
            found.contains { $0.hasPrefix("medication") } && found.contains { $0.hasPrefix("dose") }
        )
        let held = Set(seen.files.values.flatMap { seen.found(in: $0) })
        #expect(held.contains("Medicine") && held.contains("glass of water"))
        #expect(held.contains { $0.hasPrefix("dose") })
        // The log tells nothing in either case.
        #expect(seen.found(in: Array(seen.logs.utf8)) == [])
    }

    /// The same on a sealed link without a key for the files: the link hides, the files show.
    @Test func without_a_key_the_files_show_what_the_link_hides() throws {
        let seen = try run([], sealed: true)
        #expect(seen.found(in: seen.capture) == [])
        for name in ["p", "w"] {
            let held = [name, name + "-wal"].flatMap { seen.found(in: seen.files[$0] ?? []) }
            #expect(held.contains("Medicine"), "\(name)")
        }
    }
}
