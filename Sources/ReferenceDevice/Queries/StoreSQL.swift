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

    /// Of one zone, the doses of a day after a time and a medication, up to another time. The
    /// parameters: zone, minute, medication, last minute, day, bit of the weekday, limit.
    static let planned = """
        SELECT s.minute, s.medication, m.tag, m.body, s.entry
        FROM slots AS s CROSS JOIN medications AS m ON m.id = s.medication
        WHERE s.zone = ?1 AND (s.minute, s.medication) > (?2, ?3) AND s.minute <= ?4
            AND \(holds)
        ORDER BY s.minute, s.medication LIMIT ?7
        """
    /// The same, of those only that are open and due since their entry was added; ?8 is the day
    /// as planned doses count it, ?9 the minute, since 2020 in UTC, at which the day begins, ?10
    /// the latest minute of adding that counts (S-12).
    static let open = """
        SELECT s.minute, s.medication, m.tag, m.body, s.entry
        FROM slots AS s CROSS JOIN medications AS m ON m.id = s.medication
        WHERE s.zone = ?1 AND (s.minute, s.medication) > (?2, ?3) AND s.minute <= ?4
            AND \(holds) AND (?9 + s.minute >= s.added OR s.added > ?10)
            AND NOT EXISTS (
                SELECT 1 FROM dose_events AS d
                WHERE d.medication = m.tag AND d.day = ?8 AND d.entry = s.entry
                    AND d.status IN (0, 1) AND \(isHead))
        ORDER BY s.minute, s.medication LIMIT ?7
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
        ("nextZone", nextZone),
        ("planned", planned), ("open", open),
    ]
}
