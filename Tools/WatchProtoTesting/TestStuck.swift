/// A test waited for something that does not come.
public struct TestStuck: Error, CustomStringConvertible {
    /// The time of the test since its beginning.
    package let elapsed: Duration
    /// The work that goes on; nil where both devices are idle.
    package let work: String?

    /// Names the thing that was waited for, and gives advice.
    public var description: String {
        guard let work else {
            return "after \(elapsed) both devices are idle, and the body of the test still waits: "
                + "check that a handler or a reader takes the record"
        }
        return "after \(elapsed) the test does not come to its end, as \(work): give it more time, "
            + "a better link, or handlers that end"
    }
}
