import Testing
import WatchProto
import WatchSecurity

@testable import WatchJournal

/// Journals sealed under a key or a passphrase open with it, and with nothing else.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SealingTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }

    private func cheap() throws -> Argon2idParameters {
        try Argon2idParameters(passes: 2, memoryKibibytes: 19 * 1024, lanes: 4)
    }

    private func passphrase(_ text: String) throws -> AtRestPayloads {
        AtRestPayloads(parameters: try cheap()) { () throws(PayloadKeyRefusal) in Array(text.utf8) }
    }

    private func open(_ key: any PayloadKey) throws -> JournalFile {
        try JournalFile(path: path, options: JournalOptions(key: key))
    }

    private func refused(_ key: any PayloadKey, location: SourceLocation = #_sourceLocation) {
        let before = directory.contents
        let error = #expect(throws: JournalError.self, sourceLocation: location) {
            _ = try open(key)
        }
        #expect(error?.kind == .wrongKey, "\(error as Any)", sourceLocation: location)
        #expect(directory.contents == before, sourceLocation: location)
    }

    private func fill(_ key: any PayloadKey) throws -> [JournalEntry] {
        let secret = Array("Metformin 500 mg".utf8)
        let entries = [opened, queued(1, secret), queued(2, [])]
        let file = try open(key)
        try file.journal(for: pairing).give(entries, 1, to: try Post())
        try file.flush()
        file.abandon()
        #expect(
            !directory.contents.values.contains { bytes in
                bytes.indices.contains { bytes[$0...].starts(with: secret) }
            })
        return entries
    }

    @Test func a_key() throws {
        let key = try AtRestKey.random()
        let entries = try fill(AtRestPayloads(key: key))
        refused(AtRestPayloads(key: try AtRestKey.random()))
        refused(try passphrase("correct horse"))
        refused(UnsealedPayloads())
        let file = try open(AtRestPayloads(key: key))
        #expect(try file.journal(for: pairing).restore() == JournalImage(entries))
        file.close()
    }

    @Test func a_passphrase() throws {
        let entries = try fill(try passphrase("correct horse"))
        refused(try passphrase("correct house"))
        refused(AtRestPayloads(key: try AtRestKey.random()))
        // The file's own parameters count.
        let other = AtRestPayloads { () throws(PayloadKeyRefusal) in Array("correct horse".utf8) }
        let file = try open(other)
        #expect(try file.journal(for: pairing).restore() == JournalImage(entries))
        file.close()
    }
}
