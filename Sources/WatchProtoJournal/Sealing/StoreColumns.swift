internal import WatchProtoCore

/// The place of a sealed value in the file, to which its seal is bound.
enum SealedPlace {
    /// The entries of a pairing in a row of the log.
    static func row(_ sequence: Int64, of pairing: PairingID) -> [UInt8] {
        place(1) { writer in
            writer.uint128(pairing.rawValue)
            writer.uint64(UInt64(bitPattern: sequence))
        }
    }

    /// A row of keys; 0 for the device's name.
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

/// How the application's tables keep values that nobody else may read.
package struct StoreColumns: Sendable {
    private let sealing: any PayloadSealing

    init(sealing: any PayloadSealing) { self.sealing = sealing }

    /// The value of a column, sealed where the journal is.
    ///
    /// - Parameters:
    ///   - value: the value to keep.
    ///   - table: a number of the table's own.
    ///   - row: the row's key; a value that was sealed for one row does not open in another.
    package func seal(_ value: [UInt8], table: UInt8, row: Int64) -> [UInt8] {
        sealing.seal(value, associatedData: SealedPlace.column(table, row))
    }

    /// The value that was sealed.
    ///
    /// - Throws: ``StoreFailure`` when the bytes were altered or stand in another place.
    package func open(
        _ sealed: [UInt8], table: UInt8, row: Int64
    ) throws(StoreFailure) -> [UInt8] {
        do {
            return try sealing.open(sealed, associatedData: SealedPlace.column(table, row))
        } catch {
            throw StoreFailure("row \(row) of the store's table \(table) does not open")
        }
    }

    /// A stand-in for an identity, to look rows up by.
    package func lookupTag(_ name: [UInt8]) -> [UInt8] { sealing.lookupTag(name) }
}
