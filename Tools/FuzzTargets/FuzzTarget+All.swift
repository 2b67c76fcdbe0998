extension FuzzTarget {
    /// Every target.
    package static let all: [FuzzTarget] = [
        medication, doseEvent, complication, delta, coding, agreement, frame, hello, datagram,
        stream, peerStream, peerDatagram, pairedPeer, journalEntries, storedMedication, json, fhir,
        fhirDoses, control, pairing, files, fileExchange, compression, picture, pictureFile,
        pictureMessage,
    ]
}
