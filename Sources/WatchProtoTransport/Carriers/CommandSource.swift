internal import CPosix
internal import Glibc
internal import WatchProtoCore

/// Starts the other side as a child process for each link, and talks over its standard input and
/// output.
final class CommandSource: CarrierSource {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    var waitsForCounterpart: Bool { false }
    var readinessDescriptor: Int32? { nil }

    /// Fails at once if there is no such command.
    func prepare() throws(LinkError) {
        guard !Self.exists(words[0]) else { return }
        throw .system(
            CarrierFailure(call: "posix_spawn", errorNumber: ENOENT),
            subject: "command '\(words[0])'")
    }

    private static func exists(_ command: String) -> Bool {
        if command.contains("/") { return isExecutable(command) }
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
        return path.split(separator: ":", omittingEmptySubsequences: false)
            .contains { isExecutable("\($0.isEmpty ? "." : $0)/\(command)") }
    }

    private static func isExecutable(_ path: String) -> Bool {
        unsafe path.withCString { unsafe access($0, X_OK) } == 0
    }

    func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        guard occasion == .asked else { return .nobodyYet }
        do throws(CarrierFailure) {
            let toChild = try Self.pipe()
            defer { DescriptorCall.close(toChild.reading) }
            var ours: [Int32] = [toChild.writing]
            do throws(CarrierFailure) {
                let fromChild = try Self.pipe()
                defer { DescriptorCall.close(fromChild.writing) }
                ours.append(fromChild.reading)
                return .opened(try start(toChild, fromChild))
            } catch {
                for descriptor in ours { DescriptorCall.close(descriptor) }
                throw error
            }
        } catch {
            return .failed(error)
        }
    }

    private func start(
        _ toChild: (reading: Int32, writing: Int32), _ fromChild: (reading: Int32, writing: Int32)
    ) throws(CarrierFailure) -> PipeCarrier {
        let child: CommandProcess
        switch CommandProcess.start(words, input: toChild.reading, output: fromChild.writing) {
        case .success(let started): child = started
        case .failure(let number): throw number.failure(of: "posix_spawn")
        }
        do throws(SystemErrorNumber) {
            return try PipeCarrier(
                reading: fromChild.reading, writing: toChild.writing, child: child)
        } catch {
            child.end(grace: .zero)
            throw error.failure(of: "fcntl")
        }
    }

    func close(leavingFiles: Bool) {}

    /// Makes a pipe whose ends are closed on exec and are not standard descriptors (`pipe2`).
    private static func pipe() throws(CarrierFailure) -> (reading: Int32, writing: Int32) {
        var reading: Int32 = -1
        var writing: Int32 = -1
        let result = retryOnInterrupt { unsafe watchproto_pipe(&reading, &writing) }
        if case .failure(let number) = result { throw number.failure(of: "pipe2") }
        return (lifted(reading), lifted(writing))
    }

    /// Moves a descriptor to 10 or above if its number is that of a standard descriptor.
    private static func lifted(_ descriptor: Int32) -> Int32 {
        guard descriptor < 3 else { return descriptor }
        let higher = watchproto_duplicate(descriptor)
        DescriptorCall.close(descriptor)
        return higher
    }
}
