internal import Locks
internal import WatchProtoCore
internal import WatchProtoJournal
internal import WatchProtoRecords
internal import WatchProtoSecurity
internal import WatchProtoTransport

/// The keys of a simulator: in its journal's file, or in memory where there is none.
final class DeviceKeys: Sendable {
    private struct Memory {
        var device = DeviceID.random()
        var paired: [PairedDevice] = []
        var journals: [PairingID: MemoryJournal] = [:]
    }

    private let file: JournalFile?
    private let role: DeviceRole
    private let memory = Mutex(Memory())
    private let known = Mutex<UInt32?>(nil)
    /// The journal that both sides speak for unsealed.
    let unsealedJournal: any JournalBackend

    /// - Throws: `JournalError` when the file was closed.
    init(_ file: JournalFile?, _ role: DeviceRole) throws(JournalError) {
        self.file = file
        self.role = role
        let ticket = Ticket(rawValue: 1)
        unsealedJournal =
            try file?.journal(for: Simulator.pairing, pairedWith: ticket)
            ?? MemoryJournal(pairedWith: ticket)
    }

    /// The name of this device in pairings.
    ///
    /// - Throws: `JournalError`; the disk failed.
    func device() throws(JournalError) -> DeviceID {
        if let file { return try file.deviceID() }
        return memory.withLock { $0.device }
    }

    /// This device's number in dose events; nil while the journal cannot be read.
    var number: UInt32? {
        known.withLock { known in
            known = known ?? (try? device()).map { UInt32(truncatingIfNeeded: $0.rawValue) }
            return known
        }
    }

    /// The devices it is paired with; the last is the one in use.
    ///
    /// - Throws: `JournalError`; the disk failed.
    func paired() throws(JournalError) -> [PairedDevice] {
        if let file { return try file.pairedDevices() }
        return memory.withLock { $0.paired }
    }

    /// Keeps a pairing, and erases everything of those in `gone` in the same transaction.
    ///
    /// - Throws: `JournalError`; nothing is kept or erased then.
    func keep(
        _ device: PairedDevice, erasing gone: [PairingID], _ writes: [SQLWrite]
    ) throws(JournalError) {
        if let file { return try file.keep(device, erasing: gone, writes: writes) }
        memory.withLock { memory in
            memory.paired.removeAll {
                $0.counterpart == device.counterpart || gone.contains($0.pairing)
            }
            for pairing in gone { memory.journals[pairing] = nil }
            memory.paired.append(device)
        }
    }

    /// Makes a pairing the one in use; returns whether its keys are here.
    ///
    /// - Throws: `JournalError`; the disk failed.
    func activate(_ pairing: PairingID) throws(JournalError) -> Bool {
        if let file { return try file.activate(pairing) }
        return memory.withLock { memory in
            guard let place = memory.paired.firstIndex(where: { $0.pairing == pairing }) else {
                return false
            }
            memory.paired.append(memory.paired.remove(at: place))
            return true
        }
    }

    /// The number of records queued for a device whose pairing is not in use.
    ///
    /// - Throws: where the journal cannot be read.
    func outstanding(for pairing: PairingID) throws -> Int { try undelivered(to: pairing).count }

    /// The durable records queued for such a device that are still to be delivered.
    ///
    /// - Throws: where the journal cannot be read.
    func undelivered(to pairing: PairingID) throws -> [OutboundRecord] {
        let journal =
            try file.map { try $0.journal(for: pairing) as any JournalBackend }
            ?? memory.withLock { $0.journals[pairing] }
        let configuration = PeerConfiguration(role: role, pairing: pairing, kinds: .product)
        return try journal?.restore(configuration).undelivered ?? []
    }

    /// Every pairing there is anything of.
    ///
    /// - Throws: `JournalError`; the disk failed.
    func all() throws(JournalError) -> [PairingID] { try paired().map(\.pairing) }

    /// Erases the keys and the journals of pairings.
    ///
    /// - Throws: `JournalError`; the disk failed.
    func forget(_ pairings: [PairingID], _ writes: [SQLWrite]) throws(JournalError) {
        if let file {
            _ = try file.forget(pairings, writes: writes)
            return
        }
        memory.withLock { memory in
            for pairing in pairings { memory.journals[pairing] = nil }
            memory.paired.removeAll { pairings.contains($0.pairing) }
        }
    }

    /// The journal of a pairing.
    ///
    /// - Throws: `JournalError` when the file was closed.
    func journal(of device: PairedDevice) throws(JournalError) -> any JournalBackend {
        if let file { return try file.journal(for: device.pairing) }
        return memory.withLock { memory in
            let known = memory.journals[device.pairing]
            let journal = known ?? MemoryJournal(pairedWith: device.ticket)
            memory.journals[device.pairing] = journal
            return journal
        }
    }
}
