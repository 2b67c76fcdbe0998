import RigKit
import WatchJournal
import WatchProto
import WatchProtoRecords
import WatchSecurity
import WatchTransport

extension CrashRun {
    /// Queues a record in a journal that nobody has open.
    ///
    /// - Throws: where the file cannot be read or written, or refuses the record.
    func queue(
        _ draft: RecordDraft, as role: DeviceRole, in file: JournalFile
    ) throws -> Bool {
        guard let pairing = file.pairings.first else { return false }
        let journal = try file.journal(for: pairing)
        var peer = Peer(
            PeerConfiguration(role: role, pairing: pairing, kinds: .product),
            restoring: try journal.restore(),
            freshEpoch: EpochID(rawValue: random.next() | 1), security: Unsealed(),
            clock: SystemClock.wall, at: .zero)
        _ = try peer.send(draft, at: .zero)
        var host = QueueHost(
            journal: journal, mailbox: JournalMailbox(wake: try WakeDescriptor()))
        peer.drain(into: &host)
        try file.flush()
        return true
    }

    /// Keeps what a peer without a link gives to its journal.
    private struct QueueHost: PeerHost {
        let journal: PairingJournal
        let mailbox: JournalMailbox

        func transmit(_ bytes: Span<UInt8>) -> Int { 0 }
        func persist(_ entries: [JournalEntry], receipt: JournalReceipt) {
            _ = journal.persist(entries, writes: [], receipt: receipt, mailbox: mailbox)
        }
        func deliver(_ record: InboundRecord) -> Disposition { .pending }
        func report(_ event: PeerEvent) {}
    }
}
