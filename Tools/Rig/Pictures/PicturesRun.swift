import Bench
import CommandLine
import ControlProtocol
import PictureCoding
import Pictures
import Reports
import WatchProtoCore

/// The measurements of `rig lab pictures`: two simulators, and a decoder in this process.
final class PicturesRun {
    private(set) var thumbnail = LatencySeries("thumbnail to the face from the store")
    private(set) var whole = LatencySeries("whole picture to the face from the store")
    private(set) var decoding = LatencySeries("decoding to 400 pixels")
    private(set) var library = LatencySeries("decoding to 400 pixels, libjpeg-turbo")
    /// From the first command for the whole picture to its reply, in nanoseconds.
    private(set) var first: UInt64 = 0
    private(set) var sentBytes: UInt64 = 0
    /// The bytes by which the most memory of the watch grew for a large picture.
    private(set) var grown: UInt64 = 0

    private let start = MonotonicClock.nowNanoseconds
    private let files: String
    private let timeout: Duration
    private let supervisor = Supervisor()
    private let phone: SimulatorProcess
    private let watch: SimulatorProcess
    private static let key: JSONValue = "70696c6c"

    /// Starts and pairs the devices.
    ///
    /// - Throws: exit code 69 where the devices do not meet, 70 where one does not start.
    init(_ programs: String, timeout: Duration) throws(RigFailure) {
        let files = try TemporaryPlace.make("rig-pictures", socket: "link")
        self.files = files
        self.timeout = timeout
        let supervisor = supervisor
        let (near, far) = ("\(files)/in-phone", "\(files)/in-watch")
        do {
            for inbox in [near, far] { _ = try Files.makeDirectory(inbox) }
            (phone, watch) = try SimulatorProcess.startPair(
                programs, link: "unix:\(files)/link", journalsIn: files,
                phone: ["--inbox", near], watch: ["--inbox", far], supervisor, timeout: timeout)
        } catch {
            Files.removeDirectory(files)
            throw error as? RigFailure ?? RigFailure(.cannotWrite, "\(error)")
        }
    }

    /// Measures everything.
    ///
    /// - Throws: exit code 70 or 75 of a device, 73 where the photograph cannot be kept.
    func take(_ samples: Int, _ progress: Progress) throws(RigFailure) {
        progress.step("making a photograph")
        let jpeg = try photograph()
        progress.step("sending it")
        try sendList()
        try phone.call(
            "picture.set", picture(["path": .string("\(files)/photo.jpg")]), timeout: timeout)
        _ = try watch.event("picture.arrived", timeout: timeout)
        let begin = MonotonicClock.nowNanoseconds
        try watch.call("picture.get", picture(["size": "whole"]), timeout: timeout)
        first = MonotonicClock.nowNanoseconds - begin
        sentBytes = try watch.event("picture.arrived", timeout: timeout)["bytes"]?.unsigned ?? 0
        for number in 0..<samples {
            progress.count(UInt64(number + 1), of: UInt64(samples), "samples")
            add(try thumbnailToFace(), number, to: &thumbnail)
            add(try wholeToFace(), number, to: &whole)
            try decode(jpeg, number)
        }
        do throws(SystemError) {
            try watch.forgetPeakMemory()
        } catch {
            throw RigFailure(.software, "\(error)")
        }
        let before = watch.peakMemoryBytes ?? 0
        let large = try watch.call(
            "picture.get", picture(["size": "whole", "side": 1490]), timeout: timeout)
        try Self.check(large["source"] == "disk")
        let after = watch.peakMemoryBytes ?? 0
        grown = after - min(before, after)
    }

    private func add(_ time: UInt64, _ number: Int, to series: inout LatencySeries) {
        series.record(
            time, message: "sample \(number)", atNanoseconds: MonotonicClock.nowNanoseconds - start)
    }

    private func picture(_ fields: JSONObject) -> JSONObject {
        var object = fields
        object["key"] = Self.key
        return object
    }

