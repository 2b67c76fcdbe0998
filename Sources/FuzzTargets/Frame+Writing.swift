import WatchProto

extension Frame {
    /// Appends the frame, as its sender writes it. A skipped one is not known.
    func write(to writer: inout WireWriter) {
        switch self {
        case .padding: writer.byte(FrameType.padding.rawValue)
        case .keyUpdate: writer.byte(FrameType.keyUpdate.rawValue)
        case .skipped: break
        case .ping(let frame): frame.write(to: &writer)
        case .close(let frame): frame.write(to: &writer)
        case .ack(let frame): frame.write(to: &writer)
        case .earlyData(let frame): frame.write(to: &writer)
        case .position(let frame): frame.write(to: &writer)
        case .epochs(let frame): frame.write(to: &writer)
        case .ticketAnswer(let frame): frame.write(to: &writer)
        case .record(let frame): frame.write(to: &writer)
        case .value(let frame): frame.write(to: &writer)
        case .fragment(let frame): frame.write(to: &writer)
        case .credit(let frame): frame.write(to: &writer)
        case .tryLater(let frame): frame.write(to: &writer)
        case .needBase(let frame): frame.write(to: &writer)
        case .cancel(let frame): frame.write(to: &writer)
        case .received(let frame): frame.write(to: &writer)
        case .heldQuery(let frame): frame.write(to: &writer)
        case .valueQuery(let frame): frame.write(to: &writer)
        case .nothingLost(let frame): frame.write(to: &writer)
        case .acknowledgement(let frame): frame.write(to: &writer)
        case .outcome(let frame): frame.write(to: &writer)
        case .watermark(let frame): frame.write(to: &writer)
        case .epochOver(let frame): frame.write(to: &writer)
        case .epochClosed(let frame): frame.write(to: &writer)
        case .epochsKnown(let frame): frame.write(to: &writer)
        case .epochHeld(let frame): frame.write(to: &writer)
        case .valueAcknowledgement(let frame): frame.write(to: &writer)
        case .valueOutcome(let frame): frame.write(to: &writer)
        case .mended(let frame): frame.write(to: &writer)
        case .heldDigest(let frame): frame.write(to: &writer)
        case .held(let frame): frame.write(to: &writer)
        case .heldValue(let frame): frame.write(to: &writer)
        case .removalFloor(let frame): frame.write(to: &writer)
        case .arrival(let frame): frame.write(to: &writer)
        case .repair(let frame): frame.write(to: &writer)
        }
    }
}
