public import WatchProto

extension CompanionSession {
    /// Takes a record back if it does not count yet; the outcome comes as an event.
    public func cancel(_ id: RecordID) { driver.cancel(id) }

    /// Cuts the open link under the peer, as a radio that goes out of range; it is opened again by
    /// the usual rules. For tests and demonstrations.
    public func cutLink() { driver.cutLink() }

    /// Stops reading and opening links, as a device that goes to sleep, until ``resumeLink()``.
    public func suspendLink() { driver.suspendLink() }

    /// Goes on after ``suspendLink()``.
    public func resumeLink() { driver.resumeLink() }
}
