package import WatchProtoCore

extension DriverSession {
    /// Cancels a record if it does not count yet. The outcome follows as an event.
    ///
    /// - Returns: false if the record is not under way.
    @discardableResult
    package func cancel(_ id: RecordID) -> Bool { driver.cancel(id) }

    /// Cuts the open link under the peer, like a radio that goes out of range. The usual rules open
    /// it again. For tests and demonstrations.
    ///
    /// - Returns: false if none is open.
    @discardableResult
    package func cutLink() -> Bool { driver.cutLink() }

    /// Stops reading and opening links, like a device that sleeps, until ``resumeLink()``.
    ///
    /// - Returns: false if the link is suspended already.
    @discardableResult
    package func suspendLink() -> Bool { driver.suspendLink() }

    /// Continues after ``suspendLink()``.
    ///
    /// - Returns: false if the link is not suspended.
    @discardableResult
    package func resumeLink() -> Bool { driver.resumeLink() }
}
