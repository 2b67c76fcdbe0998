import CommandLine
import Glibc
import Testing

@Suite struct SystemErrorTests {
    static let advice: [(call: String, number: Int32, read: String?, write: String?)] = [
        ("open", ENOENT, "check the path", "make the directory above it first"),
        ("mkdir", ENOENT, nil, nil),
        ("open", EACCES, "allow this user to read there", "allow this user to write there"),
        ("open", EISDIR, "name a file in it", "move the directory of that name away"),
        (
            "open", ENOTDIR, "take a path that leads through directories alone",
            "take a path that leads through directories alone"
        ),
        ("write", ENOSPC, "free space there", "free space there"),
        (
            "open", ENAMETOOLONG, "shorten the path (a name has at most 255 bytes)",
            "shorten the path (a name has at most 255 bytes)"
        ),
        (
            "open", EROFS, "mount that file system for writing",
            "mount that file system for writing"
        ),
        ("read", EIO, nil, nil),
    ]

    @Test(arguments: advice)
    func advice_fits_the_reason(call: String, number: Int32, read: String?, write: String?) {
        let error = SystemError(call, "x", number: number)
        for (isWriting, words) in [(false, read), (true, write)] {
            #expect(
                error.advice(isWriting: isWriting, otherwise: "do something else.")
                    == "Try: " + (words.map { "\($0), or " } ?? "") + "do something else.")
        }
    }
}
