import SimulatorKit

Simulator.run(WatchApplication())
