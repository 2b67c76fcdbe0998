import WatchProto
import WatchSecurity

/// One direction of a session.
struct SessionEnds {
    var sending: SessionSealer
    var receiving: SessionSealer

    /// What a reconnection gives: a handshake, both messages with a greeting.
    init(_ phone: inout PairedSecurity, _ watch: inout PairedSecurity) throws {
        let greeting = [UInt8](repeating: 0, count: 200)
        var opening = phone.makeHandshake(role: .phone, prologue: [PairedSecurity.wireVersion])
        var answering = watch.makeAnswer(role: .watch, prologue: [PairedSecurity.wireVersion])
        let first = try opening.write(payload: greeting)
        _ = try answering.read(first.span)
        let second = try answering.write(payload: greeting)
        _ = try opening.read(second.span)
        (sending, receiving) = (opening.split().sending, answering.split().receiving)
    }
}
