/// One lane on its way in.
struct InboundLane: Sendable {
    /// An ordered record that came before its predecessor.
    struct Held: Sendable {
        var address: RecordAddress
        var predecessor: RecordAddress
        var record: InboundRecord
    }

    /// A value of a key, as a base for deltas.
    struct Value: Sendable {
        var number: UInt64
        var payload: [UInt8]
    }

    /// A value the application holds, and the record that brought it.
    struct HeldValue: Sendable {
        var epoch: EpochID
        var number: UInt64
        var kind: ContentKind
        var payload: [UInt8]
        /// Its fingerprint under its key.
        var fingerprint: UInt64

        init(key: RecordKey, epoch: EpochID, number: UInt64, kind: ContentKind, payload: [UInt8]) {
            self.epoch = epoch
            self.number = number
            self.kind = kind
            self.payload = payload
            fingerprint = SetDigest.fingerprint(key, kind, payload)
        }
    }

    /// What the receiver remembers of a key of a newest-per-key lane.
    struct KeyState: Sendable {
        var rank: UInt64
        var newest: Value
        /// What the application holds: the newest value it did not refuse.
        var held: HeldValue? { candidates.last }
        /// Oldest first: the value taken over, then those left pending, which may yet be refused.
        var candidates: [HeldValue] = []
        var marked: Value?
        var base: Value?
        /// The newest value was given to the application, which has not said a word on it.
        var isAsked = false

        /// Whether the key is remembered only so that older values of it are not taken.
        var isIdle: Bool { !isAsked && held?.kind.removesKey ?? true }

        /// What the key counts against the bytes of its lane.
        var valueBytes: Int {
            var bytes = Lane.keyBytes + newest.payload.count
            for candidate in candidates where candidate.number != newest.number {
                bytes += candidate.payload.count
            }
            return bytes
        }

        /// Gives bases up that cost something: the sender will be asked for the value whole.
        mutating func dropBases() {
            base = nil
            if marked?.number != newest.number { marked = nil }
        }

        /// Bytes of bases that are not the newest value.
        var baseBytes: Int {
            var bytes = base?.payload.count ?? 0
            if let marked, marked.number != newest.number { bytes += marked.payload.count }
            return bytes
        }
    }

    let lane: Lane
    let traits: LaneTraits
    let limits: Limits
    private(set) var keys = OrderedTable<RecordKey, KeyState>()
    /// What all keys count, and what bases beside their values do.
    private(set) var valueBytes = 0
    private(set) var baseBytes = 0
    /// Values that arrived since idle keys were last looked for.
    var arrivalsSinceSweep = 0
    /// Removals are remembered that could be forgotten where room is needed.
    var remembersRemovals = false
    /// The keys that handles of this session stand for.
    var handles: [RecordKey?] = []
    /// Out-of-order records.
    var held = ReorderBuffer()
    /// Records being put together; the one whose last part came first is the first.
    var assemblies: [Assembly] = []
    /// What the sender has used up of this session's credit, and what it was last told it may.
    var consumedOffers: UInt64 = 0
    var consumedBytes: UInt64 = 0
    var grantedOffers: UInt64 = 0
    var grantedBytes: UInt64 = 0
    /// Records taken that the journal does not hold yet, and their bytes, whichever session brought
    /// them: the credit they used comes back when it does.
    var uncommitted = 0
    var uncommittedBytes = 0
    /// Ends of records that were not given to the application and that the journal does not hold.
    var unwrittenEnds = 0
    /// The sender was turned away and waits for a raise.
    var owesRaise = false
    var creditIsDue = false
    /// Epochs of the session of whose records there is something to tell.
    var receiptsDue: [ReceiptsDue] = []
    /// Outcomes to report, requests for a base, records turned away.
    var outcomesDue = AddressQueue()
    var basesNeeded = AddressQueue()
    var turnedAway: [(address: RecordAddress, offers: UInt64)] = []
    /// Records told to try later since the last raise. Their late parts take no place: the sender
    /// has begun them anew in its mind, and a place held for what it does not send would never be
    /// free.
    var mustTryLater = AddressQueue()
    /// The fingerprint of the newest values the application holds.
    var heldDigest = SetDigest()

