internal import WatchProtoJournal

/// Every step from nothing to today's tables.
extension DeviceSchema {
    static let migrations = [
        Migration(
            adding: "makes the tables of the device",
            [
                """
                CREATE TABLE medications(
                    id INTEGER PRIMARY KEY, tag BLOB NOT NULL UNIQUE,
                    planned INTEGER NOT NULL, next_dose INTEGER,
                    weekdays INTEGER NOT NULL, every_days INTEGER NOT NULL,
                    first_day INTEGER, last_day INTEGER,
                    taken INTEGER, skipped INTEGER, last_taken INTEGER,
                    body BLOB NOT NULL)
                """,
                """
                CREATE INDEX medications_by_next_dose ON medications(next_dose)
                WHERE next_dose IS NOT NULL
                """,
                // Times of the day of each medication; a floating zone is 10000. `added` is the
                // minute since 2020 at which the entry was added.
                """
                CREATE TABLE slots(
                    zone INTEGER NOT NULL, minute INTEGER NOT NULL,
                    medication INTEGER NOT NULL, entry INTEGER NOT NULL,
                    added INTEGER NOT NULL, PRIMARY KEY(zone, minute, medication))
                WITHOUT ROWID
                """,
                "CREATE INDEX slots_of_medication ON slots(medication)",
                // Facts of which a file holds one each, by `StoreNote`.
                "CREATE TABLE notes(id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
            ])
    ]
}
