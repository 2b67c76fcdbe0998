/// Values as they arrive: whole, as deltas, in fragments; early, twice, or out of order.
extension LatestValueReceiver {
    /// Takes a value. The packet's author is at fault for every error.
    mutating func receive(
        _ frame: ValueFrame, known: inout some KnownEpochs, clock: WallTime
    ) throws(WireError) {
        guard let session else { return }
        guard frame.address.epochIndex < session.epochs.count else {
            throw WireError(
                .outOfRange, at: 0, expected: "epoch of the hello",
                found: UInt64(frame.address.epochIndex))
        }
        let epoch = session.epochs[frame.address.epochIndex]
        guard let name = try resolve(frame) else {
            // The frame that told what the handle stands for was lost.
            try needBase(.handle(frame.channel, frame.handle ?? 0), for: frame.address.number)
            return
        }
        if mutants.contains(.knowByValue), !known.isKnown(epoch) { known.markKnown(epoch) }
        let isKnown = known.isKnown(epoch) || mutants.contains(.takeUnknown)
        if isKnown, isOld(name, frame.address.number) {
            answer(name, frame.address.number)
            return
        }
        let row = kinds.coded(as: frame.kind)
        let kind = row?.kind ?? frame.kind
        guard let payload = try payload(of: frame, name, kind, row?.coding) else {
            try needBase(.key(name), for: frame.address.number)
            return
        }
        let record = InboundRecord(
            id: RecordID(
                epoch: epoch, channel: frame.channel,
                number: RecordNumber(frame.address.number)),
            kind: kind, key: name.key, payload: payload, expiresAt: frame.expiresAt)
        self.session?.noLongerNeeds(.key(name), for: frame.address.number)
        if let handle = frame.handle {
            self.session?.noLongerNeeds(
                .handle(frame.channel, handle), for: frame.address.number)
        }
        if isKnown, mayTake(known) {
            let former = base(frame.base, name)
            take(record, name, clock)
            if frame.marksBase { keepBase(former, name, record) }
        } else {
            wait(record, name)
        }
    }

    /// Takes a fragment; the last one gives a value. The packet's author is at fault for every
    /// error.
    mutating func receive(
        _ fragment: FragmentFrame, known: inout some KnownEpochs, clock: WallTime
    ) throws(WireError) {
        let index = Int(fragment.channel.rawValue)
        guard var assemblies = session?.assemblies[index] else { return }
        var assembly = FragmentAssembly(fragment, limits: limits)
        if let slot = assemblies.firstIndex(where: { $0.address == fragment.address }) {
            assembly = assemblies.remove(at: slot)
        } else if assemblies.count >= limits.assemblies {
            // The one that got no fragment for longest; most likely a newer value replaced it.
            let evicted = assemblies.removeFirst()
            try needBase(
                .version(fragment.channel, evicted.address.number), for: evicted.address.number)
        }
        guard case .taken = try assembly.add(fragment) else {
            session?.assemblies[index] = assemblies
            try needBase(
                .version(fragment.channel, fragment.address.number), for: fragment.address.number)
            return
        }
        guard assembly.isComplete else {
            assemblies.append(assembly)
            session?.assemblies[index] = assemblies
            return
        }
        session?.assemblies[index] = assemblies
        let bytes = assembly.joined()
        var reader = WireReader(bytes.span)
        let frame = try ValueFrame.read(&reader)
        try reader.finish("end of the value")
        guard frame.address == fragment.address, frame.channel == fragment.channel else {
            throw WireError(
                .notCanonical, at: 0, expected: "the version of the value's fragments",
                found: frame.address.number)
        }
        try receive(frame, known: &known, clock: clock)
    }

    /// The key that a frame names; nil where its handle is not defined.
    mutating func resolve(_ frame: ValueFrame) throws(WireError) -> ValueName? {
        guard let handle = frame.handle else {
            return frame.key.map { ValueName(channel: frame.channel, key: $0) }
        }
        let slot = Int(handle)
        let count = session?.handles.count ?? 0
        let former = slot < count ? session?.handles[slot] : nil
        guard let key = frame.key else {
            guard let former else { return nil }
            guard former.channel == frame.channel else {
                throw WireError(
                    .notCanonical, at: 0, expected: "the channel of the handle",
                    found: UInt64(frame.channel.rawValue))
            }
            return former
        }
        let name = ValueName(channel: frame.channel, key: key)
        guard former == nil || former == name else {
            throw WireError(
                .notCanonical, at: 0, expected: "the key this handle stands for", found: handle)
        }
        if slot >= count {
            session?.handles += Array(repeating: nil, count: slot + 1 - count)
        }
        session?.handles[slot] = name
        return name
    }

