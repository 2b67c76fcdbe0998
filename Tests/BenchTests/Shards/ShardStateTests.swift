import ControlProtocol
import Testing

@testable import Bench
@testable import CommandLine

/// Long work in shares: what a file says of one, and what is refused.
@Suite struct ShardStateTests {
    /// Work that counts.
    struct Count: ShardState, Hashable {
        static let schema = "test.count/1"
        static let work = "count"
        var settings = "--to 9"
        var shard = Shard.whole
        var course: UInt64 = 0xABC
        var seconds = 1.5
        var done: UInt64 = 0
        var isComplete: Bool { done == 9 }

        init(_ shard: Shard = .whole, done: UInt64 = 0) {
            self.shard = shard
            self.done = done
        }

        var members: JSONObject {
            var json = JSONObject()
            json["settings"] = .string(settings)
            json["done"] = .whole(done)
            return json
        }

        init?(_ members: JSONValue, shard: Shard, course: UInt64) {
            guard let settings = members["settings"]?.string, let done = members["done"]?.unsigned
            else { return nil }
            self.init(shard, done: done)
            self.settings = settings
            self.course = course
        }
    }

    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = try Files.makeTemporaryDirectory("shards")
        defer { Files.removeDirectory(directory) }
        try body("\(directory)/state.json")
    }

    private func refusal(_ body: () throws(RigFailure) -> Void) -> RigFailure? {
        do throws(RigFailure) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func a_share_is_read_as_it_is_written() throws {
        #expect(try Shard(argument: "2/4") == Shard(index: 2, count: 4))
        #expect(Shard(index: 2, count: 4).argumentText == "2/4")
        for text in ["", "2", "0/4", "5/4", "1/10001", "2/4/1", "-1/4", "a/b"] {
            #expect(throws: ArgumentFault.self, "\(text)") { try Shard(argument: text) }
        }
        #expect(try PathList(argument: "a,b").paths == ["a", "b"])
        #expect(throws: ArgumentFault.self) { try PathList(argument: ",") }
    }

    @Test(arguments: [1, 2, 3, 7] as [UInt64])
    func every_part_is_of_one_share(count: UInt64) {
        for part in 0..<50 as Range<UInt64> {
            let owners = (1...count).filter { Shard(index: $0, count: count).has(part: part) }
            #expect(owners.count == 1)
        }
    }

    @Test func a_state_is_gone_on_with() throws {
        try inDirectory { path in
            let fresh = Count(Shard(index: 2, count: 3))
            #expect(try Count.resumed(fresh, from: nil) == fresh)
            #expect(try Count.resumed(fresh, from: path) == fresh)
            var later = fresh
            later.done = 5
            later.seconds = 7.25
            try later.write(to: path)
            #expect(try Count.resumed(fresh, from: path) == later)
        }
    }

    @Test func a_state_of_something_else_is_refused_and_says_what_it_is_of() throws {
        try inDirectory { path in
            try Count(Shard(index: 2, count: 3), done: 5).write(to: path)
            let kept = try Files.read(path)
            var other = Count(Shard(index: 2, count: 3))
            other.settings = "--to 10"
            for fresh in [Count(Shard(index: 1, count: 3)), other] {
                let error = refusal { () throws(RigFailure) in
                    _ = try Count.resumed(fresh, from: path)
                }
                #expect(error?.exitCode == .badInput)
                #expect(
                    error?.message == "'\(path)' is of --to 9 --shard 2/3, not of what was asked "
                        + "for: \(fresh.settings) --shard \(fresh.shard.argumentText).")
            }
            var build = Count(Shard(index: 2, count: 3))
            build.course = 1
            let error = refusal { () throws(RigFailure) in
                _ = try Count.resumed(build, from: path)
            }
            #expect(error?.message == "'\(path)' was begun by a build whose runs go otherwise.")
            #expect(try Files.read(path) == kept)
        }
    }

    @Test(arguments: [
        "", "{", "[]", #"{"schema":"test.count/2"}"#,
        #"{"schema":"test.count/1","shard":4,"shards":3,"course":"a","seconds":1,"#
            + #""settings":"","done":1}"#,
        #"{"schema":"test.count/1","shard":1,"shards":3,"course":"a","seconds":1,"done":-1}"#,
    ])
    func what_is_no_state_is_refused(text: String) throws {
        try inDirectory { path in
            try Files.write(Array(text.utf8), to: path)
            let error = refusal { () throws(RigFailure) in _ = try Count(contentsOf: path) }
            #expect(error?.message == "'\(path)' is no state of a count (test.count/1).")
        }
    }

    @Test func shares_are_put_together_and_what_is_missing_is_said() throws {
        try inDirectory { path in
            func file(_ state: Count, _ name: String) throws -> String {
                try state.write(to: path + name)
                return path + name
            }
            let first = try file(Count(Shard(index: 1, count: 3), done: 9), "1")
            let second = try file(Count(Shard(index: 2, count: 3), done: 8), "2")
            let states = try Count.shares(in: [first, second])
            #expect(states.map(\.done) == [9, 8])
            #expect(Count.missing(in: states) == "not complete: share 2, 3 of 3")
            #expect(Count.missing(in: [Count(done: 9)]) == nil)
            let twice = refusal { () throws(RigFailure) in
                _ = try Count.shares(in: [first, second, first])
            }
            #expect(twice?.message == "'\(first)' is share 1/3, which another file is too.")
            let other = try file(Count(Shard(index: 2, count: 2)), "other")
            let another = refusal { () throws(RigFailure) in
                _ = try Count.shares(in: [first, other])
            }
            #expect(another?.message == "'\(other)' is of another count than '\(first)'.")
            let gone = refusal { () throws(RigFailure) in _ = try Count.shares(in: [path]) }
            #expect(gone?.exitCode == .missingInput)
        }
    }
}
