internal import Synchronization
internal import WatchJournal
internal import WatchProto
internal import WatchSecurity
internal import WatchTransport

/// The keys of a simulator: in its journal's file, or in memory where there is none.
final class DeviceKeys: Sendable {
    private struct Memory {
        var device = DeviceID.random()
        var paired: [PairedDevice] = []
        var journals: [PairingID: MemoryJournal] = [:]
    }

    private let file: JournalFile?
    private let memory = Mutex(Memory())

    init(_ file: JournalFile?) { self.file = file }

    /// What this device is called when it pairs. Throws when the disk failed.
    func device() throws(JournalError) -> DeviceID {
        if let file { return try file.deviceID() }
        return memory.withLock { $0.device }
    }

    /// The devices it is paired with; the last is the one in use. Throws when the disk failed.
    func paired() throws(JournalError) -> [PairedDevice] {
        if let file { return try file.pairedDevices() }
        return memory.withLock { $0.paired }
    }

    /// Keeps a pairing, and erases everything of those in `gone` in the same transaction. Throws
    /// when the disk failed; nothing is kept or erased then.
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

    /// Makes a pairing the one in use; says whether its keys are here. Throws when the disk failed.
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

    /// The records queued for a device whose pairing is not in use. Throws when the disk failed.
    func outstanding(for pairing: PairingID) throws -> Int {
        try journal(of: pairing).restore().outboundInOrder().count
    }

    /// The durable records queued for such a device that are still to be delivered. Throws when the
    /// disk failed.
    func undelivered(to pairing: PairingID) throws -> [OutboundRecord] {
        try journal(of: pairing).restore().outboundInOrder()
            .filter { $0.withdrawal == nil && $0.record.id.channel.traits.isDurable }
            .map(\.record)
    }

    /// Every pairing there is anything of, those that others took the place of included. Throws
    /// when the disk failed.
    func all() throws(JournalError) -> [PairingID] {
        try paired().map(\.pairing) + replaced
    }

    /// Erases the keys and the journals of pairings. Throws when the disk failed.
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

    /// Pairings of which only a journal is left: another with the same device took their place, in
    /// a version that did not erase them.
    var replaced: [PairingID] {
        let keys = Set(((try? paired()) ?? []).map(\.pairing))
        let known = file?.pairings ?? memory.withLock { Array($0.journals.keys) }
        let own = [Simulator.pairing, Simulator.unpaired]
        return known.filter { !keys.contains($0) && !own.contains($0) }
            .sorted { $0.rawValue < $1.rawValue }
    }

    /// The journal of a pairing. Throws when the file was closed.
    func journal(of pairing: PairingID) throws(JournalError) -> any JournalHost {
        if let file { return try file.journal(for: pairing) }
        return memory.withLock { memory in
            if let known = memory.journals[pairing] { return known }
            let made = MemoryJournal()
            memory.journals[pairing] = made
            return made
        }
    }
}
