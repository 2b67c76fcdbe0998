import ReferenceDevice

Simulator.run(PhoneApplication())
