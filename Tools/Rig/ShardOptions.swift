import Bench
import CommandLine

/// The options of work that can be shared out, gone on with and put together.
struct ShardOptions {
    let shard: CommandOption<Shard>
    let state = CommandOption<String>(
        "state", value: "file",
        help: "Go on from where this file says an earlier run stopped, and keep it up to date.")
    let merging = CommandOption<PathList>(
        "merge", value: "files",
        help: "Run nothing: put the shares in these state files (commas between) together.")

    /// The options; `work` is what is shared, in the plural.
    init(of work: String) {
        shard = CommandOption(
            "shard", value: "i/n",
            help: "Run only this share of the \(work), for example 2/4; other machines run the "
                + "others.")
    }

    func add(to verb: inout Verb) {
        verb.add(shard)
        verb.add(state)
        verb.add(merging)
    }
}

extension ShardState {
    /// Where `fresh` has come according to the file that was named. A pipe may keep one waiting.
    static func begun(_ fresh: Self, from path: String?) throws(RigFailure) -> Self {
        try Blocking.wait { () throws(RigFailure) in try resumed(fresh, from: path) }
    }

    /// The shares in files, which may be pipes.
    static func read(_ paths: [String]) throws(RigFailure) -> [Self] {
        try Blocking.wait { () throws(RigFailure) in try shares(in: paths) }
    }

    /// Keeps the file at `path` up to date, where one was named: not at every step.
    func keep(at path: String?, _ writtenAt: inout UInt64) throws(RigFailure) {
        let now = MonotonicClock.nowNanoseconds
        guard let path, now - writtenAt > 2_000_000_000 else { return }
        try write(to: path)
        writtenAt = now
    }
}
