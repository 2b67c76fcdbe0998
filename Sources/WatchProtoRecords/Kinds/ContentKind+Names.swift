public import WatchProtoCore

/// The kinds of the product, by their codes on the wire and in journals.
extension ContentKind {
    /// An interactive message, or a reply to one.
    public static let message = ContentKind(rawValue: 1)
    /// A ``LightweightMedication`` in its canonical encoding.
    public static let medication = ContentKind(rawValue: 2)
    /// The medication named by the key is removed; the payload is empty.
    package static let medicationRemoval = ContentKind(rawValue: 3)
    /// A ``DoseEvent`` in its canonical encoding.
    public static let doseEvent = ContentKind(rawValue: 4)
    /// A ``ComplicationState`` in its canonical encoding.
    public static let complication = ContentKind(rawValue: 5)
    /// The application's current state as a whole.
    public static let applicationContext = ContentKind(rawValue: 6)
    /// Queued user information.
    public static let userInfo = ContentKind(rawValue: 7)
    /// The offer of a file, whose blocks the receiver fetches.
    public static let file = ContentKind(rawValue: 8)
    /// A medication on the wire, coded against ``Vocabulary``. No record has this kind.
    package static let codedMedication = ContentKind(rawValue: 12)

    /// An application context on the wire, compressed. No record has this kind.
    package static let compressedContext = ContentKind(rawValue: 14)

    /// Whether a record of this kind removes the value of its key.
    package var isRemoval: Bool { self == .medicationRemoval }
}
