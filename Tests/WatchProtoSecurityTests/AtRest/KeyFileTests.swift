import Glibc
import Testing

@testable import WatchProtoSecurity

@Suite struct KeyFileTests {
    let directory: Directory
    static let key = (1...32).map { UInt8($0) }
    static let digits = "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"

    init() throws { directory = try Directory() }

    func fault(
        _ path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) -> AtRestKeyError? {
        let error = #expect(throws: AtRestKeyError.self, sourceLocation: sourceLocation) {
            try AtRestKey(keyFile: path)
        }
        #expect(error?.place == "key file '\(path)'", sourceLocation: sourceLocation)
        #expect(error?.remedy.isEmpty == false, sourceLocation: sourceLocation)
        return error
    }

    // MARK: Reading

    @Test(arguments: [
        key, Array(digits.utf8), Array((digits + "\n").utf8), Array(digits.uppercased().utf8),
    ])
    func raw_bytes_and_digits_are_read(content: [UInt8]) throws {
        let path = try directory.file("key", content)
        #expect(try AtRestKey(keyFile: path).bytes.exposed == Self.key)
    }

    @Test(arguments: [0o600, 0o400] as [mode_t]) func its_owner_may_read_it(mode: mode_t) throws {
        let path = try directory.file("key", Self.key, mode: mode)
        #expect(try AtRestKey(keyFile: path).bytes.exposed == Self.key)
    }

    @Test func it_may_stand_behind_a_symbolic_link() throws {
        _ = try directory.file("key", Self.key)
        directory.link("link", to: "key")
        #expect(try AtRestKey(keyFile: "\(directory.path)/link").bytes.exposed == Self.key)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o777] as [mode_t])
    func one_that_is_open_to_others_is_refused(mode: mode_t) throws {
        let error = fault(try directory.file("key", Self.key, mode: mode))
        #expect(error?.fault == .openToOthers)
        #expect(error?.seen.contains("mode 0\(String(mode, radix: 8))") == true)
        #expect(error?.remedy.contains("chmod 600") == true)
    }

    @Test(arguments: [0, 1, 31, 33, 63, 66, 127]) func a_wrong_length_is_told(count: Int) throws {
        let error = fault(
            try directory.file("key", [UInt8](repeating: UInt8(ascii: "a"), count: count)))
        #expect(error?.fault == .wrongLength)
        #expect(error?.seen == "\(count) bytes")
        #expect(error?.expected == "32 raw bytes or 64 hexadecimal digits")
    }

    @Test(arguments: [128, 129, 100_000]) func a_long_file_is_not_read_whole(count: Int) throws {
        let error = fault(
            try directory.file("key", [UInt8](repeating: UInt8(ascii: "a"), count: count)))
        #expect(error?.fault == .wrongLength)
        #expect(error?.seen == "128 bytes or more")
    }

    @Test func a_65th_byte_must_be_a_line_feed() throws {
        let error = fault(try directory.file("key", Array((Self.digits + " ").utf8)))
        #expect(error?.fault == .wrongLength)
    }

    @Test(arguments: [0, 31, 32, 63]) func every_digit_is_looked_at(place: Int) throws {
        var content = Array(Self.digits.utf8)
        content[place] = UInt8(ascii: "g")
        let error = fault(try directory.file("key", content))
        #expect(error?.fault == .notHexadecimal)
        // No text repeats any part of a key, not even of a bad one.
        #expect(error?.description.contains("0203") == false)
    }

    @Test(arguments: [
        [UInt8](repeating: 0, count: 32), [UInt8](repeating: UInt8(ascii: "0"), count: 64),
    ])
    func zeros_are_no_key(content: [UInt8]) throws {
        #expect(fault(try directory.file("key", content))?.fault == .blank)
    }

    @Test func a_missing_one_is_told() {
        let error = fault("\(directory.path)/none")
        #expect(error?.fault == .missing)
        #expect(error?.remedy.contains("cannot be read") == true)
    }

    @Test func a_directory_is_told() {
        let error = fault(directory.path)
        #expect(error?.fault == .notAFile)
        #expect(error?.seen == "a directory")
    }

    @Test(.timeLimit(.minutes(5))) func a_pipe_does_not_hold_us_up() {
        let result = unsafe mkfifo("\(directory.path)/pipe", 0o600)
        #expect(result == 0)
        #expect(fault("\(directory.path)/pipe")?.fault == .notAFile)
        #expect(fault("/dev/zero")?.fault == .notAFile)
    }

    @Test func the_systems_refusal_is_told() throws {
        let path = try directory.file("key", Self.key) + "/below"
        let error = fault(path)
        #expect(error?.fault == .systemRefused)
        #expect(error?.seen.contains("Not a directory") == true)
    }

    @Test func a_refused_file_is_left_as_it_is() throws {
        let path = try directory.file("key", [1, 2, 3], mode: 0o644)
        _ = fault(path)
        #expect(directory.content("key") == [1, 2, 3])
        #expect(directory.names == ["key"])
    }

    // MARK: Making

    @Test func a_new_one_is_for_its_owner_alone() throws {
        let path = "\(directory.path)/key"
        let made = try AtRestKey.createKeyFile(path)
        var status = stat()
        let result = unsafe stat(path, &status)
        #expect(result == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(status.st_size == 32)
        #expect(directory.names == ["key"])
        #expect(directory.content("key") == made.bytes.exposed)
        #expect(try AtRestKey(keyFile: path).bytes.exposed == made.bytes.exposed)
    }

    @Test func two_are_never_the_same() throws {
        let one = try AtRestKey.createKeyFile("\(directory.path)/one")
        let two = try AtRestKey.createKeyFile("\(directory.path)/two")
        #expect(one.bytes.exposed != two.bytes.exposed)
    }

    @Test func what_stands_there_is_never_overwritten() throws {
        let path = try directory.file("key", Self.key)
        directory.link("dangling", to: "elsewhere")
        for taken in [path, "\(directory.path)/dangling", directory.path] {
            let error = #expect(throws: AtRestKeyError.self) {
                try AtRestKey.createKeyFile(taken)
            }
            #expect(error?.fault == .alreadyThere)
        }
        #expect(directory.content("key") == Self.key)
        #expect(directory.names.sorted() == ["dangling", "key"])
    }

    @Test func one_that_cannot_be_made_leaves_nothing() {
        let error = #expect(throws: AtRestKeyError.self) {
            try AtRestKey.createKeyFile("\(directory.path)/none/key")
        }
        #expect(error?.fault == .systemRefused)
        #expect(error?.seen.contains("No such file or directory") == true)
        #expect(directory.names == [])
    }
}