    init(lane: Lane, limits: Limits) {
        self.lane = lane
        self.limits = limits
        traits = lane.traits
    }

    /// Whether a record could be taken that waits for its parts or its predecessor. In a
    /// newest-per-key lane another one gives up its place.
    var hasRoom: Bool {
        (assemblies.count < limits.assemblies || traits.order == .newestPerKey)
            && held.count < limits.reorderRecords && held.bytes < limits.reorderBytes
            && hasCommitRoom
    }

    /// Whether a record may be taken that the journal is to hold. An honest sender seldom finds it
    /// otherwise: what a session that has ended left may wait while the next one uses its credit,
    /// and the bytes of parts are given back before their record is whole.
    var hasCommitRoom: Bool {
        let partBytes = limits.assemblies * traits.recordByteLimit
        return uncommitted < 2 * traits.offerWindow
            && uncommittedBytes < 2 * traits.byteWindow + partBytes
    }

    /// Whether anything about this lane waits to be told.
    var hasNotices: Bool {
        !receiptsDue.isEmpty || !outcomesDue.isEmpty || !basesNeeded.isEmpty || !turnedAway.isEmpty
            || creditIsDue
    }

    /// Forgets what only one session knew; a new one starts with full windows.
    mutating func beginSession() {
        handles = []
        assemblies = []
        owesRaise = false
        beginCredit()
        receiptsDue = []
        mustTryLater.removeAll()
        outcomesDue.removeAll()
        basesNeeded.removeAll()
        turnedAway = []
        held = ReorderBuffer()
    }

    /// A part of this record came: it is the last to give up its place.
    mutating func touchAssembly(_ slot: Int) {
        guard slot + 1 < assemblies.count else { return }
        assemblies.append(assemblies.remove(at: slot))
    }

    /// Notes that receipts of these numbers of an epoch have changed, or are to be told again.
    mutating func receiptIsDue(
        _ epochIndex: Int, _ numbers: ClosedRange<UInt64> = ReceiptsDue.all
    ) {
        if let slot = receiptsDue.firstIndex(where: { $0.epochIndex == epochIndex }) {
            receiptsDue[slot].add(numbers)
        } else {
            receiptsDue.append(ReceiptsDue(epochIndex: epochIndex, numbers: numbers))
        }
    }

    // MARK: Keys

    /// An epoch gets a rank among those of the values.
    mutating func makeRoom(_ room: RankRoom) {
        keys.modifyAll { _, state in state.rank = room.moved(state.rank) }
    }

    /// Puts the state of a key in its place, or forgets the key.
    mutating func store(_ state: KeyState?, for key: RecordKey) {
        if let former = keys[key] {
            valueBytes -= former.valueBytes
            baseBytes -= former.baseBytes
        }
        if let state {
            valueBytes += state.valueBytes
            baseBytes += state.baseBytes
        }
        keys[key] = state
    }

    /// Whether the lane has room for this state of a key. What takes no more than before always
    /// has: it may be what makes room.
    func hasRoom(for state: KeyState, of key: RecordKey) -> Bool {
        let former = keys[key]
        let growth = state.valueBytes - (former?.valueBytes ?? 0)
        if former == nil, keys.count >= limits.keys { return false }
        return growth <= 0 || valueBytes + growth <= limits.setsHeld * traits.setByteLimit
    }

    /// Whether the lane has room for the bases of this state of a key.
    func hasBaseRoom(for state: KeyState, of key: RecordKey) -> Bool {
        let growth = state.baseBytes - (keys[key]?.baseBytes ?? 0)
        return growth <= 0 || baseBytes + growth <= traits.setByteLimit
    }
}
