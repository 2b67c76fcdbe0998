import Articles
import Foundation
import Testing
import WatchProtoCore

@testable import WatchProtoSecurity

/// The peer in Python, written from the articles alone, against the peer of this package:
/// its rules have the letter M.
@Suite(
    "The minimal peer of the articles",
    .enabled(if: Python.isInstalled, "Python's package 'cryptography' is not installed"),
    .serialized)
struct MinimalPeerTests {
    private static let pairing = PairingID(rawValue: 0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF)
    private static let pairingText = "00112233445566778899aabbccddeeff"
    private static let ticket: UInt64 = 99
    private static let kinds = RecordKinds([
        RecordKind(ContentKind(rawValue: 3), byteLimit: 0, isRemoval: true)
    ])

    private func peer(
        _ security: some PeerSecurity, _ image: JournalImage? = nil, epoch: UInt64 = 0x71
    ) -> PipePeer {
        var fresh = JournalImage(kinds: Self.kinds)
        fresh.apply(TicketState.Image.paired(Ticket(rawValue: Self.ticket)))
        let configuration = PeerConfiguration(
            role: .phone, pairing: Self.pairing, kinds: Self.kinds)
        return PipePeer(configuration, image ?? fresh, security, epoch: epoch)
    }

    private var unsealed: NullSecurity {
        NullSecurity(PeerLabel(role: .phone, pairing: Self.pairing), seed: 5)
    }

    private func options(_ more: [String: Any]) -> [String: Any] {
        more.merging(["role": 1, "pairing": Self.pairingText, "ticket": Self.ticket]) { old, _ in
            old
        }
    }

    /// M-2, M-4, M-6, M-9, M-11, M-12, M-13, M-14, M-15, M-17, M-18, M-21, M-22, M-24, M-25;
    /// W-10, W-22.
    @Test(
        "Records and values both ways, unsealed, whoever opens",
        arguments: [true, false])
    func unsealed(initiates: Bool) throws {
        let phone = peer(unsealed)
        try exchange(phone, options([:]), initiates: initiates)
    }

    @Test("The same, sealed (W-2, S-10)", arguments: [true, false])
    func sealed(initiates: Bool) throws {
        let pair = try SimulatedPair(seed: 11)
        let watch = pair.watch
        let hex = { (secret: Secret) in
            Hex.string(unsafe secret.withBytes { unsafe Array($0) })
        }
        let keys: [String: Any] = [
            "pairing": Hex.string(LittleEndian.bytes(watch.pairing.rawValue)),
            "secret": hex(watch.keyPair.secret), "psk": hex(watch.psk),
            "counterpart": Hex.string(watch.counterpartKey.bytes),
        ]
        let phone = peer(try NoiseSecurity(pair.phone))
        try exchange(phone, options(keys), initiates: initiates)
    }

    /// Three records and two values go to Python, one too long for a packet; three come back.
    private func exchange(
        _ phone: PipePeer, _ options: [String: Any], initiates: Bool
    ) throws {
        let long = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let first = try phone.send(draft(.background, [1, 2, 3]))
        let refused = try phone.send(draft(.background, Array("reject".utf8)))
        let bulk = try phone.send(draft(.bulk, long))
        let value = try phone.send(draft(.context, [4, 5], key: 17))
        let face = try phone.send(draft(.complication, [6], key: 18))
        var options = options
        options["initiates"] = !initiates
        options["send"] = [[2, 0, "0a"], [2, 0, "ee"], [4, 0, "0b0c"]] as [[Any]]
        options["expect"] = 4
        #expect(try phone.link(options, initiates: initiates) == 0, "\(phone.said)")
        #expect(phone.outcome(of: first) == .applied)
        #expect(phone.outcome(of: refused) == .rejected(code: 1))
        for id in [bulk, value, face] { #expect(phone.outcome(of: id) == .applied) }
        #expect(phone.said.contains(Hex.string(long)))
        #expect(
            phone.delivered.map { $0.payload }.sorted { $0[0] < $1[0] } == [
                [0x0A], [0x0B, 0x0C], [0xEE],
            ])
        #expect(phone.said.contains("\"as\": 4"))
        #expect(!phone.said.contains("\"end\""), "\(phone.said)")
    }

