internal import ControlProtocol
internal import Locks
internal import WatchProto

/// The command `load.start`.
extension Simulator {
    func startLoad(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        let plan = try LoadPlan(request, kinds: application.loadKinds, seed: options.seed)
        try application.prepareLoad(plan)
        guard !load.isRunning else { throw ControlError("load_running") }
        observer.isLoadQuiet.store(!plan.tellsEvents, ordering: .relaxed)
        trace.startLoad()
        let isStarted = load.start(plan) { shot throws(SendRefusal) in
            if shot.kind == "message" {
                try self.sendMessage(shot)
            } else {
                try self.application.fire(shot, in: self)
            }
        } done: { outcome in
            self.observer.isLoadQuiet.store(false, ordering: .relaxed)
            self.hub.post("load.done", outcome.value)
        }
        guard isStarted else { throw ControlError("load_running") }
        return JSONValue.members([
            "seed": .whole(plan.seed), "arrivals": .string(plan.arrivals.rawValue),
        ])
    }
}
