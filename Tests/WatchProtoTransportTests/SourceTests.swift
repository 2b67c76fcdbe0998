import CPosix
import Glibc
import Testing
import WatchProtoCore

@testable import WatchProtoTransport

/// The sources of carriers: claims of paths, given descriptors, commands.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SourceTests {
    private func listener(_ kind: LinkKind, _ directory: TemporaryDirectory) throws
        -> any CarrierSource
    {
        try kind.addresses(in: directory).watch.makeSource(side: .listening)
    }

    @Test(
        "a path that is held alive is refused, and its holder is not disturbed",
        arguments: LinkKind.files, LinkKind.files)
    func held(_ kind: LinkKind, by holderKind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let holder = try listener(holderKind, directory)
        try holder.prepare()
        let second = try listener(kind, directory)
        #expect(throws: LinkError.heldByAnotherProcess(path: directory.file("s"))) {
            try second.prepare()
        }
        // Nobody came: the question whether it lives is not an attempt to connect.
        switch holder.open(.sign) {
        case .nobodyYet: break
        // A socket for datagrams is open to everybody.
        case .opened(let carrier) where holderKind == .datagram:
            #expect(CarrierTests.read(carrier) == [])
            carrier.close()
        default: Issue.record("the holder was disturbed")
        }
        second.close(leavingFiles: false)
        #expect(directory.names == ["s"])
        holder.close(leavingFiles: false)
        #expect(directory.names.isEmpty)
    }

    @Test("the file of a dead holder is replaced", arguments: LinkKind.files, LinkKind.files)
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

    @Test(
        "a program that a dead holder started does not hold its path", arguments: LinkKind.files)
    func heirs(_ kind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let dead = try listener(kind, directory)
        try dead.prepare()
        guard case .opened(let heir) = CommandSource(["cat"]).open(.asked) else {
            Issue.record("expected a carrier")
            return
        }
        defer { heir.close() }
        dead.close(leavingFiles: true)
        let next = try listener(kind, directory)
        try next.prepare()
        next.close(leavingFiles: false)
        #expect(directory.names.isEmpty)
    }

    @Test("a path is looked at again until it is free, and its directory is not locked meanwhile")
    func looks() throws {
        let directory = TemporaryDirectory()
        let folder = unsafe open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(folder >= 0)
        defer { DescriptorCall.close(folder) }
        let holder = try listener(.stream, directory)
        try holder.prepare()
        let descriptor = try SocketKind.stream.make().get()
        defer { DescriptorCall.close(descriptor) }
        var most = 0
        let claim = try SocketPath.claim(directory.file("s"), binding: descriptor) { looks in
            most = looks
            #expect(flock(folder, LOCK_EX | LOCK_NB) == 0)
            flock(folder, LOCK_UN)
            if looks == 3 { holder.close(leavingFiles: true) }
            // A program that another test is starting may have a copy for a while.
            if looks > 3 { usleep(1_000) }
            return looks < 10_000
        }
        #expect(most >= 3)
        claim.remove()
        #expect(directory.names.isEmpty)
    }

    @Test("a directory is let go of although a program being started has a copy of the descriptor")
    func unlocked() {
        let directory = TemporaryDirectory()
        let lock = unsafe watchproto_lock_directory(directory.path, 0)
        let copy = watchproto_duplicate(lock)
        defer { DescriptorCall.close(copy) }
        let next = unsafe open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { DescriptorCall.close(next) }
        #expect(flock(next, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK)
        watchproto_unlock_directory(lock)
        #expect(flock(next, LOCK_EX | LOCK_NB) == 0)
    }

    @Test("a file that is no socket is left alone", arguments: LinkKind.files)
    func notASocket(_ kind: LinkKind) throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let file = unsafe creat(path, 0o600)
        #expect(file >= 0)
        DescriptorCall.close(file)
        let source = try listener(kind, directory)
        #expect(throws: LinkError.notASocket(path: path)) { try source.prepare() }
        #expect(directory.names == ["s"])
    }

    @Test("a directory that does not exist is named", arguments: LinkKind.files)
    func noDirectory(_ kind: LinkKind) throws {
        let path = "/nonexistent-directory/s"
        let source = LinkAddress.unixStream(path: path).makeSource(side: .listening)
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
            DescriptorCall.close(reading)
            DescriptorCall.close(writing)
        }
        func error(_ read: Int32, _ write: Int32) -> LinkError? {
            let source = LinkAddress.descriptors(read: read, write: write)
                .makeSource(side: .listening)
            return #expect(throws: LinkError.self) { try source.prepare() }
        }
        #expect(
            error(writing, writing) == .unusableDescriptor(writing, expected: "open for reading"))
        #expect(
            error(reading, reading) == .unusableDescriptor(reading, expected: "open for writing"))
        // No process has so many descriptors, whatever other tests open meanwhile.
        let none = Int32.max
        #expect(error(none, writing) == .unusableDescriptor(none, expected: "open for reading"))
    }

    @Test("descriptors give one carrier and no second")
    func once() throws {
        let (left, right) = try makeSocketPair()
        defer { DescriptorCall.close(right) }
        let source = LinkAddress.descriptors(read: left, write: left)
            .makeSource(side: .listening)
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
