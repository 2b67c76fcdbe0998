import Glibc
import Testing
import WatchProto
import WatchSecurity

@testable import WatchTransport

/// Each in a process of its own, where nothing else opens descriptors.
@Suite(.timeLimit(.minutes(1)))
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
                    let phone = try Side(.phone, at: phoneAddress)
                    let watch = try Side(.watch, at: watchAddress)
                    try watch.session.activate()
                    try phone.session.activate()
                    #expect(eventually { phone.isReachable && watch.isReachable })
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
                #expect(eventually { command.session.counters.linksOpened > 0 })
                command.session.close()
                holder.session.close()
            }
            // A session that was dropped ends on its own thread.
            guard eventually({ openDescriptors() <= before }) else {
                fatalError("\(openDescriptors()) descriptors, \(before) before")
            }
            // Every child was reaped.
            guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else {
                fatalError("a child process is left")
            }
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
                guard eventually({ watch.isReachable }) else { fatalError("never linked") }
            }
            guard eventually({ !watch.isReachable }) else { fatalError("the link outlived it") }
            watch.session.close()
        }
    }
}
