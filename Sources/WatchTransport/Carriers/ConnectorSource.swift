internal import Glibc
internal import Synchronization
internal import WatchProto

/// Comes to a path; while nobody listens there, the directory is watched, so that the counterpart's
/// return is noticed at once and nothing polls.
final class ConnectorSource: CarrierSource {
    private let path: String
    private let kind: SocketKind
    private let watch = Mutex<DirectoryWatch?>(nil)

    init(path: String, kind: SocketKind) {
        self.path = path
        self.kind = kind
    }

    var waitsForCounterpart: Bool { false }

    var signDescriptor: Int32? {
        watch.withLock { watch in
            if watch == nil { watch = DirectoryWatch(path) }
            return watch?.descriptor
        }
    }

    func prepare() throws(LinkError) {}

    func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        // The watch comes first: whoever starts to listen after the attempt is noticed.
        _ = signDescriptor
        let hasAppeared = watch.withLock { $0?.takeSign() ?? false }
        if occasion != .asked, !hasAppeared { return .nobodyYet }
        switch kind.make() {
        case .failure(let number): return .failed(number.failure(of: "socket"))
        case .success(let descriptor):
            switch SocketPath.connect(descriptor, to: path) {
            case .success:
                watch.withLock { $0 = nil }
                return .opened(SocketCarrier(descriptor, kind: kind))
            case .failure(let number):
                Descriptor.close(descriptor)
                return .failed(number.failure(of: "connect"))
            }
        }
    }

    func close(leavingFiles: Bool) { watch.withLock { $0 = nil } }
}
