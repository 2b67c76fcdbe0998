/// Records as lines of JSON.
package enum RecordLine {
    /// Bytes of the shortest record.
    package static let fewestBytes = 64

    /// A record whose line, its line feed included, takes `bytes`, but ``fewestBytes`` at least: a
    /// name, a number, and letters that are alike in no two records.
    package static func record(_ number: Int, bytes: Int) -> [UInt8] {
        let head = Array(#"{"kind":"record","number":\#(number),"payload":""#.utf8)
        let tail = Array("\"}\n".utf8)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-".utf8)
        var line = head
        var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 | 1
        while line.count < max(bytes, fewestBytes) - tail.count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            line.append(letters[Int(state >> 58)])
        }
        return line + tail
    }

    /// The state of a watch's face, as a plain line of JSON.
    package static func complication(_ number: Int) -> [UInt8] {
        Array(
            (#"{"kind":"complication","number":\#(number),"name":"Lisinopril","#
                + #""amount":"1 × 10 mg","next":"08:00","taken":\#(number % 7),"total":7}"#
                + "\n").utf8)
    }
}
