import Testing
import WatchProtoCore

@testable import WatchProtoJournal

/// A journal that says whose it is opens for nobody else.
@Suite struct OwnerTests {
    private let directory = TemporaryDirectory()

    private func open(_ owner: JournalOwner?) throws -> JournalFile {
        var options = JournalOptions()
        options.owner = owner
        return try JournalFile(path: directory.file("j"), options: options)
    }

    private func refused(_ owner: JournalOwner, _ words: String) {
        let before = directory.contents
        let error = #expect(throws: JournalError.self) { _ = try open(owner) }
        #expect(error?.kind == .otherOwner)
        #expect(error?.description.contains(words) == true, "\(error as Any)")
        #expect(directory.contents == before)
    }

    @Test func another_device_or_pairing_is_refused_and_the_file_left_alone() throws {
        let own = JournalOwner(role: .watch, pairing: pairing)
        var file = try open(own)
        try file.journal(for: pairing).give([opened, queued(1)], to: try Post())
        file.close()
        refused(JournalOwner(role: .phone, pairing: pairing), "belongs to a watch, not to a phone")
        refused(
            JournalOwner(role: .watch, pairing: PairingID(rawValue: 8)), "of another pairing")
        file = try open(own)
        #expect(file.pairings == [pairing])
        file.close()
        // An opening that names no owner is not refused.
        file = try open(nil)
        file.close()
    }

    @Test func a_journal_without_an_owner_is_nobodys() throws {
        try open(nil).close()
        refused(JournalOwner(role: .watch, pairing: pairing), "does not say whose it is")
    }
}
