#!/usr/bin/env python3
"""Makes the files of Fixtures/medications from medicines.tsv and medicine_classes.py.

    python3 scripts/make-medication-fixtures.py [--check]
    python3 scripts/make-medication-fixtures.py --many N FILE

The same input gives the same bytes: no clock, no randomness; numbers that vary come from the place
of a medicine in the table. With --check nothing is written, and the exit code is 1 when a file in
the folder differs from what would be written. With --many only FILE is written: a list of N
medications, which are those of list.json again and again, each under an id of its own.

Times of the table, as minutes of the day and how they would be ordered in FHIR: see TIMES.
"""
import json
import pathlib
import sys
import uuid

from medicine_classes import CLASSES, TRANSLATED

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "Fixtures" / "medications"
ATC = "http://www.whocc.no/atc"
LIST_FORMAT = "watchproto.medications/1"

# key: (times, further members of the schedule, repeat of a FHIR timing, words)
TIMES = {
    "od": (["08:00"], {}, {"frequency": 1, "period": 1, "periodUnit": "d"}, "once a day in the morning"),
    "wake": (["07:00"], {}, {"frequency": 1, "period": 1, "periodUnit": "d", "when": ["WAKE"]}, "once a day on waking"),
    "evening": (["18:00"], {}, {"frequency": 1, "period": 1, "periodUnit": "d", "timeOfDay": ["18:00:00"]}, "once a day at 18:00"),
    "night": (["22:00"], {}, {"frequency": 1, "period": 1, "periodUnit": "d", "when": ["HS"]}, "once a day at bedtime"),
    "breakfast": (["08:00"], {}, {"frequency": 1, "period": 1, "periodUnit": "d", "when": ["CM"]}, "once a day with breakfast"),
    "dinner": (["19:00"], {}, {"frequency": 1, "period": 1, "periodUnit": "d", "when": ["CV"]}, "once a day with dinner"),
    "bd": (["08:00", "20:00"], {}, {"frequency": 2, "period": 1, "periodUnit": "d"}, "twice a day"),
    "tds": (["08:00", "14:00", "20:00"], {}, {"frequency": 3, "period": 1, "periodUnit": "d"}, "three times a day"),
    "qds": (["08:00", "12:00", "16:00", "20:00"], {}, {"frequency": 4, "period": 1, "periodUnit": "d"}, "four times a day"),
    "meals": (["08:00", "13:00", "19:00"], {}, {"frequency": 3, "period": 1, "periodUnit": "d", "when": ["C"]}, "with each main meal"),
    "weekly": (["08:00"], {"weekdays": ["mon"]}, {"frequency": 1, "period": 1, "periodUnit": "wk", "dayOfWeek": ["mon"]}, "once a week, on Monday"),
    "weeklyfri": (["08:00"], {"weekdays": ["fri"]}, {"frequency": 1, "period": 1, "periodUnit": "wk", "dayOfWeek": ["fri"]}, "once a week, on Friday"),
    "mwf": (["08:00"], {"weekdays": ["mon", "wed", "fri"]}, {"frequency": 3, "period": 1, "periodUnit": "wk", "dayOfWeek": ["mon", "wed", "fri"]}, "on Monday, Wednesday and Friday"),
    "threedays": (["08:00"], {"everyDays": 3}, {"frequency": 1, "period": 3, "periodUnit": "d"}, "every 3 days"),
    "twoweeks": (["08:00"], {"everyDays": 14}, {"frequency": 1, "period": 2, "periodUnit": "wk"}, "every 2 weeks"),
    "single": ([], {}, {"count": 1}, "as a single dose"),
    "asplanned": ([], {}, {"frequency": 1, "period": 6, "periodUnit": "mo"}, "on the days agreed"),
    "prn": ([], {}, None, "when needed"),
}
PRESCRIBERS = [
    ("Dr. A. Example", "+1-555-0100", "Group practice, 1 Sample Street"),
    ("Dr. B. Muster", "+1-555-0101", "Cardiology, 2 Sample Street"),
    ("Dr. C. Modelo", "+1-555-0102", "Neurology, 3 Sample Street"),
    ("Dr. D. Exemple", "+1-555-0103", "Diabetes centre, 4 Sample Street"),
]
PHARMACIES = [
    ("Corner Pharmacy", "+1-555-0150", "10 Sample Square, open 08:00 to 19:00, Saturday to 13:00"),
    ("Station Pharmacy", "+1-555-0151", "12 Sample Square, open every day 07:00 to 22:00"),
]
# The texts of every record; the bulk of a full record is such text.
COUNSEL = (
    " Ask for other medicines, also those bought without prescription, herbal ones and supplements."
    " Ask for allergies, pregnancy, breast-feeding and planned operations."
    " A missed dose is taken when it is noticed, unless the next one is nearer; never two at once."
    " Explain what to watch for and whom to call. Offer the leaflet in the language of the patient."
)
NOTES = (
    "Keep out of the reach of children, dry and below 25 °C unless the pack says otherwise. "
    "Bring all packs to the next visit. Plan reviewed together on the day of the last edit; "
    "next review in six months or earlier when something changes. "
    "Reminders are set on the phone and repeat on the watch; refills are ordered a week ahead. "
    "Next of kin may collect the packs with a written permission on file. "
)


