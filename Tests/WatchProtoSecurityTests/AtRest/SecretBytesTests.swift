import Glibc
import Testing

@testable import WatchProtoSecurity

/// Protected memory as it looks from outside. That it is overwritten before it is given back is
/// libsodium's promise: afterwards nothing is left to look at.
@Suite struct SecretBytesTests {
    @Test func bytes_are_kept() throws {
        let values = (0..<32).map { UInt8($0) }
        let secret = try SecretBytes(values)
        #expect(secret.exposed == values)
    }

    @Test func an_error_while_writing_leaves_nothing() {
        #expect(throws: AtRestKeyError.self) {
            unsafe try SecretBytes(count: 32) { _ throws(AtRestKeyError) in
                throw .noSecretMemory(count: 32)
            }
        }
    }

    @Test func more_than_there_is_throws() {
        let error = #expect(throws: AtRestKeyError.self) {
            unsafe try SecretBytes(count: 1 << 60) { _ throws(AtRestKeyError) in }
        }
        #expect(error?.fault == .systemRefused)
    }

    @Test func it_stays_out_of_core_dumps() throws {
        let secret = try SecretBytes([1, 2, 3])
        let flags = unsafe secret.withBytes { Self.flags(at: UInt(bitPattern: $0)) }
        #expect(flags?.contains("dd") == true, "\(flags ?? [])")
        #expect(flags?.contains("rd") == true)
        #expect(flags?.contains("wr") == false)
    }

    @Test func its_memory_is_gone_with_its_last_owner() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) { try lookAfterTheLastOwner() }
    }

    @Test func reading_past_the_end_is_caught() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) { try lookPastTheEnd() }
    }

    @Test func writing_to_it_is_caught() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) { try writeToIt() }
    }

    @Test func a_wiped_array_is_empty_and_its_memory_zero() {
        var bytes = [UInt8](repeating: 7, count: 64)
        bytes.reserveCapacity(256)
        let before = storage(of: &bytes, count: 64)
        #expect(before.content == [UInt8](repeating: 7, count: 64))
        AtRestKey.wipe(&bytes)
        let after = storage(of: &bytes, count: 64)
        #expect(bytes.isEmpty)
        #expect(after.address == before.address)
        #expect(after.content == [UInt8](repeating: 0, count: 64))
        var none: [UInt8] = []
        AtRestKey.wipe(&none)
        #expect(none.isEmpty)
    }

    /// The flags of the mapping at `address`, from `/proc/self/smaps` (proc(5)); nil if there is no
    /// such mapping.
    static func flags(at address: UInt) -> [Substring]? {
        guard let file = unsafe fopen("/proc/self/smaps", "r") else { return nil }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        var isInside = false
        while unsafe fgets(&line, Int32(line.count), file) != nil {
            let end = line.firstIndex(of: 0) ?? line.endIndex
            let text = String(decoding: line[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let words = text.split { $0 == " " || $0 == "\n" }
            let bounds = words.first.map { $0.split(separator: "-") } ?? []
            if bounds.count == 2, let low = UInt(bounds[0], radix: 16),
                let high = UInt(bounds[1], radix: 16)
            {
                isInside = (low..<high).contains(address)
            } else if isInside, words.first == "VmFlags:" {
                return Array(words.dropFirst())
            }
        }
        return nil
    }
}

/// Ends the process with the first byte of memory that is owned no more.
private func lookAfterTheLastOwner() throws {
    signal(SIGSEGV, SIG_DFL)
    var secret: SecretBytes? = try SecretBytes([1, 2, 3])
    let address = unsafe secret?.withBytes { UInt(bitPattern: $0) } ?? 0
    let pointer = unsafe UnsafePointer<UInt8>(bitPattern: address)
    guard unsafe pointer?.pointee == 1 else { exit(1) }
    secret = nil
    exit(unsafe Int32(pointer?.pointee ?? 0))
}

private func lookPastTheEnd() throws {
    signal(SIGSEGV, SIG_DFL)
    let secret = try SecretBytes((0..<32).map { UInt8($0) })
    exit(unsafe secret.withBytes { unsafe Int32($0[32]) })
}

private func writeToIt() throws {
    signal(SIGSEGV, SIG_DFL)
    let secret = try SecretBytes([1, 2, 3])
    unsafe secret.withBytes { unsafe UnsafeMutablePointer(mutating: $0)[0] = 9 }
    exit(0)
}
