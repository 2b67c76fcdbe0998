import WatchProto

/// Runs the body of a test, and knows whether it computes or waits. The time of the test stands
/// still while the body computes, however busy the machine is.
final class BodyExecutor: TaskExecutor {
    private let jobs = SerialWork()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.add { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// The work left before the clock moves; nil for none.
    var work: StaticString? { jobs.isIdle ? nil : "the body of the test computes" }
}