def amount_value(text):
    return float(text) if "." in text else int(text)


def rows():
    for line in (HERE / "medicines.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("|")


def moment(index, hour):
    """A moment of 2025 that follows from the place in the table."""
    return f"2025-{index % 12 + 1:02}-{index % 28 + 1:02}T{hour:02}:{index * 7 % 60:02}:00Z"


def medication(index, row):
    name, strength, form, amount, unit, route, atc, times, group = row
    colour, alert, purpose, patient, pharmacist = CLASSES[group]
    slots, more, _, words = TIMES[times]
    parts, strengths = name.split(" / "), strength.split(" / ")
    plain = name.lower()
    how = {"injection": "Inject", "pen": "Inject", "patch": "Apply", "cream": "Apply", "ointment": "Apply",
           "gel": "Apply", "shampoo": "Apply", "inhaler": "Inhale", "spray": "Use", "drops": "Use",
           "suppository": "Insert"}.get(form, "Take")
    plural = "" if amount == "1" or unit in ("mg", "g", "mL") else "s"
    record = {
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"watchproto:fixtures/{name}/{strength}/{form}")),
        "name": name,
        "genericName": plain,
        "ingredients": [
            {"name": part, "strength": part_strength} for part, part_strength in zip(parts, strengths)],
        "strength": strength,
        "form": form,
        "route": route,
        "dose": {"amount": amount_value(amount), "unit": unit},
        "instructions": TRANSLATED.get(name, patient),
        "pharmacistInstructions":
            f"{how} {amount} {unit}{plural} {words}, {route} route, {name} {strength} {form}. {pharmacist}{COUNSEL}",
        "schedule": {"times": slots, **more, "start": moment(index, 0)[:10]},
        "prescriber": dict(zip(("name", "phone", "address"), PRESCRIBERS[index % len(PRESCRIBERS)])),
        "pharmacy": dict(zip(("name", "phone", "address"), PHARMACIES[index % len(PHARMACIES)])),
        "indication": purpose,
        "notes": f"{NOTES}For the patient, in English: {patient}",
        "stock": {"dosesLeft": index * 13 % 90 + 4, "refillAt": 7, "refillsLeft": index % 4},
        "codes": [{"system": ATC, "code": atc, "display": plain}],
        "color": colour,
        "revision": index % 9 + 1,
        "createdAt": moment(index, 6),
        "updatedAt": moment(index, 18),
        "history": {"taken": index * 31 % 700, "skipped": index % 11, "lastTakenAt": moment(index, 8)},
    }
    if times == "prn":
        record["isAsNeeded"] = True
        record["schedule"] = {"times": []}
    if alert:
        record["isHighAlert"] = True
    return record


def dump_list(records, note):
    """A record per line: a fault is found by its line, and a change shows as one."""
    lines = [json.dumps(r, ensure_ascii=False, separators=(", ", ": ")) for r in records]
    head = f'{{\n"format": "{LIST_FORMAT}",\n"note": {json.dumps(note)},\n"medications": [\n'
    return head + ",\n".join(lines) + "\n]\n}\n"


