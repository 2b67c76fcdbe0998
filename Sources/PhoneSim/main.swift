import SimulatorKit

Simulator.run(PhoneApplication())
