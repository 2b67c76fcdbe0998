import CommandLine
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoSecurity
import WatchProtoTransport

extension CrashRun {
    /// Queues a record in a journal that nobody has open.
    ///
    /// - Throws: where the file cannot be read or written, or refuses the record.
    func queue(
        _ draft: RecordDraft, as role: DeviceRole, in file: JournalFile
    ) throws -> Bool {
        guard let pairing = file.pairings.first else { return false }
        let journal = try file.journal(for: pairing)
        let configuration = PeerConfiguration(role: role, pairing: pairing, kinds: .product)
        var peer = Peer(
            configuration, restoring: try journal.restore(configuration),
            epoch: EpochID(rawValue: random.next() | 1),
            security: NullSecurity(PeerLabel(role: role, pairing: pairing), seed: 1).erased,
            clock: SystemClock.wall, at: .zero)
        _ = try peer.send(draft, at: .zero)
        var environment = JournalAlone(journal: journal)
        peer.drain(into: &environment)
        try file.flush()
        return true
    }

    /// Gives the entries of a peer without a link to its journal.
    private struct JournalAlone: PeerEnvironment {
        let journal: PairingJournal
        let notifier = CommitNotifier(wake: nil)

        func transmit(_ bytes: Span<UInt8>, to address: PathAddress?) -> Int { 0 }
        func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
            _ = journal.persist(entries, writes: [], receipt: receipt, notifier: notifier)
        }
        func deliver(_ record: InboundRecord) -> Disposition { .pending }
        func report(_ event: PeerEvent) {}
    }
}