def fhir_pair(index, row, statement=False):
    """A Medication and an order (or statement) that refers to it."""
    name, strength, form, amount, unit, route, atc, times, group = row
    _, _, purpose, patient, _ = CLASSES[group]
    _, _, repeat, words = TIMES[times]
    base = f"watchproto:fixtures/fhir/{name}/{strength}"
    drug_id = str(uuid.uuid5(uuid.NAMESPACE_URL, base + "/medication"))
    order_id = str(uuid.uuid5(uuid.NAMESPACE_URL, base + "/order"))
    parts = [f"{n} {s}" for n, s in zip(name.split(" / "), strength.split(" / "))]
    drug = {
        "resourceType": "Medication", "id": drug_id, "status": "active",
        "code": {"coding": [{"system": ATC, "code": atc, "display": name.lower()}],
                 "text": " / ".join(parts) + f" {form}"},
        "form": {"text": form},
    }
    dosage = {
        "sequence": 1, "text": f"{amount} {unit} {words}",
        "patientInstruction": TRANSLATED.get(name, patient),
        "route": {"text": route},
        "doseAndRate": [{"doseQuantity": {"value": amount_value(amount), "unit": unit}}],
    }
    if repeat:
        dosage["timing"] = {"repeat": repeat}
    else:
        dosage["asNeededBoolean"] = True
    order = {"id": order_id, "status": "active", "subject": {"display": "Example patient"}}
    if statement:
        order |= {"resourceType": "MedicationStatement", "dateAsserted": moment(index, 9), "dosage": [dosage]}
    else:
        order |= {"resourceType": "MedicationRequest", "intent": "order", "authoredOn": moment(index, 9),
                  "requester": {"display": PRESCRIBERS[index % 4][0]}, "dosageInstruction": [dosage]}
    order["reasonCode"] = [{"text": purpose}]
    return drug, order


def bundle(table):
    entries = []
    for index, row in enumerate(table):
        drug, order = fhir_pair(index, row)
        order["medicationReference"] = {"reference": f"urn:uuid:{drug['id']}"}
        for resource in (drug, order):
            entries.append({"fullUrl": f"urn:uuid:{resource['id']}", "resource": resource,
                            "request": {"method": "POST", "url": resource["resourceType"]}})
    # Well formed, but of no use: one for each reason an importer has to skip an order.
    spare = [("enteredInError", {"status": "entered-in-error"}), ("doNotPerform", {"doNotPerform": True}),
             ("proposal", {"intent": "proposal"}), ("draft", {"status": "draft"}),
             ("noMedication", {"medicationCodeableConcept": None}), ("unknownUnit", {"unit": "scruple"}),
             ("zeroAmount", {"value": 0})]
    for key, change in spare:
        dose = {"value": change.pop("value", 1), "unit": change.pop("unit", "tablet")}
        order = {"resourceType": "MedicationRequest", "id": f"skip-{key}", "status": "active", "intent": "order",
                 "medicationCodeableConcept": {"text": "Aspirin 100 mg tablet"},
                 "dosageInstruction": [{"doseAndRate": [{"doseQuantity": dose}]}]} | change
        if order["medicationCodeableConcept"] is None:
            del order["medicationCodeableConcept"]
        entries.append({"fullUrl": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, key)}", "resource": order})
    return json.dumps({"resourceType": "Bundle", "type": "transaction", "entry": entries},
                      ensure_ascii=False, indent=1) + "\n"


def lines(table):
    text = []
    for index, row in enumerate(table):
        drug, order = fhir_pair(index, row, statement=index % 2 == 0)
        if index % 3 == 0:
            order["medicationCodeableConcept"] = drug["code"]
        elif index % 3 == 1:
            drug["id"] = "drug"
            order["contained"] = [drug]
            order["medicationReference"] = {"reference": "#drug"}
        else:
            text.append(drug)
            order["medicationReference"] = {"reference": f"Medication/{drug['id']}"}
        text.append(order)
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in text)


def main():
    table = list(rows())
    records = [medication(index, row) for index, row in enumerate(table)]
    if "--many" in sys.argv:
        count, path = sys.argv[sys.argv.index("--many") + 1:][:2]
        many = [dict(records[i % len(records)]) for i in range(int(count))]
        for index, record in enumerate(many[len(records):]):
            record["id"] = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{record['id']} {index}"))
        text = dump_list(many, "Made by scripts/make-medication-fixtures.py; not for clinical use.")
        pathlib.Path(path).write_text(text, encoding="utf-8")
        return 0
    files = {
        "list.json": dump_list(records, "Made by scripts/make-medication-fixtures.py; not for clinical use."),
        "list-50.json": dump_list(records[:50], "The first 50 of list.json."),
        "bundle.json": bundle(table[:60]),
        "statements.ndjson": lines(table[60:120]),
    }
    differing = []
    for name, text in files.items():
        path = OUT / name
        data = text.encode()
        if not path.exists() or path.read_bytes() != data:
            differing.append(name)
            if "--check" not in sys.argv:
                path.write_bytes(data)
    sizes = [len(json.dumps(r, ensure_ascii=False, separators=(",", ":")).encode()) for r in records]
    print(f"{len(records)} medications, {sum(sizes) / len(sizes):.0f} bytes each on average; "
          f"{'differing' if '--check' in sys.argv else 'written'}: {', '.join(differing) or 'none'}")
    return 1 if "--check" in sys.argv and differing else 0


sys.exit(main())