    @Test("M-1, M-7, M-8, M-10: tickets are kept in one opening, and renewed over restarts")
    func tickets() throws {
        let journal = FileManager.default.temporaryDirectory
            .appendingPathComponent("minimal-peer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: journal) }
        let phone = peer(unsealed)
        var options = options(["initiates": true, "expect": 1, "journal": journal.path])
        for round in 0..<3 {
            let id = try phone.send(draft(.background, [UInt8(round)]))
            options["send"] = [[2, 0, "0a0\(round)"]] as [[Any]]
            options["sameOpening"] = round == 1
            #expect(try phone.link(options, initiates: false) == 0, "\(phone.said)")
            #expect(phone.outcome(of: id) == .applied, "round \(round): \(phone.said)")
            #expect(phone.said.contains("\"kept\": \(round == 1)"), "round \(round): \(phone.said)")
            #expect(phone.said.contains("\"it went back\": false"))
        }
        #expect(phone.delivered.map { $0.payload } == [[0x0A, 0], [0x0A, 1], [0x0A, 2]])
    }

    /// Shows M-3, M-23, M-27: the phone asks what is held, and offers anew what is not.
    @Test("Without its state it comes back as wiped, and records and values are offered again")
    func wiped() throws {
        let phone = peer(unsealed)
        let first = try phone.send(draft(.background, [1]))
        let value = try phone.send(draft(.context, [9], key: 17))
        var options = options(["initiates": true, "expect": 2])
        #expect(try phone.link(options, initiates: false) == 0, "\(phone.said)")
        #expect(phone.outcome(of: first) == .applied)
        #expect(phone.outcome(of: value) == .applied)
        options["ticket"] = 0
        let second = try phone.send(draft(.background, [2]))
        #expect(try phone.link(options, initiates: false) == 0, "\(phone.said)")
        #expect(phone.outcome(of: second) == .applied, "\(phone.said)")
        #expect(phone.said.contains("\"event\": \"value\""), "\(phone.said)")
        var changes: [CounterpartChange] = []
        for case .counterpartChanged(let change) in phone.events { changes.append(change) }
        #expect(changes.last == .wiped)
    }

    /// Shows M-5: the phone's message 1 is answered, and the watch's own is forgotten.
    @Test("Both may open at once")
    func crossing() throws {
        let phone = peer(unsealed)
        let id = try phone.send(draft(.background, [1]))
        let send: [[Any]] = [[2, 0, "0a"]]
        let options = options(["initiates": true, "expect": 1, "send": send])
        #expect(try phone.link(options, initiates: true) == 0, "\(phone.said)")
        #expect(phone.outcome(of: id) == .applied, "\(phone.said)")
        #expect(phone.delivered.map { $0.payload } == [[0x0A]])
    }

    /// Shows M-16: the clock of the phone stands before the time, that of the watch behind it.
    @Test("A record that has expired at its receiver is not delivered")
    func expired() throws {
        let phone = peer(unsealed)
        var late = draft(.background, [1])
        late.expiresAt = WallTime(milliseconds: 1_710_000_000_000)
        let first = try phone.send(late)
        let second = try phone.send(draft(.background, [2]))
        let options = options(["initiates": true, "expect": 1])
        #expect(try phone.link(options, initiates: false) == 0, "\(phone.said)")
        #expect(phone.outcome(of: first) == .expired)
        #expect(phone.outcome(of: second) == .applied)
        #expect(!phone.said.contains("\"payload\": \"01\""))
    }

    /// Shows M-19, M-20: a record whose answer was lost is answered in the next session, without a
    /// second delivery; the epoch of a phone that restarted is closed once all of it is settled.
    @Test("An answer that was lost comes in the next session, and an epoch that is over is closed")
    func lostAnswer() throws {
        let journal = FileManager.default.temporaryDirectory
            .appendingPathComponent("minimal-peer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: journal) }
        let former = peer(unsealed)
        let id = try former.send(draft(.background, [1]))
        var options = options(["initiates": true, "journal": journal.path, "dies": 1, "expect": 9])
        #expect(try former.link(options, initiates: false) == 0, "\(former.said)")
        #expect(former.said.contains("\"payload\": \"01\""))
        #expect(former.outcome(of: id) == nil)
        options["dies"] = nil
        options["expect"] = 1
        let phone = peer(unsealed, former.image, epoch: 0x72)
        let next = try phone.send(draft(.background, [2]))
        #expect(try phone.link(options, initiates: false) == 0, "\(phone.said)")
        #expect(phone.outcome(of: id) == .applied, "\(phone.said)")
        #expect(phone.outcome(of: next) == .applied, "\(phone.said)")
        #expect(!phone.said.contains("\"payload\": \"01\""), "\(phone.said)")
        let said = phone.said
        let last = try phone.send(draft(.background, [3]))
        #expect(try phone.link(options, initiates: false) == 0, "\(phone.said)")
        #expect(phone.outcome(of: last) == .applied)
        #expect((said + phone.said).contains("\"event\": \"closed\""), "\(said)")
    }

    @Test("It reads and writes all vectors")
    func vectors() throws {
        let process = Process()
        let folder = FixtureFiles.root.appendingPathComponent("Examples/peer")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            Python.path, "-B", folder.appendingPathComponent("check_vectors.py").path,
            FixtureFiles.root.appendingPathComponent("Fixtures/wire").path,
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    private func draft(_ channel: Channel, _ payload: [UInt8], key: UInt128? = nil) -> RecordDraft {
        RecordDraft(
            channel: channel, kind: .opaque, key: key.map { RecordKey(rawValue: $0) },
            payload: payload)
    }
}

/// The interpreter that runs the examples.
enum Python {
    /// The one that `./test` makes, or the system's.
    static let path = {
        let own = FixtureFiles.root.appendingPathComponent(".build/python/bin/python3").path
        return FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
    }()

    static let isInstalled: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let test = """
            from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
            X25519PublicKey.public_bytes_raw
            """
        process.arguments = [path, "-c", test]
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        if process.terminationStatus == 0 { return true }
        print("skipped: the peer in Python needs its package 'cryptography' (40 or later)")
        return false
    }()
}
