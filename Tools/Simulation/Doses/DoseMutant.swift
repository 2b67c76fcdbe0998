/// A known bug that the simulation of doses plants, to show that its checker catches it.
package enum DoseMutant: String, Sendable, CaseIterable {
    /// Two doses taken as needed within ten minutes are shown as one.
    case mergesAsNeeded = "merges-as-needed"
    /// The newest event by the wall clock determines a slot's state.
    case newestWins = "newest-wins"
    /// An undo removes all heads, also those that it does not name.
    case undoLosesHead = "undo-loses-head"
    /// An opening of the journal goes back to an older copy of the ledger.
    case olderState = "older-state"
    /// A read of the newest events gives one of them twice.
    case countsTwice = "counts-twice"
    /// An event counts before its commit.
    case countsBeforeCommit = "counts-before-commit"
    /// A commit is reported before it is durable.
    case confirmsEarly = "confirms-early"
    /// The digests of a ledger stay those of its first comparison.
    case staleDigest = "stale-digest"
    /// The events of buckets lack their last one.
    case missesMark = "misses-mark"
    /// The full queue takes an event and drops it.
    case dropsWhenFull = "drops-when-full"
    /// Only the first comparison of a session is answered from the ledger.
    case comparesOnce = "compares-once"
    /// A refused answer counts at the sender as applied.
    case countsRefused = "counts-refused"
    /// The exchange does not learn that the journal was opened again.
    case keepsUnderWay = "keeps-under-way"
    /// The watch's call is acknowledged and not delivered.
    case losesCall = "loses-call"
    /// An event that came from one watch goes to the other with the next comparison only.
    case holdsArrivals = "holds-arrivals"
    /// An event goes back to the watch that it came from.
    case echoes
    /// The end of one watch's link ends the exchange with the other one.
    case sharesPeriod = "shares-period"
    /// The outcome of a record for one watch counts for both.
    case settlesForBoth = "settles-for-both"
    /// An answer that says that the ledgers differ is taken for one that says that they are equal.
    case answersEqual = "answers-equal"
    /// A device that went back to a copy keeps its newer checks.
    case keepsChecks = "keeps-checks"
    /// A check of the future is hidden and not forgotten: it counts again when its time comes.
    case hidesCheck = "hides-check"
    /// A check has the minute in which the comparison ended.
    case datesCheckLate = "dates-check-late"
    /// A tap counts although its slot is closed.
    case countsSecondTap = "counts-second-tap"
    /// After an undo, a tap on the slot is taken for one that was there already.
    case losesTap = "loses-tap"
    /// Other bytes under the identity of a known event count as this event.
    case comparesIdentities = "compares-identities"
    /// The reminder of a dose stays when another device closed or snoozed it.
    case keepsReminder = "keeps-reminder"
    /// A device forgets which reminders it gave.
    case forgetsReminders = "forgets-reminders"
    /// Of two sessions whose journal failed, only the first learns that it was opened again.
    case reopensForOne = "reopens-for-one"
}
