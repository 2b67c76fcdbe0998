internal import Glibc
internal import Locks
internal import WatchProtoCore

/// Connects to a path. While nobody listens there, it watches the directory: it notices the
/// counterpart's return at once, without polling.
final class ConnectorSource: CarrierSource {
    private let path: String
    private let kind: SocketKind
    private let watch = Mutex<DirectoryWatch?>(nil)
    /// Identifies the file at the last attempt. A different file means that the counterpart has
    /// come back unnoticed, while the link to its former socket still seemed open.
    private let tried = Mutex<SocketPath.Mark?>(nil)

    init(path: String, kind: SocketKind) {
        self.path = path
        self.kind = kind
    }

    var waitsForCounterpart: Bool { false }

    var readinessDescriptor: Int32? {
        watch.withLock { watch in
            if watch == nil { watch = DirectoryWatch(path) }
            return watch?.descriptor
        }
    }

    func prepare() throws(LinkError) {}

    func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        // The watch comes first, so that a listener that starts after the attempt is noticed.
        _ = readinessDescriptor
        let hasAppeared = watch.withLock { $0?.takeSign() ?? false }
        let mark = SocketPath.mark(of: path)
        let isAnother = tried.withLock { tried in
            defer { tried = mark }
            return mark != nil && mark != tried
        }
        if occasion != .asked, !hasAppeared, !isAnother { return .nobodyYet }
        switch kind.make() {
        case .failure(let number): return .failed(number.failure(of: "socket"))
        case .success(let descriptor):
            switch SocketPath.connect(descriptor, to: path) {
            case .success:
                watch.withLock { $0 = nil }
                return .opened(SocketCarrier(descriptor, kind: kind))
            case .failure(let number):
                DescriptorCall.close(descriptor)
                return .failed(number.failure(of: "connect"))
            }
        }
    }

    func close(leavingFiles: Bool) { watch.withLock { $0 = nil } }
}