    /// The value of a frame; nil where it is a delta or a coding that cannot be applied.
    private func payload(
        of frame: ValueFrame, _ name: ValueName, _ kind: ContentKind, _ coding: RecordCoding?
    ) throws(WireError) -> [UInt8]? {
        guard coding != nil || frame.isDelta else { return frame.body }
        if coding != nil, session?.coding == nil {
            throw WireError(
                .unknownCode, at: 0, expected: "kind that both sides can code",
                found: UInt64(frame.kind.rawValue))
        }
        var former: [UInt8]?
        if frame.isDelta {
            guard let base = base(frame.base, name), base.kind == kind else { return nil }
            former = base.payload
        }
        let payload: [UInt8]?
        if let coding, let reference = session?.coding {
            // A coding is shorter than what it stands for.
            guard frame.body.count <= kinds[kind]?.byteLimit ?? 0 else { return nil }
            payload = coding.decode(frame.body, name.key, former, reference)
        } else {
            payload = former.flatMap { kinds[kind]?.applyDelta?(frame.body.span, $0.span) }
        }
        guard let payload, payload.count <= frame.channel.traits.recordByteLimit else { return nil }
        return payload
    }

    /// Whether a value is no news.
    private func isOld(_ name: ValueName, _ version: UInt64) -> Bool {
        version <= values.version(of: name) || version <= delivering[name]?.number.rawValue ?? 0
            || version <= deliveries[name]?.id.number.rawValue ?? 0
    }

    /// Answers a value that is no news. A value that the journal does not hold yet is answered when
    /// it does.
    private mutating func answer(_ name: ValueName, _ version: UInt64) {
        if let value = durable(name), value.version == version {
            stateIsDue(value.id, value.disposition)
            return
        }
        let newest = max(
            values.version(of: name), delivering[name]?.number.rawValue ?? 0,
            deliveries[name]?.id.number.rawValue ?? 0)
        let isWatermark = values[name] == nil && version <= values.watermark
        if version < newest || isWatermark { outcomeIsDue(version, nil) }
    }

    /// Whether values are taken (L-11): the sender's present epoch is known, or a conclusion was
    /// reached in this session. A value that was taken before could hide the top that shows that a
    /// sender is one of two devices of one backup.
    private func mayTake(_ known: some KnownEpochs) -> Bool {
        guard let session, let present = session.epochs.first else { return false }
        return session.conclusion != .none || known.isKnown(present)
            || mutants.contains(.takeUnknown)
    }

    /// Holds a value in memory until it may be taken (L-12).
    private mutating func wait(_ record: InboundRecord, _ name: ValueName) {
        guard let session else { return }
        let former = session.waiting[name]
        guard record.id.number.rawValue > former?.id.number.rawValue ?? 0 else { return }
        let size = record.payload.count + Channel.keyBytes
        let formerSize = former.map { $0.payload.count + Channel.keyBytes } ?? 0
        var limit = 0
        for channel in Channel.allCases { limit += channel.traits.setByteLimit }
        guard session.waitingBytes - formerSize + size <= limit * limits.setsHeld,
            former != nil || session.waiting.count < HeldFrame.keyLimit(limits)
        else {
            outcomeIsDue(record.id.number.rawValue, Outcome.noRoomCode)
            return
        }
        self.session?.waiting[name] = record
        self.session?.waitingBytes += size - formerSize
    }

    /// Gives a value to the application, if it is news and there is room for it.
    mutating func take(_ record: InboundRecord, _ name: ValueName, _ clock: WallTime) {
        guard !isOld(name, record.id.number.rawValue) else {
            answer(name, record.id.number.rawValue)
            return
        }
        guard hasRoom(for: record, name) else {
            outcomeIsDue(record.id.number.rawValue, Outcome.noRoomCode)
            return
        }
        if let value = values[name], let held = value.held,
            value.candidate == nil, held.kind == record.kind,
            held.payload == record.payload, delivering[name] == nil
        {
            replaceDelivery(name, nil)
            emit(.received(record, .applied, at: clock))
            return
        }
        replaceDelivery(name, record)
    }

    /// A value takes the place of the one that waits for the application; nil for none.
    private mutating func replaceDelivery(_ name: ValueName, _ record: InboundRecord?) {
        if let former = deliveries[name] { outcomeIsDue(former.id.number.rawValue, nil) }
        deliveries[name] = record
    }

    private func hasRoom(for record: InboundRecord, _ name: ValueName) -> Bool {
        let value = values[name]
        guard
            value != nil || values.table.count + deliveries.table.count < HeldFrame.keyLimit(limits)
        else { return false }
        let channel = Int(name.channel.rawValue)
        let growth =
            values.charge(record) - values.charge(of: name) - values.charge(deliveries[name])
        let limit = limits.setsHeld * name.channel.traits.setByteLimit
        let bytes = values.bytes[channel] + deliveries.bytes[channel]
        return growth <= 0 || bytes + growth <= limit
    }
}
