package import WatchProtoCore

extension DriverSession {
    /// Cancels a record if it does not count yet; the outcome comes as an event.
    ///
    /// - Returns: false where the record is not under way.
    @discardableResult
    package func cancel(_ id: RecordID) -> Bool { driver.cancel(id) }

    /// Cuts the open link under the peer, as a radio that goes out of range; it is opened again by
    /// the usual rules. For tests and demonstrations.
    ///
    /// - Returns: false where none is open.
    @discardableResult
    package func cutLink() -> Bool { driver.cutLink() }

    /// Stops reading and opening links, as a device that goes to sleep, until ``resumeLink()``.
    ///
    /// - Returns: false where the link is suspended already.
    @discardableResult
    package func suspendLink() -> Bool { driver.suspendLink() }

    /// Goes on after ``suspendLink()``.
    ///
    /// - Returns: false where the link is not suspended.
    @discardableResult
    package func resumeLink() -> Bool { driver.resumeLink() }
}
