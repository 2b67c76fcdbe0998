import Glibc
import Testing
import WatchProto

@testable import WatchTransport

/// Where carriers come from: claims of paths, given descriptors, commands.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SourceTests {
    private func listener(_ kind: LinkKind, _ directory: TemporaryDirectory) throws
        -> any CarrierSource
    {
        try kind.addresses(in: directory).watch.makeSource(side: .listening, wireVersion: 0)
    }

    @Test(
        "a path that is held alive is refused, and its holder is not disturbed",
        arguments: LinkKind.sockets, LinkKind.sockets)
    func held(_ kind: LinkKind, by holderKind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let holder = try listener(holderKind, directory)
        try holder.prepare()
        let second = try listener(kind, directory)
        #expect(throws: LinkError.heldByAnotherProcess(path: directory.file("s"))) {
            try second.prepare()
        }
        // Nobody knocked: the question whether it lives is not an attempt to connect.
        guard case .nobodyYet = holder.open(.sign) else {
            Issue.record("the holder was disturbed")
            return
        }
        second.close(leavingFiles: false)
        #expect(directory.names == ["s"])
        holder.close(leavingFiles: false)
        #expect(directory.names.isEmpty)
    }

    @Test("the file of a dead holder is replaced", arguments: LinkKind.sockets, LinkKind.sockets)
    func stale(_ kind: LinkKind, of deadKind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let dead = try listener(deadKind, directory)
        try dead.prepare()
        dead.close(leavingFiles: true)
        #expect(directory.names == ["s"])
        let next = try listener(kind, directory)
        try next.prepare()
        next.close(leavingFiles: false)
        #expect(directory.names.isEmpty)
    }

    @Test("what is not a socket is left alone", arguments: LinkKind.sockets)
    func notASocket(_ kind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let file = unsafe creat(path, 0o600)
        #expect(file >= 0)
        Descriptor.close(file)
        let source = try listener(kind, directory)
        #expect(throws: LinkError.notASocket(path: path)) { try source.prepare() }
        #expect(directory.names == ["s"])
    }

    @Test("a directory that does not exist is named", arguments: LinkKind.sockets)
    func noDirectory(_ kind: LinkKind) throws {
        let path = "/nonexistent-directory/s"
        let source = LinkAddress.unixStream(path: path).makeSource(side: .listening, wireVersion: 0)
        let error = #expect(throws: LinkError.self) { try source.prepare() }
        #expect(error?.description.contains("No such file or directory") == true)
        #expect(error?.description.contains(path) == true)
    }

    @Test("only our own file is removed at the close")
    func replaced() throws {
        let directory = TemporaryDirectory()
        let first = try listener(.stream, directory)
        try first.prepare()
        _ = unsafe unlink(directory.file("s"))
        let second = try listener(.stream, directory)
        try second.prepare()
        first.close(leavingFiles: false)
        #expect(directory.names == ["s"])
        second.close(leavingFiles: false)
        #expect(directory.names.isEmpty)
    }

    @Test("descriptors that cannot serve are refused before anything is read")
    func descriptors() throws {
        let (reading, writing) = try makePipe()
        defer {
            Descriptor.close(reading)
            Descriptor.close(writing)
        }
        func error(_ read: Int32, _ write: Int32) -> LinkError? {
            let source = LinkAddress.descriptors(read: read, write: write)
                .makeSource(side: .listening, wireVersion: 0)
            return #expect(throws: LinkError.self) { try source.prepare() }
        }
        #expect(
            error(writing, writing) == .unusableDescriptor(writing, expected: "open for reading"))
        #expect(
            error(reading, reading) == .unusableDescriptor(reading, expected: "open for writing"))
        #expect(error(999, writing) == .unusableDescriptor(999, expected: "open for reading"))
    }

    @Test("descriptors give one carrier and no second")
    func once() throws {
        let (left, right) = try makeSocketPair()
        defer { Descriptor.close(right) }
        let source = LinkAddress.descriptors(read: left, write: left)
            .makeSource(side: .listening, wireVersion: 0)
        try source.prepare()
        guard case .opened(let carrier) = source.open(.asked) else {
            Issue.record("expected a carrier")
            return
        }
        carrier.close()
        guard case .exhausted = source.open(.asked) else {
            Issue.record("expected no second carrier")
            return
        }
    }

    @Test("a command that does not exist is named at once")
    func noCommand() {
        let source = CommandSource(["no-such-command-anywhere"])
        let error = #expect(throws: LinkError.self) { try source.prepare() }
        #expect(error?.description.contains("no-such-command-anywhere") == true)
    }

    @Test("a command's standard input and output carry bytes, and it ends with the carrier")
    func command() async throws {
        let source = CommandSource(["cat"])
        try source.prepare()
        guard case .opened(let carrier) = source.open(.asked) else {
            Issue.record("expected a carrier")
            return
        }
        #expect(carrier.write([1, 2, 3].span) == .took(3))
        var echoed: [UInt8] = []
        #expect(
            await eventually {
                echoed += CarrierTests.read(carrier) ?? []
                return echoed == [1, 2, 3]
            })
        let process = try #require((carrier as? PipeCarrier)?.process)
        #expect(kill(process, 0) == 0)
        carrier.close()
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }

    @Test(
        "a command that ends is the end of the carrier; one that will not end is killed",
        arguments: [["true"], ["sh", "-c", "trap '' TERM; exec sleep 60"]])
    func commandEnds(_ words: [String]) async throws {
        let source = CommandSource(words)
        guard case .opened(let carrier) = source.open(.asked) else {
            Issue.record("expected a carrier")
            return
        }
        let process = try #require((carrier as? PipeCarrier)?.process)
        if words == ["true"] { #expect(await eventually { CarrierTests.read(carrier) == nil }) }
        // Time for the shell to have set its trap.
        await pause(.milliseconds(200))
        carrier.close()
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }
}
