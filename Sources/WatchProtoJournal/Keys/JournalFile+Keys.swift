internal import Glibc
package import WatchProtoCore
package import WatchProtoSecurity

/// The keys of the device, in the same file as the data they protect. They are sealed if the
/// journal is. Otherwise only the file's mode, 0600, protects them.
///
/// Every call here waits for the disk. If the journal has failed, the call opens it again first.
/// Each call throws ``JournalError`` if the file was closed or the disk fails; that failure counts
/// like one of a commit.
extension JournalFile {
    /// The name of this device in pairings. It is drawn when it is first needed, and durable before
    /// it is returned.
    ///
    /// - Throws: ``JournalError``; the disk is at fault.
    package func deviceID() throws(JournalError) -> DeviceID {
        try writer.recover()
        if let known = try writer.change(checking: false, { contents in contents.device }) {
            return known
        }
        return try writer.change { contents in
            if let known = contents.device { return known }
            let drawn = DeviceID.random()
            try contents.store(drawn)
            return drawn
        }
    }

    /// The devices that this one is paired with, in the order in which they came into use. The last
    /// one is in use.
    ///
    /// - Throws: ``JournalError`` if the file was closed or its disk has failed.
    package func pairedDevices() throws(JournalError) -> [PairedDevice] {
        try writer.recover()
        return try writer.change(checking: false) { contents in contents.paired.map(\.device) }
    }

    /// Keeps the result of a pairing, durable on return. Call it before the counterpart is told to
    /// rely on it. The journal of the pairing begins with its ticket.
    ///
    /// It replaces an earlier pairing with the same device, whose keys are erased. The entries of
    /// that pairing stay until it is forgotten, or named here.
    ///
    /// - Parameters:
    ///   - device: the result of the pairing.
    ///   - gone: pairings of which everything is erased in the same transaction, as by
    ///     `forget(_:writes:)`; their sessions are closed.
    ///   - writes: the application's changes in that transaction.
    /// - Throws: ``JournalError``; the disk is at fault. Whether the result was kept shows when the
    ///   file is opened again.
    package func keep(
        _ device: PairedDevice, erasing gone: [PairingID] = [], writes: [SQLWrite] = []
    ) throws(JournalError) {
        try keepFromOthers()
        try writer.recover()
        try writer.change { contents in try contents.store(device, erasing: gone, writes) }
    }

    /// Makes a pairing the one in use. The change and all earlier batches are durable on return.
    /// The other pairings keep their keys and entries.
    ///
    /// - Returns: whether its keys are here; if not, nothing has changed.
    /// - Throws: ``JournalError``; the disk is at fault. Which pairing is in use shows when the
    ///   file is opened again.
    @discardableResult
    package func activate(_ pairing: PairingID) throws(JournalError) -> Bool {
        try writer.recover()
        return try writer.change { contents in try contents.activate(pairing) }
    }

    /// Sets the file's mode, because a user may have changed it before there were keys in the file.
    private func keepFromOthers() throws(JournalError) {
        let file = try FileLook.resolved(path)
        for name in [file, file + "-wal"] {
            guard try FileLook.kind(of: name).0 != .nothing else { continue }
            guard unsafe chmod(name, 0o600) == 0 else {
                throw FileLook.systemError("chmod", errno, path)
            }
        }
    }

    /// Erases the keys and all entries of a pairing from the file, which is written anew. It cannot
    /// erase blocks that the medium itself has replaced.
    ///
    /// - Parameters:
    ///   - pairing: the pairing; its session is closed.
    ///   - writes: the application's changes in the same transaction.
    /// - Returns: whether the file had entries of it; if not, nothing is written.
    /// - Throws: ``JournalError``; the disk is at fault. Whether it was forgotten shows when the
    ///   file is opened again, and its bytes are erased then.
    @discardableResult
    package func forget(
        _ pairing: PairingID, writes: [SQLWrite] = []
    ) throws(JournalError) -> Bool {
        try forget([pairing], writes: writes)
    }

    /// Forgets several pairings in one transaction.
    ///
    /// - Throws: ``JournalError``; the disk is at fault.
    @discardableResult
    package func forget(
        _ pairings: [PairingID], writes: [SQLWrite] = []
    ) throws(JournalError) -> Bool {
        try writer.recover()
        return try writer.change { contents in try contents.erase(pairings, writes) }
    }
}
