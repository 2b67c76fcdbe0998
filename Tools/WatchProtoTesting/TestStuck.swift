/// A test waited for something that does not come.
public struct TestStuck: Error, CustomStringConvertible {
    /// The time of the test since its beginning.
    public let elapsed: Duration
    /// Whether nothing happens by itself any more; else the limit of time is over.
    public let isIdle: Bool

    /// What was waited for, and what to do.
    public var description: String {
        isIdle
            ? "after \(elapsed) both devices are idle, and the body of the test still waits: check "
                + "that a handler or a reader takes the record"
            : "the time limit of the run is over after \(elapsed): give it more time, or a better "
                + "link"
    }
}
