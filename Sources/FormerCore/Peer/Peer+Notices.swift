/// Words in clear, for and from those this peer cannot speak with. Nobody vouches for them: they
/// are told, seldom, and change no state.
extension Peer {
    /// A notice came.
    mutating func receive(_ notice: NoticePacket) {
        counters.noticesReceived += 1
        tell(notice)
    }

    private mutating func tell(_ notice: NoticePacket) {
        guard noticeGate.admits(notice, at: now) else { return }
        events.append(.notice(version: notice.version, notice.code))
    }

    /// A flight of another version came: its sender is told this side's, and this side's
    /// application the sender's. What follows the version is not looked at: no other version has to
    /// write it as this one does.
    mutating func refuse(version: UInt8) {
        let isNewer = version > Security.wireVersion
        queueNotice(.incompatible)
        if carrier?.isLossy == true {
            counters.packetsDropped += 1
            // Anybody may have sent it, so it is no more than a notice would be.
            tell(NoticePacket(version: version, code: .incompatible))
        } else {
            closeLink(
                isNewer ? .peerTooNew(version: version) : .peerTooOld(version: version),
                telling: nil)
        }
    }

    /// The counterpart pairs, and no code is shown or was entered on this side. Advice, as anybody
    /// may have said it.
    mutating func refusePairing() {
        queueNotice(.wrongPeer)
        dropOrClose(.counterpartPairs)
    }

    mutating func queueNotice(_ code: CloseCode) {
        guard let carrier else { return }
        controlPackets.append(
            .notice,
            NoticePacket(version: Security.wireVersion, code: code).packet(on: carrier.framing))
    }
}
