import WatchProtoCore

/// The energy of a watch's BLE radio and of its wake-ups: a stated model, not a measurement.
///
/// The phases of connection and advertising events follow Kindt, Yunge, Diemer, Chakraborty,
/// *Precise Energy Modeling for the Bluetooth Low Energy Protocol*, arXiv 1403.2919: a fixed part
/// before and after, and packets between them. The currents are those of the nRF52840 at 3 V.
package struct RadioModel: Hashable, Sendable {
    /// Volts.
    package var volts = 3.0
    /// Milliamperes while the radio receives, and while it sends at 0 dBm.
    package var receive = 4.6
    package var transmit = 4.8
    /// Milliamperes of the processor before and after the packets of an event.
    package var processor = 3.3
    /// The microseconds of those two phases.
    package var eventMicroseconds = 900.0
    /// Microseconds on the air for a byte, at 1 Mbit/s.
    package var byteMicroseconds = 8.0
    /// Bytes of a packet beside its payload: preamble, address, header, L2CAP and ATT, MIC, CRC.
    package var overheadBytes = 21
    /// The most bytes of a packet's payload.
    package var payloadBytes = 244
    /// The microseconds between two packets, in which the radio receives.
    package var pauseMicroseconds = 150.0
    /// The time between two connection events while there is traffic.
    package var interval = Duration.milliseconds(30)
    /// The time between two events of an idle connection: its interval and its latency.
    package var idleInterval = Duration.seconds(2)
    /// The time between two advertising events while there is no connection, and the bytes of an
    /// advertising packet: its addresses, and 31 of content.
    package var advertisingInterval = Duration.milliseconds(1022)
    package var advertisingBytes = 47
    /// The microseconds for which the radio listens after an advertising packet.
    package var advertisingListen = 350.0
    /// The connection events that set up a connection, before the first packet of its own.
    package var setUpEvents = 6
    /// The silence after which the next packet is a wake-up.
    package var silence = Duration.seconds(5)
    /// Millijoules of a wake-up of the watch's processor: 100 ms at 60 mW.
    package var wakeMillijoules = 6.0
    /// Joules of the battery: 300 mAh at 3.8 V.
    package var batteryJoules = 4104.0

    /// The model with its stated figures.
    package init() {}

    /// The millijoules of a packet of a connection, with its answer.
    func millijoules(bytes: Int, isSent: Bool) -> Double {
        let packets = max(1, (bytes + payloadBytes - 1) / payloadBytes)
        let data = Double(bytes + packets * overheadBytes) * byteMicroseconds
        // The other direction answers each packet with an empty one, of 10 bytes.
        let answers = Double(packets * 10) * byteMicroseconds
        let pauses = Double(packets) * 2 * pauseMicroseconds
        let (sent, received) = isSent ? (data, answers) : (answers, data)
        return (sent * transmit + (received + pauses) * receive) * volts / 1e6
    }

    /// The millijoules of an event beside its packets.
    var eventMillijoules: Double { eventMicroseconds * processor * volts / 1e6 }

    /// The millijoules of an advertising event: a packet on each of three channels, and listening
    /// after each.
    var advertisingMillijoules: Double {
        let sent = Double(3 * advertisingBytes) * byteMicroseconds * transmit
        return eventMillijoules + (sent + 3 * advertisingListen * receive) * volts / 1e6
    }

    /// The millijoules that set up a connection: the advertising event that is answered, listening
    /// through an interval for the first event, and some events with an empty packet each way.
    var setUpMillijoules: Double {
        let listening = Double(interval.nanosecondsClamped) / 1000 * receive * volts / 1e6
        return advertisingMillijoules + listening + Double(setUpEvents) * idleMillijoules
    }

    /// The millijoules of an event of an idle connection: an empty packet each way.
    var idleMillijoules: Double { eventMillijoules + millijoules(bytes: 0, isSent: true) }
}
