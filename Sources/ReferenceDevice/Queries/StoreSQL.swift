/// The store's queries, in one place so that a test can ask how each is carried out.
enum StoreSQL {
    static let counts =
        "SELECT (SELECT count(*) FROM medications), (SELECT count(*) FROM doses)"

    private static let columns = "id, next_dose, taken, skipped, last_taken, body"

    static let fetch = """
        SELECT \(columns) FROM medications
        WHERE name = (SELECT id FROM names WHERE tag = ?)
        """
    static let list =
        "SELECT \(columns) FROM medications WHERE id > ? ORDER BY id LIMIT ?"
    static let byNextDose = """
        SELECT \(columns) FROM medications WHERE next_dose >= -2147483648
        ORDER BY next_dose, id LIMIT ?
        """
    static let overtaken = """
        SELECT \(columns) FROM medications WHERE next_dose <= ? ORDER BY next_dose, id LIMIT ?
        """
    static let doses = "SELECT id, body FROM doses WHERE id < ? ORDER BY id DESC LIMIT ?"
    static let dosesOfOne = """
        SELECT id, body FROM doses
        WHERE name = (SELECT id FROM names WHERE tag = ?) AND id < ? ORDER BY id DESC LIMIT ?
        """
    /// The next zone in which any times are counted.
    static let nextZone = "SELECT min(zone) FROM slots WHERE zone > ?"

    /// Of one zone, the doses of a day after a time and a medication, up to another time. The
    /// parameters: zone, minute, medication, last minute, day, bit of the weekday, limit.
    static let planned = """
        SELECT s.minute, s.medication, m.name, m.body
        FROM slots AS s CROSS JOIN medications AS m ON m.id = s.medication
        WHERE s.zone = ?1 AND (s.minute, s.medication) > (?2, ?3) AND s.minute <= ?4
            AND \(holds)
        ORDER BY s.minute, s.medication LIMIT ?7
        """
    /// The same, of those only that are open and due since their medication is known; ?8 is the day
    /// as planned doses count it, ?9 the minute, since 2020 in UTC, at which the day begins.
    static let open = """
        SELECT s.minute, s.medication, m.name, m.body
        FROM slots AS s CROSS JOIN medications AS m ON m.id = s.medication
        WHERE s.zone = ?1 AND (s.minute, s.medication) > (?2, ?3) AND s.minute <= ?4
            AND \(holds) AND ?9 + s.minute >= m.known
            AND NOT EXISTS (
                SELECT 1 FROM doses AS d
                WHERE d.name = m.name AND d.day = ?8 AND d.minute = s.minute
                    AND d.action IN (0, 1)
                    AND NOT EXISTS (SELECT 1 FROM doses AS c WHERE c.corrects = d.event))
        ORDER BY s.minute, s.medication LIMIT ?7
        """
    private static let holds = """
        m.planned = 1 AND (m.first_day IS NULL OR m.first_day <= ?5)
            AND (m.last_day IS NULL OR m.last_day >= ?5)
            AND CASE WHEN m.every_days > 1
                THEN (?5 - coalesce(m.first_day, 0)) % m.every_days = 0
                ELSE m.weekdays & ?6 END
        """

    /// The statuses of one planned dose that count.
    static let statuses = """
        SELECT d.action FROM doses AS d
        WHERE d.name = ? AND d.day = ? AND d.minute = ? AND d.action < 3
            AND NOT EXISTS (SELECT 1 FROM doses AS c WHERE c.corrects = d.event)
        """

    /// Every query that a user waits for.
    static let all: [(name: String, sql: String)] = [
        ("fetch", fetch), ("list", list), ("byNextDose", byNextDose), ("overtaken", overtaken),
        ("doses", doses), ("dosesOfOne", dosesOfOne), ("nextZone", nextZone),
        ("planned", planned), ("open", open), ("statuses", statuses),
    ]
}
