package import ControlProtocol
internal import Glibc
internal import Locks
internal import Pictures
package import WatchProto
internal import WatchProtoTransport

/// Files: `send` with the kind `file`, `file.pause` and `file.resume`.
extension Simulator {
    /// Offers the file at `path`, with the content as metadata. Its bytes follow when the other
    /// device asks for them.
    func sendFile(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        for name in ["count", "partial", "key", "priority", "expects_reply", "timeout_ms"] {
            guard (request.fields[name] ?? .null).isNull else {
                throw .badField(name, expected: "another kind than 'file'", found: "kind 'file'")
            }
        }
        let path = try request.string("path", expected: "the path of a file")
        let hasContent = ["payload_b64", "text"].contains { !(request.fields[$0] ?? .null).isNull }
        let metadata = hasContent ? try request.payload() : []
        do throws(SystemErrorNumber) {
            _ = try OpenFile(reading: path)
        } catch {
            let noFile = [ENOENT, ENOTDIR].contains(error.rawValue)
            throw ControlError(
                noFile ? "file_missing" : "file_unreadable",
                [
                    "path": .string(path), "call": "open",
                    "system": .string(SystemErrorText.of(error.rawValue)),
                ])
        }
        guard let source = FileCenter.source(path, metadata: metadata) else {
            throw .badField(
                "path",
                expected: "a file that can be read and stays as it is, whose name does not begin "
                    + "with a dot, with at most 4,096 bytes of content beside it",
                found: path)
        }
        let file =
            try key("idempotency_key", request)?.rawValue ?? UInt128.random(in: 0 ... .max)
        let counterpart = life.withLock { $0.device?.counterpartNumber } ?? 0
        // The act is under way already.
        if let known = files.offer(of: file, for: counterpart) {
            var object = known.controlMembers
            object["repeated"] = true
            return object
        }
        let id = try offer(
            source, as: file, over: session, to: counterpart, expiresAt: try expiry(request))
        var object = id.controlMembers
        object["bytes"] = .whole(source.offer.size)
        return object
    }

    /// Offers a file to a device, durably.
    private func offer(
        _ source: FileCenter.Source, as file: UInt128, over session: any SimulatorSession,
        to counterpart: UInt128, expiresAt: WallTime? = nil
    ) throws(ControlError) -> RecordID {
        let draft = RecordDraft(
            channel: .bulk, kind: .file, payload: source.offer.bytes, expiresAt: expiresAt,
            idempotencyKey: file)
        let origin = SendOrigin(draft.kind, payload: draft.payload)
        let id: RecordID
        do throws(SendRefusal) {
            id = try session.transfer(
                draft, writes: files.keep(source, as: file, for: counterpart)
            ) { id, now in
                files.offered(file, for: counterpart, as: id)
                accepted(id, origin, at: now)
            }
        } catch {
            files.notOffered(file, for: counterpart)
            throw error.controlError
        }
        do throws(ControlError) {
            try keep()
        } catch {
            throw error.naming(id)
        }
        return id
    }

    /// Offers a file to the device of a pairing.
    ///
    /// - Throws: why it is not on its way.
    package func offer(
        _ path: String, metadata: [UInt8], to pairing: PairingID?
    ) throws(ControlError) {
        guard let session = session(with: pairing) else { throw notActive(pairing) }
        guard let source = FileCenter.source(path, metadata: metadata) else {
            throw ControlError("file_unreadable", ["path": .string(path)])
        }
        let file = UInt128.random(in: 0 ... .max)
        _ = try offer(source, as: file, over: session, to: counterpart(of: pairing))
    }

    /// The files that are offered to the device of a pairing in its session and not cancelled,
    /// those of a former process included.
    package func offers(to pairing: PairingID?) -> [(file: UInt128, metadata: [UInt8])] {
        files.offers(for: counterpart(of: pairing))
    }

    /// Cancels an offer to the device of a pairing, if it is under way.
    package func cancelOffer(_ file: UInt128, to pairing: PairingID?) {
        guard let id = files.offer(of: file, for: counterpart(of: pairing)) else { return }
        cancel(id, in: session(with: pairing))
    }

    /// Cancels a record in its session. Of a file whose offer has arrived, the receiver tells the
    /// end.
    ///
    /// - Returns: whether it is a file, of which ``keep()`` makes that durable.
    @discardableResult
    func cancel(_ id: RecordID, in session: (any SimulatorSession)?) -> Bool {
        let isFile = files.change(id, to: .cancelled)
        session?.cancel(id)
        return isFile
    }

    /// Pauses the transfer of an own file, or lets it go on.
    func changeFile(
        _ request: ControlRequest, to state: FileState
    ) throws(ControlError) -> JSONObject {
        let id = try recordID(request)
        guard files.change(id, to: state) else {
            throw ControlError(
                "no_such_record",
                ["expected": "the record of an own file that is under way in a session"])
        }
        try keep()
        return JSONObject()
    }
}

/// Files of the other device.
extension SessionObserver {
    /// A file is whole: it counts as applied, and its place is told.
    func arrived(
        file record: InboundRecord, _ files: FileExchange, _ pairing: PairingID?,
        at delivered: Instant
    ) {
        guard let file = try? ReceivedFile(decoding: record.payload, key: nil) else { return }
        if let head = PictureHead(file.metadata) {
            let isTaken = application.take(head, at: file.path) { [self] in
                note(Arrival(.applied), of: record, in: pairing, deliveredAt: delivered)
                // If no session takes the answer, the journal gives the offer again.
                _ = files.accept(record.id)
            }
            if isTaken { return }
        }
        let arrival = Arrival(.applied, event: "record.arrived") {
            var members = record.id.controlMembers
            members["kind"] = .string(record.kind.controlName)
            members["path"] = .string(file.path)
            for member in ControlPayload.members(of: file.metadata).members {
                members[member.name] = member.value
            }
            members["bytes"] = .whole(file.byteCount)
            return .object(members)
        }
        note(arrival, of: record, in: pairing, deliveredAt: delivered)
        // If no session takes the answer, the journal gives the offer again.
        _ = files.accept(record.id)
    }
}

extension FileReport {
    /// The members of the event `file.progress`.
    var controlMembers: JSONValue {
        var members = id.controlMembers
        members["done"] = .whole(done)
        members["total"] = .whole(total)
        if let problem { members["problem"] = .string(problem) }
        return .object(members)
    }
}
