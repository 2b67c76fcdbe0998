@testable import WatchProtoCore

/// The state of the world in the words that the models' walker prints (`Models/README.md`).
extension TicketWorld {
    /// The words of both sides that must stand in the walker's line.
    func words(besideVerdict hidden: Set<Int> = []) -> [String] {
        let enabled = possible.map { "\($0.step.rawValue).\($0.side)" }
        var words = [
            "enabled=" + (enabled.isEmpty ? "-" : enabled.joined(separator: ",")),
            "sessions=\(sessions)", "crashes=\(crashes)", "device=\(device)",
        ]
        for i in 0..<2 {
            words += sessionWords(i, showsVerdict: !hidden.contains(i))
            words += journalWords(i)
            words += messageWords(i)
        }
        return words
    }

    /// Sides whose verdict the model has before the code can: responders that have not heard what
    /// only the initiator knows.
    var sidesThatCannotEvaluate: Set<Int> {
        Set((0..<2).filter { sides[$0].answered > 0 && !isConfirmed($0) })
    }

    private func sessionWords(_ i: Int, showsVerdict: Bool) -> [String] {
        let side = sides[i]
        let session = side.state.session
        let entered = side.state.entered
        var words = [
            "opening=\(side.opening)", "session=\(side.session)",
            "ticket=\(session?.ticket?.rawValue ?? 0)",
            "kept=\(session?.isKept == true ? 1 : 0)", "answered=\(side.answered)",
            "confirmed=\(isConfirmed(i) ? 1 : 0)",
            "sessionWith=\(session?.counterpart.epoch.rawValue ?? 0)",
            "enteredTicket=\(entered?.ticket.rawValue ?? 0)",
            "enteredWith=\(entered?.counterpartEpoch?.rawValue ?? 0)",
            "highest=\(side.state.counterpartCounter)",
            "highestOf=\(side.state.counterpartEpoch?.rawValue ?? 0)",
            "crossed=\(side.crossed)", "batches=\(side.batches)",
            "refused=\(side.refusal?.id ?? 0)", "refusedAt=\(side.refusal?.counter ?? 0)",
            "told.session=\(side.told.session)", "told.position=\(side.told.position)",
        ]
        if let judgment = session?.judgment, showsVerdict {
            words += [
                "common=\(judgment.common?.rawValue ?? 0)",
                "verdict=\(Self.words(judgment.verdict))",
                "matched=\(judgment.isMatched ? 1 : 0)",
            ]
        }
        words += Self.words("presented", session?.counterpart.tickets ?? TicketPresentation())
        return words.map { "\(i).\($0)" }
    }

    private func journalWords(_ i: Int) -> [String] {
        let side = sides[i]
        var words = Self.words("v", side.state.image, side.counter)
        words += Self.words("d", side.journal, side.counter)
        words.append("backup.valid=\(side.hadBackup ? 1 : 0)")
        if let backup = side.backup {
            words += Self.words("backup", backup.journal, backup.counter)
        }
        return words.map { "\(i).\($0)" }
    }

    private func messageWords(_ i: Int) -> [String] {
        let side = sides[i]
        var words: [String] = []
        for (name, message) in [
            ("message1", side.message1), ("message2", side.message2), ("opens", side.pending),
            ("old", side.kept),
        ] {
            words.append("\(name).valid=\(message == nil ? 0 : 1)")
            guard let message else { continue }
            words += [
                "\(name).id=\(message.id)", "\(name).counter=\(message.claim.counter)",
                "\(name).opening=\(message.claim.epoch.rawValue)",
                "\(name).session=\(message.session)",
            ]
            words += Self.words(name, message.claim.tickets)
        }
        return words.map { "\(i).\($0)" }
    }

    private static func words(_ verdict: Verdict) -> String {
        let names: [(Verdict, String)] = [
            (.counterpartWentBack, "otherWentBack"), (.selfWentBack, "selfWentBack"),
            (.counterpartWiped, "otherWiped"), (.selfWiped, "selfWiped"),
            (.counterpartIsClone, "otherClone"), (.selfIsClone, "selfClone"),
        ]
        let words = names.filter { verdict.contains($0.0) }.map(\.1)
        return words.isEmpty ? "inStep" : words.joined(separator: ",")
    }

    private static func words(_ name: String, _ tickets: TicketPresentation) -> [String] {
        [
            "\(name).T=\(tickets.common?.rawValue ?? 0)", "\(name).n=\(tickets.position)",
            "\(name).m=\(tickets.counterpartPosition)",
            "\(name).N=\(tickets.pending?.rawValue ?? 0)", "\(name).nN=\(tickets.pendingPosition)",
        ]
    }

    private static func words(
        _ name: String, _ image: TicketState.Image, _ counter: UInt64
    ) -> [String] {
        let tickets = image.history.tickets.map {
            "\($0.rawValue)" + (image.history.isAbandoned($0) ? "!" : "")
        }
        return [
            "\(name).T=\(image.common?.rawValue ?? 0)", "\(name).n=\(image.position)",
            "\(name).m=\(image.counterpartPosition)", "\(name).N=\(image.pending?.rawValue ?? 0)",
            "\(name).nN=\(image.pendingPosition)",
            "\(name).H=" + (tickets.isEmpty ? "-" : tickets.joined(separator: ",")),
            "\(name).own=\(counter)", "\(name).held=\(image.counterpartCounter)",
        ]
    }
}
