extension FuzzTarget {
    /// Every target.
    public static let all: [FuzzTarget] = [
        medication, doseEvent, complication, delta, agreement, frame, greeting, datagram, stream,
        peerStream, peerDatagram, journalEntries, journalImage, storedMedication, json, fhir,
        control, pairing, sealedPeer, pairedPeer,
    ]
}
