package import ControlProtocol
package import WatchProto
package import WatchProtoJournal
internal import WatchProtoTransport

/// The part of one device that the two do not share: its store, its commands, its loads.
package protocol SimulatorApplication: AnyObject, Sendable {
    /// Which device this is.
    var role: DeviceRole { get }

    /// Its commands.
    var commands: [CommandForm] { get }

    /// Those of them that need no paired device.
    var commandsAlone: [String] { get }

    /// The device begins: nothing else was called before.
    func begins(in simulator: Simulator)

    /// The pairing in use is being forgotten. Everything that this device has from the other is
    /// removed: from memory at once, and from the file by the changes returned. Called on the main
    /// thread, without a session.
    func forget() -> [SQLWrite]

    /// A new pairing takes the place of all others, as a watch has one phone. Everything that came
    /// from the other side is removed from the file by the changes returned, in the transaction
    /// that keeps the new keys.
    func eraseBrought() -> [SQLWrite]

    /// That is durable: the same goes from memory. Called on the pairing's thread, without a
    /// session.
    func dropBrought()

    /// The kinds of undelivered records that a new pairing with the same device is to deliver.
    var carriedOver: [ContentKind] { get }

    /// Dose events that are new in the ledger, of this device or another one. Called on the
    /// ledger's thread.
    func doses(_ events: [DoseEvent])

    /// The face may show something else. Called on any thread.
    ///
    /// - Returns: whether the main thread is to look at it: ``nextLook`` may be earlier now.
    func faceMayChange(_ cause: FaceCause) -> Bool

    /// When ``look(in:)`` is to be called; nil for never.
    var nextLook: Instant? { get }

    /// Looks at the face. Called on the main thread.
    func look(in simulator: Simulator)

    /// The offsets of the wearer's local time around the present minute, as far as the device knows
    /// them. An earlier minute would count as a clock that was set back.
    func zone(at now: WallMinute) -> ZoneTimeline

    /// The dose of the medication at `index` that an act of the minute `moment` is about; nil where
    /// there is no medication.
    func doseTarget(at index: Int, _ moment: WallMinute, _ zone: ZoneTimeline) -> DoseTarget?

    /// The same of the medication in a row of the file, before the store is loaded.
    func doseTarget(of row: StoredRow, _ moment: WallMinute, _ zone: ZoneTimeline) -> DoseTarget?

    /// Shows the face that the file kept, before the store is loaded. Called on the main thread.
    ///
    /// - Returns: whether there is one.
    func showKept(_ store: FileStore, in simulator: Simulator) -> Bool

    /// The process ends; its session and its file are still open. Called on the main thread.
    func ends(in simulator: Simulator)

    /// The index of a medication.
    func place(of medication: MedicationID) -> Int?

    /// The ledger was erased: it belongs to another person.
    func forgetDoses()

    /// A session begins, of a pairing or without sealing (nil). Called on any thread.
    func sessionBegins(with pairing: PairingID?)

    /// The session in use ends, for a pairing or another device's: questions to it are not answered
    /// any more. Called on the main thread.
    func sessionEnds()

    /// The kinds its loads may have.
    var loadKinds: [String] { get }

    /// The columns that a row of its file ought to hold beside its record of a medication, asked
    /// when the file is opened.
    ///
    /// - Throws: what cannot be read; the file is at fault.
    func expected(of row: StoredRow) throws -> StoredMedication

    /// Takes up what its file holds, before the session begins, and again when the journal was
    /// opened again; only where there is a journal. Called on a thread of its own.
    ///
    /// - Throws: what cannot be read; the file is at fault.
    func open(_ store: FileStore) throws

    /// The queries of its store as it stands.
    ///
    /// - Throws: what the file's reading throws.
    func queries(in simulator: Simulator) throws -> any StoreQueries

    /// The members of a reply about one of its records of a medication; nil when it cannot be read.
    func describe(_ body: [UInt8]) -> JSONObject?

    /// Takes in a record of the counterpart, inline on the driver's thread; interactive messages do
    /// not come here.
    func take(_ record: InboundRecord) -> Arrival

    /// The other device can answer from now on, or no longer. Called under the driver's lock.
    func reachable(_ isReachable: Bool)

    /// Answers a message of the other device about pictures. Called inline on the driver's thread.
    ///
    /// - Parameters:
    ///   - request: the question.
    ///   - pairing: that of the session; nil without sealing.
    /// - Returns: the reply; nil where the device answers none.
    func answer(
        _ request: PictureMessage.Request, _ pairing: PairingID?
    ) -> PictureMessage.Reply?

    /// Receives a picture that came as a file, and removes the file.
    ///
    /// - Parameters:
    ///   - picture: its metadata.
    ///   - path: the file.
    ///   - done: called when the picture is kept, or refused for good.
    /// - Returns: whether it is the application's.
    func take(
        _ picture: PictureHead, at path: String, done: @escaping @Sendable () -> Void
    ) -> Bool

    /// The application's copy of the bytes of a key, if it has equal ones in memory.
    func encoding(of key: RecordKey, equalTo bytes: [UInt8]) -> [UInt8]?

    /// Whether a recovered value concerns the application: one of this side, that its journal did
    /// not have any more and the counterpart returned. Called inline on the driver's thread.
    func recovers(_ value: StoredValue) -> Bool

    /// Recovers such a value. The change and `DeviceStorage.removal(of:)` belong into one
    /// transaction: if the process ends before that, this is called again after its next start.
    /// Called on the main thread.
    ///
    /// - Throws: ``ControlError`` when it could not, with nothing changed; it is told as an event.
    ///   For want of room in the queue it is tried again as soon as a record has ended, otherwise
    ///   after the next start.
    func recover(_ value: StoredValue, in simulator: Simulator) throws(ControlError)

    /// Does one of its ``commands``.
    ///
    /// - Returns: what the reply says; nil when the reply follows later.
    /// - Throws: why not; nothing has changed then.
    func perform(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject?

    /// Throws why a load of the plan cannot be sent, if so: nothing to change, nothing to record.
    /// The client is at fault.
    func prepareLoad(_ plan: LoadPlan) throws(ControlError)

    /// Sends one record of a load, inline on the load's thread.
    ///
    /// - Throws: `SendRefusal`; the load counts it and goes on.
    func fire(_ shot: LoadShot, in simulator: Simulator) throws(SendRefusal)
}

extension SimulatorApplication {
    /// Nil: it has none.
    package func encoding(of key: RecordKey, equalTo bytes: [UInt8]) -> [UInt8]? { nil }

    /// False.
    package func faceMayChange(_ cause: FaceCause) -> Bool { false }

    /// Does nothing.
    package func begins(in simulator: Simulator) {}

    /// Does nothing.
    package func sessionBegins(with pairing: PairingID?) {}

    /// Does nothing.
    package func reachable(_ isReachable: Bool) {}

    /// Nil.
    package func answer(
        _ request: PictureMessage.Request, _ pairing: PairingID?
    ) -> PictureMessage.Reply? { nil }

    /// False.
    package func take(
        _ picture: PictureHead, at path: String, done: @escaping @Sendable () -> Void
    ) -> Bool { false }

    /// Nil.
    package var nextLook: Instant? { nil }

    /// Does nothing.
    package func look(in simulator: Simulator) {}

    /// False.
    package func showKept(_ store: FileStore, in simulator: Simulator) -> Bool { false }

    /// Does nothing.
    package func ends(in simulator: Simulator) {}

    /// Nothing: a phone's list is its own.
    package func eraseBrought() -> [SQLWrite] { [] }

    /// Does nothing.
    package func dropBrought() {}

    /// None.
    package var carriedOver: [ContentKind] { [] }

    /// False.
    package func recovers(_ value: StoredValue) -> Bool { false }

    /// Does nothing.
    ///
    /// - Throws: nothing.
    package func recover(_ value: StoredValue, in simulator: Simulator) throws(ControlError) {}
}
