internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore

/// Carries bytes over two open descriptors, one to read from and one to write to: a pipe pair, or a
/// command's standard input and output.
final class PipeCarrier: Carrier {
    private let reading: Int32
    private let writing: Int32
    /// The former status flags, restored at the close because others share the open files.
    private let flagsBefore: (reading: Int32, writing: Int32)
    private let child: CommandProcess?
    private let isSuspended = Atomic(false)

    /// Takes over both descriptors and makes them non-blocking. The first pipe carrier makes this
    /// process ignore SIGPIPE, unless the program has chosen otherwise.
    init(
        reading: Int32, writing: Int32, child: CommandProcess? = nil
    ) throws(SystemErrorNumber) {
        flagsBefore = (watchproto_status_flags(reading), watchproto_status_flags(writing))
        self.reading = reading
        self.writing = writing
        self.child = child
        watchproto_ignore_broken_pipes()
        _ = try DescriptorCall.prepare(reading).get()
        if writing != reading { _ = try DescriptorCall.prepare(writing).get() }
    }

    /// The process at the other end, if this one started it.
    var process: pid_t? { child?.id }

    var traits: CarrierTraits { .stream }
    var readDescriptor: Int32? { isSuspended.load(ordering: .relaxed) ? nil : reading }
    var writeDescriptor: Int32? { writing }

    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
        DescriptorCall.read(reading, into: &buffer)
    }

    func write(_ bytes: Span<UInt8>) -> CarrierWrite { DescriptorCall.write(writing, bytes) }

    func suspend() { isSuspended.store(true, ordering: .relaxed) }
    func resume() { isSuspended.store(false, ordering: .relaxed) }

    /// Closes both descriptors. A child process then has a moment to end by itself.
    func close() {
        if child == nil {
            // A terminal, say, that the shell goes on using.
            if flagsBefore.reading >= 0 {
                _ = watchproto_set_status_flags(reading, flagsBefore.reading)
            }
            if flagsBefore.writing >= 0 {
                _ = watchproto_set_status_flags(writing, flagsBefore.writing)
            }
        }
        DescriptorCall.close(reading)
        if writing != reading { DescriptorCall.close(writing) }
        child?.end()
    }
}
