internal import WatchProtoCore

/// The place of a sealed value in the file. The seal is bound to it.
enum SealedPlace {
    /// A row of the log, with the entries of one pairing.
    static func row(_ sequence: Int64, of pairing: PairingID) -> [UInt8] {
        place(1) { writer in
            writer.uint128(pairing.rawValue)
            writer.uint64(UInt64(bitPattern: sequence))
        }
    }

    /// A row of keys; row 0 is the device's name.
    static func keys(_ row: Int64) -> [UInt8] {
        place(2) { $0.uint64(UInt64(bitPattern: row)) }
    }

    /// A column of a store.
    static func column(_ table: UInt8, _ row: Int64) -> [UInt8] {
        place(3) { writer in
            writer.byte(table)
            writer.uint64(UInt64(bitPattern: row))
        }
    }

    private static func place(_ kind: UInt8, _ body: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter([kind])
        body(&writer)
        return writer.bytes
    }
}

/// Seals and opens values in the application's tables that nobody else may read.
package struct StoreColumns: Sendable {
    private let sealing: any PayloadSealing

    init(sealing: any PayloadSealing) { self.sealing = sealing }

    /// The value of a column, sealed if the journal is.
    ///
    /// - Parameters:
    ///   - value: the value to keep.
    ///   - table: the number of the table.
    ///   - row: the row's key. A value that was sealed for one row does not open in another.
    package func seal(_ value: [UInt8], table: UInt8, row: Int64) -> [UInt8] {
        sealing.seal(value, associatedData: SealedPlace.column(table, row))
    }

    /// Opens a sealed value.
    ///
    /// - Throws: ``StoreFailure`` if the bytes were altered or moved to another place.
    package func open(
        _ sealed: [UInt8], table: UInt8, row: Int64
    ) throws(StoreFailure) -> [UInt8] {
        do {
            return try sealing.open(sealed, associatedData: SealedPlace.column(table, row))
        } catch {
            throw StoreFailure("row \(row) of the store's table \(table) does not open")
        }
    }

    /// A tag of an identity, to find rows by.
    package func lookupTag(_ name: [UInt8]) -> [UInt8] { sealing.lookupTag(name) }
}
