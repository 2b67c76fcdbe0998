/// The store's queries, in one place so that a test can ask how each is carried out.
enum StoreSQL {
    static let counts =
        "SELECT (SELECT count(*) FROM medications), (SELECT total(count) FROM dose_buckets)"

    private static let columns = "id, next_dose, taken, skipped, last_taken, body"

    static let fetch = """
        SELECT \(columns) FROM medications WHERE tag = ?
        """
    static let list =
        "SELECT \(columns) FROM medications WHERE id > ? ORDER BY id LIMIT ?"
    /// The medication at an index, in the order they came.
    static let at = "SELECT \(columns) FROM medications ORDER BY id LIMIT 1 OFFSET ?"
    /// How many come before the medication with a tag.
    static let index = """
        SELECT (SELECT count(*) FROM medications AS m WHERE m.id < f.id)
        FROM medications AS f WHERE f.tag = ?
        """
    static let byNextDose = """
        SELECT \(columns) FROM medications WHERE next_dose >= -2147483648
        ORDER BY next_dose, id LIMIT ?
        """
    static let overtaken = """
        SELECT \(columns) FROM medications WHERE next_dose <= ? ORDER BY next_dose, id LIMIT ?
        """
    /// The next zone in which any times are counted.
    static let nextZone = "SELECT min(zone) FROM slots WHERE zone > ?"

    /// The entries of a medication.
    static let entries = "SELECT minute, entry, added FROM slots WHERE medication = ?"

    private static let slot = """
        s.minute, s.entry, s.medication, m.tag, m.body, m.weekdays, m.every_days, m.first_day,
        m.last_day
        """

    /// Of one zone, the doses of a day after a time and a medication, up to another time. The
    /// parameters: zone, minute, medication, last minute, day, bit of the weekday, limit.
    static let planned = """
        SELECT \(slot) FROM slots AS s CROSS JOIN medications AS m ON m.id = s.medication
        WHERE s.zone = ?1 AND (s.minute, s.medication) > (?2, ?3) AND s.minute <= ?4
            AND \(holds)
        ORDER BY s.minute, s.medication LIMIT ?7
        """
    /// The same, of those only that may not be closed; ?8 is the day as planned doses count it.
    static let open = """
        SELECT \(slot) FROM slots AS s CROSS JOIN medications AS m ON m.id = s.medication
        WHERE s.zone = ?1 AND (s.minute, s.medication) > (?2, ?3) AND s.minute <= ?4
            AND \(holds)
            AND NOT EXISTS (
                SELECT 1 FROM dose_events AS d
                WHERE d.medication = m.tag AND d.day = ?8 AND d.entry = s.entry
                    AND d.status IN (0, 1) AND \(isHead))
        ORDER BY s.minute, s.medication LIMIT ?7
        """
    /// Of one zone, the doses of a day that were snoozed at some time. The parameters: zone, day as
    /// planned doses count it.
    static let snoozed = """
        SELECT \(slot) FROM dose_events AS d
            CROSS JOIN medications AS m ON m.tag = d.medication
            CROSS JOIN slots AS s ON s.medication = m.id AND s.entry = d.entry
        WHERE d.day = ?2 AND d.status = 2 AND m.planned = 1 AND s.zone = ?1
            AND NOT EXISTS (
                SELECT 1 FROM dose_events AS e
                WHERE e.medication = d.medication AND e.day = ?2 AND e.entry = d.entry
                    AND e.status = 2 AND e.id < d.id)
        """
    private static let holds = """
        m.planned = 1 AND (m.first_day IS NULL OR m.first_day <= ?5)
            AND (m.last_day IS NULL OR m.last_day >= ?5)
            AND CASE WHEN m.every_days > 1
                THEN (?5 - coalesce(m.first_day, 0)) % m.every_days = 0
                ELSE m.weekdays & ?6 END
        """

    private static let isHead =
        "NOT EXISTS (SELECT 1 FROM dose_replacements AS r WHERE r.tag = d.tag)"

    /// Every query that a user waits for.
    static let all: [(name: String, sql: String)] = [
        ("fetch", fetch), ("list", list), ("byNextDose", byNextDose), ("overtaken", overtaken),
        ("nextZone", nextZone), ("entries", entries), ("planned", planned), ("open", open),
        ("snoozed", snoozed),
    ]
}
