internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore

/// Gives one carrier over descriptors that are already open, and no second one.
package final class DescriptorSource: CarrierSource {
    private enum State {
        case standardIO
        case fresh(reading: Int32, writing: Int32)
        case spent
    }

    private let state: Mutex<State>

    package init(read: Int32, write: Int32) { state = Mutex(.fresh(reading: read, writing: write)) }

    private init(_ state: sending State) { self.state = Mutex(state) }

    package static func standardIO() -> DescriptorSource { DescriptorSource(.standardIO) }

    package var waitsForCounterpart: Bool { false }
    package var readinessDescriptor: Int32? { nil }

    package func prepare() throws(LinkError) {
        try state.withLock { state throws(LinkError) in
            if case .standardIO = state {
                var input: Int32 = -1
                var output: Int32 = -1
                try Self.check(reading: 0, writing: 1)
                _ = try retryOnInterrupt {
                    unsafe watchproto_take_standard_io(&input, &output)
                }.orLinkError("dup", on: "standard input and output")
                state = .fresh(reading: input, writing: output)
            }
            if case .fresh(let reading, let writing) = state {
                try Self.check(reading: reading, writing: writing)
            }
        }
    }

    private static func check(reading: Int32, writing: Int32) throws(LinkError) {
        let readMode = watchproto_access_mode(reading)
        guard readMode >= 0, readMode != O_WRONLY else {
            throw .unusableDescriptor(reading, expected: "open for reading")
        }
        let writeMode = watchproto_access_mode(writing)
        guard writeMode >= 0, writeMode != O_RDONLY else {
            throw .unusableDescriptor(writing, expected: "open for writing")
        }
    }

    package func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        state.withLock { state in
            guard occasion == .asked else { return .nobodyYet }
            guard case .fresh(let reading, let writing) = state else { return .exhausted }
            state = .spent
            do throws(SystemErrorNumber) {
                return .opened(try PipeCarrier(reading: reading, writing: writing))
            } catch {
                return .failed(error.failure(of: "fcntl"))
            }
        }
    }

    package func close(leavingFiles: Bool) {
        state.withLock { state in
            if case .fresh(let reading, let writing) = state {
                DescriptorCall.close(reading)
                if writing != reading { DescriptorCall.close(writing) }
            }
            state = .spent
        }
    }
}
