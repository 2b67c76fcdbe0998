import WatchJournal
import WatchProto
import WatchSecurity
import WatchTransport

// The words of the new core for what the former core names otherwise; see the file of the same name
// in WatchProto. It goes when the former core goes.
typealias NoiseSecurity = PairedSecurity
typealias NullSecurity = Unsealed
typealias JournalBackend = JournalHost

extension Unsealed {
    init(_ label: PeerLabel, seed: UInt64) { self.init() }
}

/// What an unsealed peer is told of itself.
struct PeerLabel {
    var role: DeviceRole
    var pairing: PairingID
}

/// What two journals begin with.
struct Ticket {
    var rawValue: UInt64
}

extension PairedDevice {
    var ticket: Ticket { Ticket(rawValue: 1) }
}

extension JournalFile {
    func journal(
        for pairing: PairingID, pairedWith ticket: Ticket
    ) throws(JournalError) -> PairingJournal { try journal(for: pairing) }
}
