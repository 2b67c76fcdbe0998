/// A row of the table of limits and faults.
struct PlatformRow: Sendable {
    let trait: PlatformTrait
    /// The usual value for each platform that has it.
    let values: [PlatformKind: Int]
    /// The source of the value, or of the fault.
    let source: String

    init(_ trait: PlatformTrait, _ values: [PlatformKind: Int], _ source: String) {
        self.trait = trait
        self.values = values
        self.source = source
    }

    /// Whether it is documented behaviour, which is on from the beginning.
    var isLimit: Bool {
        switch trait {
        case .messageBytes, .inboxBytes, .outboxBytes, .userInfoBytes, .stateBytes,
            .messagesInFlight, .answerSeconds, .complicationsPerDay, .complicationUntags,
            .stateSeconds:
            true
        default: false
        }
    }

    static let all = limits + faults

    private static let limits = [
        PlatformRow(
            .messageBytes, [.wcsession: 65_536, .wear: 102_400],
            "stackoverflow.com/questions/33025915; Wear MessageApi reference"),
        PlatformRow(.inboxBytes, [.pebble: 124], "PebbleOS app_message.h"),
        PlatformRow(.outboxBytes, [.pebble: 636], "PebbleOS app_message.h"),
        PlatformRow(
            .userInfoBytes, [.wcsession: 65_536], "stackoverflow.com/questions/33025915"),
        PlatformRow(
            .stateBytes, [.wcsession: 262_144, .wear: 102_400],
            "stackoverflow.com/questions/33025915; developer.android.com, data items"),
        PlatformRow(.messagesInFlight, [.pebble: 1], "PebbleOS app_message.h"),
        PlatformRow(
            .answerSeconds, [.wcsession: 10, .wear: 10, .pebble: 10],
            "PebbleOS ACK_NACK_TIME_OUT_MS; for the others the time is chosen"),
        PlatformRow(
            .complicationsPerDay, [.wcsession: 50],
            "developer.apple.com, remainingComplicationUserInfoTransfers"),
        PlatformRow(
            .complicationUntags, [.wcsession: 1],
            "WCSession.h, transferCurrentComplicationUserInfo"),
        PlatformRow(.stateSeconds, [.wear: 1_800], "Google Play services 8.3 announcement"),
    ]

    private static let faults = [
        PlatformRow(
            .userInfoSeconds, [.wcsession: 600], "WCSession.h, transferUserInfo; the time is chosen"
        ),
        PlatformRow(
            .offFace, [.wcsession: 1],
            "developer.apple.com, remainingComplicationUserInfoTransfers"),
        PlatformRow(
            .flapSeconds, [.wcsession: 5, .wear: 5, .pebble: 5],
            "SundialKit, latency notes; the time is chosen"),
        PlatformRow(.watchAsleep, [.wcsession: 1], "WCSession.h, sendMessage; SundialKit #89"),
        PlatformRow(.oneWay, [.wcsession: 1], "openradar-mirror #16759"),
        PlatformRow(.bothHandlers, [.wcsession: 1], "openclaw/openclaw PR #129921"),
        PlatformRow(
            .errorAfterDelivery, [.wcsession: 1, .pebble: 1],
            "LoopKit/Loop #1543; PebbleOS app_message.h"),
        PlatformRow(
            .stuckUntilRestart, [.wcsession: 1],
            "react-native-watch-connectivity #77; its end by a restart is chosen"),
        PlatformRow(.stuckUntilNext, [.wcsession: 1], "openradar-mirror #13658"),
        PlatformRow(.userInfoCopies, [.wcsession: 2], "react-native-watch-connectivity #87"),
        PlatformRow(.stateCopies, [.wcsession: 8], "Automattic/pocket-casts-ios #1430"),
        PlatformRow(
            .equalStateSkipped, [.wcsession: 1], "qiita.com/crenieq/items/459b765f39c346791c03"),
        PlatformRow(.queueCleared, [.pebble: 1], "Gadgetbridge, BtLEQueue.handleDisconnected"),
        PlatformRow(
            .earlyAnswerSeconds, [.wcsession: 2, .wear: 2, .pebble: 2],
            "openclaw/openclaw #136617; developer.android.com, client types; PebbleKitAndroid2 #11"
        ),
        PlatformRow(
            .offlineNeverSent, [.wcsession: 1, .pebble: 1],
            "AudioBooth #365; coredevices/mobileapp #310"),
        PlatformRow(
            .noUserInfo, [.wcsession: 1], "developer.apple.com, transferUserInfo, in the Simulator"
        ),
        PlatformRow(
            .watchSwitchSeconds, [.wcsession: 60],
            "developer.apple.com, sessionDidBecomeInactive; the time is chosen"),
    ]
}
