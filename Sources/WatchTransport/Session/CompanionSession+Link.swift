public import WatchProto

extension CompanionSession {
    /// Cancels a record if it does not count yet; the outcome comes as an event.
    ///
    /// - Returns: false where the record is not under way.
    @discardableResult
    public func cancel(_ id: RecordID) -> Bool { driver.cancel(id) }

    /// Cuts the open link under the peer, as a radio that goes out of range; it is opened again by
    /// the usual rules. For tests and demonstrations.
    ///
    /// - Returns: false where none is open.
    @discardableResult
    public func cutLink() -> Bool { driver.cutLink() }

    /// Stops reading and opening links, as a device that goes to sleep, until ``resumeLink()``.
    ///
    /// - Returns: false where the link is suspended already.
    @discardableResult
    public func suspendLink() -> Bool { driver.suspendLink() }

    /// Goes on after ``suspendLink()``.
    ///
    /// - Returns: false where the link is not suspended.
    @discardableResult
    public func resumeLink() -> Bool { driver.resumeLink() }
}