    /// Gives both devices a list of one medication, which the face of the watch names at every
    /// hour.
    private func sendList() throws(RigFailure) {
        let list: JSONValue = [
            "format": "watchproto.medications/1",
            "medications": [
                [
                    "id": "00000000-0000-0000-0000-000070696c6c", "name": "Pill",
                    "strength": "5 mg", "schedule": ["times": ["00:00", "08:00", "16:00"]],
                ]
            ],
        ]
        let path = "\(files)/list.json"
        do {
            try Files.write(Array(JSONWriter.text(list).utf8), to: path)
        } catch {
            throw RigFailure(.cannotWrite, "The list cannot be kept: \(error)")
        }
        try phone.call("import", ["path": .string(path)], timeout: timeout)
        try phone.call("sync", timeout: timeout)
        _ = try watch.event("medication.visible", timeout: timeout)
    }

    /// From the face of a watch that was unlocked to the thumbnail on it.
    private func thumbnailToFace() throws(RigFailure) -> UInt64 {
        try watch.call("app.report", ["locked": true], timeout: timeout)
        try watch.call("face", timeout: timeout)
        try forgetDecoded()
        try watch.call("app.report", ["locked": false], timeout: timeout)
        try watch.call("face", timeout: timeout)
        return try shown("thumbnail")
    }

    /// From the moment at which the medication is opened to the whole picture.
    private func wholeToFace() throws(RigFailure) -> UInt64 {
        try forgetDecoded()
        try watch.call("face.open", timeout: timeout)
        return try shown("whole")
    }

    private func forgetDecoded() throws(RigFailure) {
        try watch.call("memory.pressure", ["level": "critical"], timeout: timeout)
        _ = watch.takeEvents()
    }

    /// The time that the picture on the face took. Its event comes after that of the face.
    private func shown(_ size: String) throws(RigFailure) -> UInt64 {
        let event = try watch.event("complication.shown", timeout: timeout) { event in
            event["picture"]?["size"] == .string(size)
        }
        try Self.check(event["source"] == "picture")
        return event["picture"]?["took_ns"]?.unsigned ?? 0
    }

    private static func check(_ isFromStore: Bool) throws(RigFailure) {
        guard isFromStore else {
            throw RigFailure(.protocolBroken, "WatchSim did not read a picture from its store.")
        }
    }

    /// A turn of each decoder; the first one alternates.
    private func decode(_ jpeg: [UInt8], _ number: Int) throws(RigFailure) {
        do throws(PictureError) {
            for turn in 0..<2 {
                let begin = MonotonicClock.nowNanoseconds
                let isOwn = (turn + number) % 2 == 0
                let made =
                    try isOwn
                    ? BaselineDecoder.decode(jpeg, fitting: 400)
                    : PictureReader.read(jpeg, fitting: 400)
                let time = MonotonicClock.nowNanoseconds - begin
                guard made.width == 400 else {
                    throw .malformed("another size", at: made.width)
                }
                if isOwn {
                    add(time, number, to: &decoding)
                } else {
                    add(time, number, to: &library)
                }
            }
        } catch {
            throw RigFailure(.software, "A prepared picture cannot be decoded: \(error.text).")
        }
    }

    /// Makes the file of a photograph of 12 megapixels. Returns the picture that a good link gets.
    private func photograph() throws(RigFailure) -> [UInt8] {
        let (width, height) = (4000, 3000)
        var generator = SeededGenerator(seed: 11)
        var rgb: [UInt8] = []
        rgb.reserveCapacity(3 * width * height)
        for y in 0..<height {
            for x in 0..<width {
                let grain = Int(truncatingIfNeeded: generator.next() & 15)
                let isPill = (x - 2000) * (x - 2000) / 4 + (y - 1500) * (y - 1500) < 490_000
                rgb.append(UInt8(clamping: x * 200 / width + grain))
                rgb.append(UInt8(clamping: (isPill ? 180 : y * 120 / height) + grain))
                rgb.append(UInt8(clamping: (isPill && x > 2000 ? 210 : 90) + grain))
            }
        }
        do {
            let whole = Bitmap(width: width, height: height, rgb: rgb)
            let photograph = try PictureWriter.jpeg(of: whole, quality: 92)
            try Files.write(to: "\(files)/photo.jpg", mode: 0o600) { write throws(SystemError) in
                try write(photograph)
            }
            return try PreparedPicture.whole(of: photograph, over: .good).jpeg
        } catch {
            throw RigFailure(.cannotWrite, "The photograph cannot be made: \(error)")
        }
    }

    /// Ends both devices and removes the files.
    func end() {
        phone.quit()
        watch.quit()
        Files.removeDirectory(files)
    }
}
