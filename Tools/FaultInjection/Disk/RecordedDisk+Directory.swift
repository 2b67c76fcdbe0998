internal import CSQLite
internal import WatchProtoJournal

extension RecordedDisk {
    /// Stands in a journal's way: notes what it asks of its directory itself, not by way of SQLite,
    /// and lets it fail. `next` is asked about all else.
    func fault(before next: JournalFault? = nil) -> JournalFault {
        JournalFault { call in
            guard let asked = Self.call(call) else { return next?.code(call) }
            let code = self.note(asked)
            return code == SQLITE_OK ? nil : code
        }
    }

    private static func call(_ call: JournalFault.Call) -> DiskCall? {
        switch call {
        case .remove(let path): DiskCall(kind: .delete, path: path)
        case .rename(let path, let target): DiskCall(kind: .rename, path: path, target: target)
        case .syncDirectory(let path): DiskCall(kind: .syncDirectory, path: path)
        default: nil
        }
    }
}
