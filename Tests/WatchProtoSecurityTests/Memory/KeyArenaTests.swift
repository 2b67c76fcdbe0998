import Glibc
import Testing

@testable import WatchProtoSecurity

@Suite struct KeyArenaTests {
    @Test func twenty_thousand_keys_live_in_one_process() throws {
        let arena = KeyArena()
        var secrets: [Secret] = []
        for index in 0..<20_000 {
            secrets.append(try Secret(Self.pattern(index), in: arena))
        }
        for (index, secret) in secrets.enumerated() {
            #expect(secret.exposed == Self.pattern(index))
        }
        let usage = arena.usage
        #expect(usage.slots == 20_000)
        #expect(usage.pieces <= 8, "guarded allocations are scarce: \(usage.pieces)")
        #expect(usage.bytes >= 640_000)
        #expect(usage.bytes < 1_400_000)
        secrets = []
        #expect(arena.usage.slots == 0)
        #expect(arena.usage.pieces == usage.pieces)
    }

    private static func pattern(_ index: Int) -> [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: index >> ($0 % 16)) ^ UInt8($0) }
    }

    @Test func a_slot_is_wiped_and_given_again() throws {
        let arena = KeyArena()
        var secret: Secret? = try Secret([UInt8](repeating: 0xAB, count: 32), in: arena)
        let address = unsafe secret?.withBytes { UInt(bitPattern: $0.baseAddress) } ?? 0
        secret = nil
        // The piece is still the arena's.
        let memory = unsafe UnsafePointer<UInt8>(bitPattern: address)
        let left = (0..<32).map { unsafe memory?[$0] ?? 1 }
        #expect(left == [UInt8](repeating: 0, count: 32))
        var found: [UInt8] = []
        let next = unsafe try Secret(.small, in: arena) { slot in
            found = (0..<32).map { unsafe slot[$0] }
        }
        #expect(found == left)
        let nextAddress = unsafe next.withBytes { UInt(bitPattern: $0.baseAddress) }
        #expect(nextAddress == address)
    }

    @Test func a_copy_keeps_its_key_when_the_other_goes() throws {
        let arena = KeyArena()
        var one: CipherState? = CipherState(try Secret([UInt8](repeating: 1, count: 32), in: arena))
        let other = one
        one = nil
        #expect(arena.usage.slots == 1)
        #expect(other?.key?.exposed == [UInt8](repeating: 1, count: 32))
    }

    @Test func an_error_while_writing_leaves_nothing() throws {
        let arena = KeyArena()
        #expect(throws: SecurityFailure.authenticationFailure) {
            _ = unsafe try Secret(.large, in: arena) { slot throws(SecurityFailure) in
                unsafe slot[0] = 9
                throw .authenticationFailure
            }
        }
        #expect(arena.usage.slots == 0)
    }

    @Test func keys_taken_from_an_array_are_wiped_there() throws {
        var bytes = [UInt8](repeating: 5, count: 64)
        let before = storage(of: &bytes, count: 64)
        let secret = try Secret(taking: &bytes, in: KeyArena())
        let after = storage(of: &bytes, count: 64)
        #expect(bytes.isEmpty)
        #expect(after.address == before.address)
        #expect(after.content == [UInt8](repeating: 0, count: 64))
        #expect(secret.exposed == [UInt8](repeating: 5, count: 64))
    }

    @Test func both_sizes_stay_apart() throws {
        let arena = KeyArena()
        func value(_ index: Int, _ count: Int) -> [UInt8] {
            [UInt8](repeating: UInt8((index * count) & 0xFF), count: count)
        }
        let large = try (0..<300).map { try Secret(value($0, 64), in: arena) }
        let small = try (0..<300).map { try Secret(value($0 + 1, 32), in: arena) }
        for index in 0..<300 {
            #expect(large[index].exposed == value(index, 64))
            #expect(small[index].exposed == value(index + 1, 32))
        }
    }

    @Test func it_stays_out_of_core_dumps_and_swap() throws {
        let arena = KeyArena(locking: .required)
        try arena.prepare()
        let secret = try Secret([UInt8](repeating: 1, count: 32), in: arena)
        let address = unsafe secret.withBytes { UInt(bitPattern: $0.baseAddress) }
        let flags = SecretBytesTests.flags(at: address)
        #expect(flags?.contains("dd") == true, "\(flags ?? [])")
        #expect(flags?.contains("lo") == true, "\(flags ?? [])")
        #expect(arena.usage.unlockedBytes == 0)
    }

    @Test func threads_share_it() async throws {
        let arena = KeyArena()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<2000 {
                        let value = [UInt8](repeating: UInt8(task * 60 + round % 60), count: 32)
                        let kept = try (0..<4).map { _ in try Secret(value, in: arena) }
                        #expect(kept.allSatisfy { $0.exposed == value })
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(arena.usage.slots == 0)
    }

    /// In a process of its own, since the limit cannot be raised again.
    @Test func memory_that_cannot_be_locked_is_said() async {
        await #expect(processExitsWith: .success) { forbidLocking() }
    }

    @Test func memory_that_is_not_there_is_said() async {
        await #expect(processExitsWith: .success) { forbidMemory() }
    }

    @Test func the_errors_say_what_to_do() {
        for error in [KeyArenaError.noMemory(byteCount: 7), .notLocked(byteCount: 7)] {
            for word in ["seen", "expected", "7 bytes", "try:"] {
                #expect("\(error)".contains(word))
            }
        }
    }
}

private func forbidLocking() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    // Root may lock memory whatever the limit; another user may not.
    guard unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0,
        geteuid() != 0 || setuid(65_534) == 0
    else { exit(2) }
    let strict = KeyArena(locking: .required)
    do throws(KeyArenaError) {
        try strict.prepare()
        exit(3)
    } catch {
        guard error == .notLocked(byteCount: KeyArena.firstPieceBytes),
            strict.usage == KeyArena.Usage()
        else { exit(4) }
    }
    let lenient = KeyArena()
    guard (try? lenient.prepare()) != nil else { exit(5) }
    exit(lenient.usage.unlockedBytes == KeyArena.firstPieceBytes ? 0 : 6)
}

private func forbidMemory() {
    guard (try? KeyArena().prepare()) != nil else { exit(1) }
    var limit = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { exit(2) }
    let arena = KeyArena()
    do throws(KeyArenaError) {
        try arena.prepare()
        exit(3)
    } catch {
        exit(error == .noMemory(byteCount: KeyArena.firstPieceBytes) ? 0 : 4)
    }
}
