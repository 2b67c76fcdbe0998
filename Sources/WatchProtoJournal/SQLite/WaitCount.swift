internal import CSQLite

/// Counts the threads that wait for a connection.
@safe final class WaitCount: @unchecked Sendable {
    /// Changed and read by atomic operations alone.
    fileprivate let count: UnsafeMutablePointer<Int32>

    init() {
        unsafe count = .allocate(capacity: 1)
        unsafe count.initialize(to: 0)
    }

    deinit { unsafe count.deallocate() }

    func add(_ change: Int32) { unsafe watchproto_sqlite_want(count, change) }

    var isPositive: Bool { unsafe watchproto_sqlite_is_wanted(count) != 0 }
}

extension Database {
    /// Lets each statement end with an error as soon as a thread waits; nil ends that.
    func giveWay(to waiting: WaitCount?) {
        unsafe watchproto_sqlite_give_way(handle, waiting?.count)
    }

    /// The pages that were read from the file and its log so far.
    var pagesRead: Int { Int(unsafe watchproto_sqlite_pages_read(handle)) }
}
