internal import Glibc
package import WatchProtoCore
package import WatchProtoSecurity

/// The keys of the device, in the same file as what they protect: sealed where the journal is, and
/// otherwise kept from others by nothing but the file's mode, 0600.
///
/// Every call here waits for the disk, and opens a journal that has failed again first. Each throws
/// ``JournalError`` when the disk fails, which is a failure as of a commit, and when the file was
/// closed.
extension JournalFile {
    /// The name of this device in pairings: drawn when it is first asked for, and durable before it
    /// is given out.
    ///
    /// - Throws: ``JournalError``; the disk is at fault.
    package func deviceID() throws(JournalError) -> DeviceID {
        try writer.recover()
        return try writer.change { contents in
            if let known = contents.device { return known }
            let drawn = DeviceID.random()
            try contents.store(drawn)
            return drawn
        }
    }

    /// The devices this one is paired with, in the order in which they came into use; the last is
    /// the one in use.
    ///
    /// - Throws: ``JournalError`` when the file was closed or its disk has failed.
    package func pairedDevices() throws(JournalError) -> [PairedDevice] {
        try writer.recover()
        return try writer.change { contents in contents.paired.map(\.device) }
    }

    /// Keeps the result of a pairing: durable when this returns, and to be so before the
    /// counterpart is told that it may rely on it. The journal of the pairing begins with its
    /// ticket.
    ///
    /// It takes the place of an earlier pairing with the same device, whose keys are erased. The
    /// entries of that one stay until it is forgotten, or named here.
    ///
    /// - Parameters:
    ///   - device: the result of the pairing.
    ///   - gone: pairings of which everything is erased in the same transaction, as by
    ///     `forget(_:writes:)`; their sessions are closed.
    ///   - writes: the application's changes in that transaction.
    /// - Throws: ``JournalError``; the disk is at fault, and whether the result was kept shows when
    ///   the file is opened again.
    package func keep(
        _ device: PairedDevice, erasing gone: [PairingID] = [], writes: [SQLWrite] = []
    ) throws(JournalError) {
        try keepFromOthers()
        try writer.recover()
        try writer.change { contents in try contents.store(device, erasing: gone, writes) }
    }

    /// Makes a pairing the one in use, durable when this returns, as are the batches given before.
    /// The others keep their keys and entries.
    ///
    /// - Returns: whether its keys are here; if not, nothing has changed.
    /// - Throws: ``JournalError``; the disk is at fault, and which one is in use shows when the
    ///   file is opened again.
    @discardableResult
    package func activate(_ pairing: PairingID) throws(JournalError) -> Bool {
        try writer.recover()
        return try writer.change { contents in try contents.activate(pairing) }
    }

    /// A user may have opened the file to others before there were keys in it.
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
    /// it is written anew. (Blocks that the medium has overwritten are not in its power.)
    ///
    /// - Parameters:
    ///   - pairing: the pairing; its session is closed.
    ///   - writes: the application's changes in the same transaction.
    /// - Returns: whether the file held anything of it; if not, nothing is written.
    /// - Throws: ``JournalError``; the disk is at fault. Whether it was forgotten shows when the
    ///   file is opened again, and its bytes go then.
    @discardableResult
    package func forget(
        _ pairing: PairingID, writes: [SQLWrite] = []
    ) throws(JournalError) -> Bool {
        try forget([pairing], writes: writes)
    }

    /// Forgets several pairings in one transaction.
    ///
    /// - Throws: ``JournalError``, as that one does.
    @discardableResult
    package func forget(
        _ pairings: [PairingID], writes: [SQLWrite] = []
    ) throws(JournalError) -> Bool {
        try writer.recover()
        return try writer.change { contents in try contents.erase(pairings, writes) }
    }
}
