import Glibc
import Testing
import WatchProtoCore

@testable import WatchProtoTransport

/// Each in a process of its own, where nothing else opens descriptors.
@Suite(.timeLimit(.minutes(5)))
struct LeakTests {
    @Test("no descriptor is left open, whatever ends the sessions")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            var before = 0
            // The first round opens what the runtime keeps.
            for round in 0..<4 {
                if round == 1 { before = openDescriptors() }
                for kind in LinkKind.allCases {
                    let directory = TemporaryDirectory()
                    let (phoneAddress, watchAddress) = try kind.addresses(in: directory)
                    let (phone, watch) = try await linkedSides(at: phoneAddress, watchAddress)
                    phone.session.cutLink()
                    try phone.session.transfer(background([1]))
                    if round == 2 { phone.session.abandon() } else { phone.session.close() }
                    if round == 3 { watch.session.abandon() } else { watch.session.close() }
                }
                // Never activated, refused, and dropped without a word.
                let directory = TemporaryDirectory()
                let path = directory.file("s")
                _ = try Side(.phone, at: .unixStream(path: path))
                let holder = try Side(.watch, at: .unixStream(path: path))
                try holder.session.activate()
                let refused = try Side(.watch, at: .unixStream(path: path))
                #expect(throws: LinkError.self) { try refused.session.activate() }
                let command = try Side(.phone, at: .command(["cat"]))
                try command.session.activate()
                #expect(await eventually { command.session.counters.linksOpened > 0 })
                command.session.close()
                holder.session.close()
            }
            // A session that was dropped ends on its own thread.
            guard await eventually({ openDescriptors() <= before }) else {
                fatalError("\(openDescriptors()) descriptors, \(before) before")
            }
            // Every child was reaped.
            guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else {
                fatalError("a child process is left")
            }
        }
    }

    @Test("no descriptor passes to the programs this process starts")
    func inheritance() async {
        await #expect(processExitsWith: .success) {
            let before = inheritableDescriptors()
            var sides: [Side] = []
            var directories: [TemporaryDirectory] = []
            for kind in LinkKind.allCases {
                let directory = TemporaryDirectory()
                directories.append(directory)
                let (phoneAddress, watchAddress) = try kind.addresses(in: directory)
                let phone = try Side(.phone, at: phoneAddress)
                let watch = try Side(.watch, at: watchAddress)
                // A connecting side that finds nobody watches the directory.
                try phone.session.activate()
                try watch.session.activate()
                #expect(await eventually { phone.isReachable && watch.isReachable })
                sides += [phone, watch]
            }
            let command = try Side(.phone, at: .command(["cat"]))
            try command.session.activate()
            #expect(await eventually { command.session.counters.linksOpened > 0 })
            let passed = inheritableDescriptors().subtracting(before).map(descriptorTarget)
            #expect(passed.isEmpty, "not closed on exec: \(passed)")
            for side in sides + [command] { side.session.close() }
            #expect(directories.flatMap(\.names).isEmpty)
        }
    }

    @Test("a dropped session ends its thread and closes its link")
    func dropped() async {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let address = LinkAddress.unixStream(path: directory.file("s"))
            let watch = try Side(.watch, at: address)
            try watch.session.activate()
            do {
                let phone = try Side(.phone, at: address)
                try phone.session.activate()
                guard await eventually({ watch.isReachable }) else { fatalError("never linked") }
            }
            guard await eventually({ !watch.isReachable }) else {
                fatalError("the link outlived it")
            }
            watch.session.close()
        }
    }
}

/// Standard input and output belong to the process: tried in one of its own.
@Suite(.timeLimit(.minutes(5)))
struct StandardIOTests {
    @Test("standard input and output become a link that a stray print cannot get into")
    func standardIO() async {
        await #expect(processExitsWith: .success) {
            let there = try makePipe()
            let back = try makePipe()
            dup2(there.0, 0)
            dup2(back.1, 1)
            let source = LinkAddress.standardIO.makeSource(side: .listening)
            try source.prepare()
            guard case .opened(let carrier) = source.open(.asked) else { fatalError("not open") }
            print("a stray line")
            fflush(nil)
            guard carrier.write([1, 2].span) == .took(2),
                DescriptorCall.write(there.1, [3, 4].span) == .took(2)
            else { fatalError("not written") }
            var buffer = [UInt8](repeating: 0, count: 100)
            var span = buffer.mutableSpan
            guard DescriptorCall.read(back.0, into: &span) == .bytes(2), buffer[..<2] == [1, 2]
            else {
                fatalError("not what was written")
            }
            guard CarrierTests.read(carrier) == [3, 4] else { fatalError("not read") }
            carrier.close()
        }
    }
}
