internal import WatchProto

extension SecurityFailure {
    /// As the core's protocols know it.
    var asHandshakeFailure: HandshakeFailure {
        switch self {
        case .authenticationFailure: .authenticationFailure
        case .malformed: .malformed
        case .noSecretMemory: .noMemory
        }
    }
}
