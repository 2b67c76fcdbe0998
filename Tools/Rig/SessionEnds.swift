import WatchProtoCore
import WatchProtoSecurity

/// One direction of a session.
struct SessionEnds {
    var sending: SessionSealer
    var receiving: SessionSealer

    /// The keys of a reconnection: a handshake of two messages, each with a hello of 200 bytes.
    init(_ phone: inout NoiseSecurity, _ watch: inout NoiseSecurity) throws(HandshakeFailure) {
        let hello = [UInt8](repeating: 0, count: 200)
        var initiation = try phone.initiate(ConnectionID(rawValue: 1), counter: 1, payload: hello)
        var response = try watch.open(initiation.message)
        let answer = try response.respond(hello)
        sending = try initiation.open(answer.body).keys.sending
        receiving = answer.keys.receiving
    }
}
