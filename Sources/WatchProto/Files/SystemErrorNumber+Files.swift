package import WatchProtoTransport

/// The errors of disks that decide about a file.
extension SystemErrorNumber {
    /// A file is shorter than it was.
    static let inputOutput = SystemErrorNumber(5)
    /// A file is a link, or has several names.
    static let linked = SystemErrorNumber(40)
    /// The disk is full.
    static let noSpace = SystemErrorNumber(28)

    /// Whether there is no such file.
    package var isNoFile: Bool { rawValue == 2 || rawValue == 20 }

    /// Whether there is something other than a file: a socket, a device, a directory, a loop of
    /// links.
    var isNoRegularFile: Bool { [6, 19, 21, 40].contains(rawValue) }

    /// Whether the file system takes no such name.
    var isOfName: Bool { [22, 36, 84].contains(rawValue) }

    /// The error in words.
    var text: String { SystemErrorText.of(rawValue) }
}
