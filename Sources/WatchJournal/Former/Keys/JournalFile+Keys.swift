internal import Glibc
public import WatchProto
public import WatchSecurity

/// The keys of the device, in the same file as what they protect: sealed where the journal is, and
/// otherwise kept from others by nothing but the file's mode, 0600.
///
/// Every call here waits for the disk. Each throws ``JournalError`` when the disk fails, and the
/// journal takes nothing more then, as after a failed commit; also when the file was closed.
extension JournalFile {
    /// What this device is called when it pairs: drawn when it is first asked for, and durable
    /// before it is given out. Throws ``JournalError``: the disk is at fault.
    public func deviceID() throws(JournalError) -> DeviceID {
        try writer.change { contents in
            if let known = contents.device { return known }
            let drawn = DeviceID.random()
            try contents.store(drawn)
            return drawn
        }
    }

    /// The devices this one is paired with, in the order in which they came into use; the last is
    /// the one in use.
    /// Throws ``JournalError`` when the file was closed or its disk has failed.
    public func pairedDevices() throws(JournalError) -> [PairedDevice] {
        try writer.change { contents in contents.paired.map(\.device) }
    }

    /// Keeps what a pairing left: durable when this returns, and to be so before the counterpart is
    /// told that it may rely on it.
    ///
    /// It takes the place of an earlier pairing with the same device, whose keys are erased. What
    /// the journal holds of that one stays until it is forgotten, or named here.
    ///
    /// - Parameters:
    ///   - device: what the pairing left.
    ///   - gone: pairings of which everything is erased in the same transaction, as by
    ///     `forget(_:writes:)`; their sessions are closed.
    ///   - writes: what the application erases with them, or makes of them, in that transaction.
    /// - Throws: ``JournalError``; the disk is at fault, and whether it was kept shows when the
    ///   file is opened again.
    public func keep(
        _ device: PairedDevice, erasing gone: [PairingID] = [], writes: [SQLWrite] = []
    ) throws(JournalError) {
        try keepFromOthers()
        try writer.flush()
        try writer.change { contents in try contents.store(device, erasing: gone, writes) }
    }

    /// Makes a pairing the one in use, durable when this returns; what was given before is so, too.
    /// The others keep their keys and what the journal holds of them.
    ///
    /// - Returns: whether its keys are here; if not, nothing has changed.
    /// - Throws: ``JournalError``; the disk is at fault, and which one is in use shows when the
    ///   file is opened again.
    @discardableResult
    public func activate(_ pairing: PairingID) throws(JournalError) -> Bool {
        try writer.flush()
        return try writer.change { contents in try contents.activate(pairing) }
    }

    /// Whoever opened the file to others did so before there were keys in it.
    private func keepFromOthers() throws(JournalError) {
        let file = try FileLook.resolved(path)
        for name in [file, file + "-wal"] {
            guard try FileLook.kind(of: name).0 != .nothing else { continue }
            guard unsafe chmod(name, 0o600) == 0 else {
                throw FileLook.systemError("chmod", errno, path)
            }
        }
    }

    /// Erases the keys of a pairing and everything the journal holds of it, from the file itself:
    /// it is written anew. (What the medium keeps of overwritten blocks is not in its power.)
    ///
    /// - Parameters:
    ///   - pairing: whose session is closed.
    ///   - writes: what the application erases with it, in the same transaction.
    /// - Returns: whether the file held anything of it; if not, nothing is written.
    /// - Throws: ``JournalError``; the disk is at fault. What was forgotten, if it was, shows when
    ///   the file is opened again, and its bytes go then.
    @discardableResult
    public func forget(
        _ pairing: PairingID, writes: [SQLWrite] = []
    ) throws(JournalError) -> Bool {
        try forget([pairing], writes: writes)
    }

    /// As the one for a single pairing, for all of these in one transaction.
    ///
    /// - Throws: ``JournalError``, as that one does.
    @discardableResult
    public func forget(
        _ pairings: [PairingID], writes: [SQLWrite] = []
    ) throws(JournalError) -> Bool {
        try writer.flush()
        return try writer.change { contents in try contents.erase(pairings, writes) }
    }
}

extension JournalWriter {
    /// Changes the contents on the caller's thread, between two groups. Throws what fails, which
    /// ends the journal, as a commit that fails does.
    func change<Value: Sendable>(
        _ body: (JournalContents) throws -> Value
    ) throws(JournalError) -> Value {
        if let failure { throw failure }
        do {
            return try look(body)
        } catch let error as JournalError {
            throw error
        } catch {
            throw stop(for: error)
        }
    }
}
