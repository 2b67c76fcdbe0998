/// The parts of the state, read and changed in place.
extension Connection {
    /// Reads the open session, or the one that this side responded with, in place.
    @inline(__always)
    func readSession<Result>(_ read: (Session) -> Result) -> Result? {
        switch state {
        case .down, .opening: return nil
        case .handshaking(let owned):
            guard case .responded(let responded) = owned.value.attempt else { return nil }
            return read(responded.session)
        case .established(let owned): return read(owned.value.session)
        }
    }

    /// Changes the link in place, where there is one.
    mutating func withLink(_ change: (inout OpenLink) -> Void) {
        switch state {
        case .down, .opening: break
        case .handshaking(var owned):
            // The former reference goes first, so that the change copies nothing.
            state = .opening
            change(&owned.value.link)
            state = .handshaking(owned)
        case .established(var owned):
            state = .opening
            change(&owned.value.link)
            state = .established(owned)
        }
    }

    /// Changes the session in place: the established one, or the one that this side responded with.
    mutating func withSession<Result>(
        _ change: (inout Session, inout OpenLink) -> Result
    ) -> Result? {
        switch state {
        case .down, .opening: return nil
        case .handshaking(var owned):
            state = .opening
            defer { state = .handshaking(owned) }
            return owned.value.withCandidate(change)
        case .established(var owned):
            state = .opening
            defer { state = .established(owned) }
            return owned.value.withSession(change)
        }
    }
}

extension Connection.Handshake {
    /// Changes the candidate session in place, where there is one.
    fileprivate mutating func withCandidate<Result>(
        _ change: (inout Connection.Session, inout OpenLink) -> Result
    ) -> Result? {
        guard case .responded(var responded) = attempt else { return nil }
        attempt = .none
        defer { attempt = .responded(responded) }
        return change(&responded.session, &link)
    }
}

extension Connection.Established {
    fileprivate mutating func withSession<Result>(
        _ change: (inout Connection.Session, inout OpenLink) -> Result
    ) -> Result { change(&session, &link) }
}
