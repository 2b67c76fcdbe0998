import ControlProtocol
import Locks
import PictureCoding
import Pictures
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The pictures of a phone: prepared on a thread of their own, and sent as files.
///
/// That thread does one thing after the other, so what it offers is always of the version that
/// counts.
final class PhonePictures: Sendable {
    /// The directory, and the device that sends.
    struct Place: Sendable {
        let shelf: PictureShelf
        let simulator: Simulator
    }

    struct State {
        /// Nil without a directory, or where the disk failed at the start.
        var place: Place?
        /// The version of each medication with a picture.
        var versions: [UInt128: UInt64] = [:]
        /// The questions of watches that nobody has answered with a file yet.
        var wanted: Set<Wanted> = []
    }

    /// A picture that a watch waits for.
    struct Wanted: Hashable {
        var name: PictureName
        var pairing: PairingID?
        var needsThumbnail = false
        /// The offer that brought it last, which is no answer; 0 for none.
        var arrived: UInt64 = 0
    }

    /// Changed by the work alone but for `wanted`, and never held while the disk is waited for.
    let state = Mutex(State())
    let work = SerialWork()

    /// The device begins. Its pictures are known before a watch asks.
    func begin(in simulator: Simulator) {
        guard let directory = simulator.pictureDirectory,
            let shelf = try? PictureShelf(directory)
        else { return }
        let versions = shelf.versions
        state.withLock { state in
            state.place = Place(shelf: shelf, simulator: simulator)
            state.versions = versions
        }
    }

    /// The session of a pairing begins. It goes on with the offers of former sessions, and pictures
    /// may have changed since: then the former ones are cancelled.
    func sessionBegins(with pairing: PairingID?) {
        guard let place = state.withLock({ $0.place }) else { return }
        work.add { [self] in
            let awaited = cancelOffers(to: [pairing], in: place) { head in
                head.version != version(of: head.name.medication)
            }
            for wanted in awaited { add(wanted, in: place) }
        }
    }

    func version(of medication: UInt128) -> UInt64? {
        state.withLock { $0.versions[medication] }
    }

    // MARK: Commands

    /// Gives a medication a picture, and sends its thumbnail. The reply follows.
    func set(
        _ request: ControlRequest, of medication: UInt128
    ) throws(ControlError) -> JSONObject? {
        let path = try request.string("path", expected: "the path of a JPEG or a PNG")
        return try perform(request) { [self] place throws(ControlError) in
            try set(path, of: medication, in: place)
        }
    }

    /// Removes the picture of a medication, and tells the watch. The reply follows.
    func remove(
        _ request: ControlRequest, of medication: UInt128
    ) throws(ControlError) -> JSONObject? {
        try perform(request) { [self] place throws(ControlError) in
            try remove(medication, in: place)
        }
    }

    /// The medication is gone, and so is its picture. The watch removes its pictures with it.
    func medicationIsGone(_ medication: UInt128) {
        guard let place = state.withLock({ $0.place }) else { return }
        work.add { [self] in
            guard version(of: medication) != nil else { return }
            do throws(ControlError) {
                try forget(medication, in: place)
            } catch {
                place.simulator.log("a picture may come back: \(error)")
            }
        }
    }

    private func perform(
        _ request: ControlRequest,
        _ body: @escaping @Sendable (Place) throws(ControlError) -> JSONObject
    ) throws(ControlError) -> JSONObject? {
        guard let place = state.withLock({ $0.place }) else { throw .noPictureDirectory }
        let id = request.id
        place.simulator.begin(request)
        work.add {
            do throws(ControlError) {
                let members = try body(place)
                place.simulator.reply(to: id, .success(members))
            } catch {
                place.simulator.reply(to: id, .failure(error))
            }
        }
        return nil
    }
}
