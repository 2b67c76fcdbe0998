import ControlProtocol
import Locks
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The pictures that a watch has, and those that it asks its phone for.
///
/// Everything is done on one thread, which may wait for the disk and decodes. Commands are answered
/// from there.
final class WatchPictures: Sendable {
    /// A command that waits for a picture, or the face.
    struct Waiter: Sendable {
        /// Nil for the face.
        var id: JSONValue?
        var begun: Instant
        var side: Int
        /// Tells waiters apart.
        var number: Int
    }

    /// A picture that the phone was asked for.
    struct Fetch: Sendable {
        /// The versions that the watch held.
        var question: PictureMessage.Request
        /// The waiter whose time is that of the question.
        var asker: Int
        var waiters: [Waiter]
    }

    struct State {
        var simulator: Simulator?
        var cache: PictureCache?
        var face = FacePicture()
        /// Whether the face asks again after a pause, and the next pause.
        var asksAgain = false
        var pause = WatchPictures.firstPause
        /// Pairings that have ended whose pictures are still here: the face shows none of them.
        var endings = 0
        var fetches: [PictureName: Fetch] = [:]
        /// The pictures that came last. Some of their offers have not ended yet.
        var arrived: [PictureHead] = []
        /// The list of the phone, and the moment at which it came.
        var list: (pictures: [PictureMessage.Listed], at: UInt64)?
        var listWaiters: [Waiter] = []
        /// Counts the changes of the phone's pictures that the watch has heard of.
        var changes = 0
        var waiterCount = 0
        /// Questions that were sent, and commands that joined one of them.
        var asked = 0
        var joined = 0
        var listHits = 0
    }

    /// The time for which a list is taken as the phone has it.
    static let listFreshness = Duration.seconds(20)
    /// The time that a reply to a question may take.
    static let patience = Duration.seconds(10)
    /// The side to which an arriving picture is decoded, to see that it can be.
    private static let proofSide = 96
    /// Pictures that came whose offers are remembered.
    private static let mostArrived = 64

    let work = SerialWork()
    /// Whether the watch keeps pictures.
    let hasDirectory = Atomic<Bool>(false)
    /// Never held while a file is read, written or decoded: the face takes its picture from it.
    let state = Mutex(State())

    /// Milliseconds of the wall clock.
    static var now: UInt64 { UInt64(max(0, SystemClock.wall.time.milliseconds)) }

    /// The device begins.
    func begin(in simulator: Simulator) {
        hasDirectory.store(simulator.pictureDirectory != nil, ordering: .relaxed)
        state.withLock { $0.simulator = simulator }
    }

    /// Opens the directory, unless it is open. The pictures of another pairing go.
    func open() throws(ControlError) {
        let simulator = state.withLock { $0.simulator }
        guard let simulator, let directory = simulator.pictureDirectory else {
            throw .noPictureDirectory
        }
        let pairing = simulator.pairingInUse?.rawValue ?? 0
        let (isOpen, changes) = state.withLock { ($0.cache?.pairing == pairing, $0.changes) }
        guard !isOpen else { return }
        let made: PictureCache
        do throws(SystemErrorNumber) {
            made = try PictureCache(directory, of: pairing, now: Self.now)
        } catch {
            throw .pictureNotKept(error)
        }
        state.withLock { state in
            // Perhaps it was opened meanwhile, or that pairing has ended.
            if state.cache?.pairing != pairing, state.changes == changes { state.cache = made }
        }
    }

    static var noPicture: ControlError {
        ControlError(
            "no_picture", ["expected": "a medication that the phone has a picture of"])
    }

    // MARK: Pictures received

    /// A picture came as a file, which goes.
    ///
    /// - Parameter done: called when it is kept, or refused.
    func arrived(_ head: PictureHead, at path: String, _ done: @escaping @Sendable () -> Void) {
        work.add { [self] in
            state.withLock { $0.arrived = $0.arrived.suffix(Self.mostArrived - 1) + [head] }
            let result = kept(head, path)
            Directories.remove(path)
            Directories.remove(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
            done()
            switch result {
            case .success(let bytes):
                var members = head.controlMembers
                members["bytes"] = .whole(bytes)
                state.withLock { $0.simulator }?.hub
                    .post("picture.arrived", .object(members))
                answer(head.name, from: "phone")
            case .failure(let error): refuse(head.name, error)
            }
            fillFace([])
        }
    }

    /// Keeps an arriving picture, if it is one. Returns its bytes.
    private func kept(_ head: PictureHead, _ path: String) -> Result<Int, ControlError> {
        do {
            try open()
            let file = try OpenFile(reading: path)
            let size = try file.stamp().size
            let limit = head.name.size.mostBytes
            guard size <= UInt64(limit) else {
                throw ControlError(
                    "not_a_picture", ["bytes": .whole(size), "limit_bytes": .whole(limit)])
            }
            let jpeg = try file.read(at: 0, count: Int(size))
            _ = try BaselineDecoder.decode(jpeg, fitting: Self.proofSide)
            try keep(jpeg, as: head)
            return .success(jpeg.count)
        } catch let error as ControlError {
            return .failure(error)
        } catch let error as PictureError {
            return .failure(ControlError("not_a_picture", ["detail": .string(error.text)]))
        } catch let error as SystemErrorNumber {
            return .failure(.pictureNotKept(error))
        } catch {
            return .failure(ControlError("not_a_picture", ["detail": .string("\(error)")]))
        }
    }

    /// Keeps a picture. If the disk fails, the former one is gone: it is not the phone's any more.
    private func keep(_ jpeg: [UInt8], as head: PictureHead) throws(SystemErrorNumber) {
        guard let directory = state.withLock({ $0.cache?.directory }) else { return }
        let (name, now) = (head.name, Self.now)
        let written = Result { () throws(SystemErrorNumber) in
            try PictureCache.write(jpeg, in: directory)
        }
        let problem = state.withLock { state -> SystemErrorNumber? in
            // The list is not the phone's any more.
            state.list = nil
            state.changes += 1
            do throws(SystemErrorNumber) {
                try written.get()
                try state.cache?.keep(
                    count: jpeg.count, as: name, version: head.version, now: now)
                state.face.came(
                    of: name.medication, isAwaited: state.fetches[name] != nil,
                    at: SystemClock.now)
                state.pause = Self.firstPause
                return nil
            } catch {
                state.cache?.remove(medication: name.medication)
                // If the directory is gone, it is made again.
                if error.isNoFile {
                    state.cache = nil
                    state.face.notAsked(name)
                }
                return error
            }
        }
        if let problem { throw problem }
    }

    /// A medication has no picture any more.
    func removed(_ medication: UInt128) {
        work.add { [self] in
            if (try? open()) != nil {
                state.withLock { state in
                    state.list = nil
                    state.changes += 1
                    state.cache?.remove(medication: medication)
                }
            }
            for size in PictureSize.allCases {
                refuse(PictureName(medication, size), Self.noPicture)
            }
            fillFace([])
        }
    }

    /// The pairing ends: its pictures go, and nobody waits for one.
    func forget() {
        state.withLock { $0.endings += 1 }
        work.add { [self] in
            let names = state.withLock { state in
                state.endings -= 1
                state.list = nil
                state.changes += 1
                state.cache?.removeAll()
                state.cache = nil
                return Array(state.fetches.keys)
            }
            for name in names { refuse(name, Self.noPicture) }
            fillFace([])
        }
    }
}
