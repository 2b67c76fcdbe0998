internal import CRecordingVFS
internal import CSQLite
internal import Locks

/// A file system for SQLite that notes every call made of the real disk behind it, and can make one
/// fail. Journals are opened on it by its ``name``; all of them must be closed before it ends.
@safe package final class RecordedDisk: Sendable {
    private struct State {
        var calls: [DiskCall] = []
        var fault: DiskFault?
        var passed = 0
        var faultsMet = 0
    }

    private static let count = Atomic<Int>(0)

    /// Its name in SQLite.
    package let name: String
    private let isRecording: Bool
    private let state = Mutex(State())
    // SQLite keeps the pointer for as long as the file system is registered.
    private nonisolated(unsafe) let registeredName: UnsafeMutablePointer<CChar>

    /// Registers the file system; `isRecording` says whether it notes calls, or only fails some.
    package init(isRecording: Bool = true) {
        self.isRecording = isRecording
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        name = "watchproto-recorded-\(number)"
        let length = name.utf8.count + 1
        unsafe registeredName = UnsafeMutablePointer<CChar>.allocate(capacity: length)
        unsafe name.withCString { unsafe registeredName.update(from: $0, count: length) }
        let result = unsafe watchproto_recording_vfs_register(
            registeredName,
            { context, call, path, offset, data, count in
                let disk = unsafe Unmanaged<RecordedDisk>.fromOpaque(context!)
                    .takeUnretainedValue()
                let bytes = unsafe UnsafeRawBufferPointer(
                    start: data, count: data == nil ? 0 : Int(count))
                return disk.note(
                    DiskCall(
                        kind: DiskCall.Kind(rawValue: call)!,
                        path: unsafe String(cString: path!), offset: Int(offset),
                        bytes: unsafe Array(bytes)))
            }, Unmanaged.passUnretained(self).toOpaque())
        precondition(result == SQLITE_OK, "sqlite3_vfs_register: \(result)")
    }

    deinit {
        unsafe watchproto_recording_vfs_unregister(registeredName)
        unsafe registeredName.deallocate()
    }

    /// The calls that changed the disk so far, oldest first; a sync that failed is among them.
    package var calls: [DiskCall] { state.withLock { $0.calls } }

    /// How many calls changed the disk so far.
    package var callCount: Int { state.withLock { $0.calls.count } }

    /// Plants a fault, counted from now; nil takes it away.
    package func plant(_ fault: DiskFault?) {
        state.withLock { state in
            state.fault = fault
            state.passed = 0
            state.faultsMet = 0
        }
    }

    /// How many calls failed since the fault was planted.
    package var faultsMet: Int { state.withLock { $0.faultsMet } }

    /// The code the call must end with; 0 lets it through.
    func note(_ call: DiskCall) -> Int32 {
        state.withLock { state in
            if let fault = state.fault, fault.kinds.contains(call.kind) {
                defer { state.passed += 1 }
                if state.passed == fault.passes || (fault.isForever && state.passed > fault.passes)
                {
                    state.faultsMet += 1
                    if isRecording, call.kind == .sync {
                        state.calls.append(call)
                        state.calls[state.calls.count - 1].isFailed = true
                    }
                    return fault.failure.code(for: call.kind)
                }
            }
            if isRecording, call.kind.changesTheDisk { state.calls.append(call) }
            return SQLITE_OK
        }
    }
}

extension DiskFault.Failure {
    /// SQLite's code for the failure of such a call.
    fileprivate func code(for kind: DiskCall.Kind) -> Int32 {
        if self == .full { return SQLITE_FULL }
        if kind == .create { return SQLITE_CANTOPEN }
        // The extended codes are function-like macros: SQLITE_IOERR with a number above it.
        let detail: Int32 =
            switch kind {
            case .read: 1
            case .write: 3
            case .sync: 4
            case .truncate: 6
            case .delete: 10
            case .create, .rename: 0
            case .syncDirectory: 5
            }
        return SQLITE_IOERR | detail << 8
    }
}
