/// The lists that ``CodecFixtures`` draws from: real medicines, strengths and forms, and
/// instructions as people write them.
struct FixtureWords {
    var names: [String]
    var suffixes: [String]
    var strengths: [String]
    var forms: [String]
    var instructions: [String]

    static let english = FixtureWords(
        names: [
            "Lisinopril", "Metformin", "Atorvastatin", "Levothyroxine", "Amlodipine", "Metoprolol",
            "Omeprazole", "Losartan", "Gabapentin", "Hydrochlorothiazide", "Sertraline",
            "Simvastatin", "Montelukast", "Escitalopram", "Rosuvastatin", "Bupropion",
            "Furosemide", "Trazodone", "Pantoprazole", "Duloxetine", "Warfarin", "Apixaban",
            "Prednisone", "Tamsulosin", "Clopidogrel", "Carvedilol", "Insulin glargine",
            "Amoxicillin/clavulanate", "Fluticasone/salmeterol", "Methotrexate", "Spironolactone",
            "Buprenorphine/naloxone", "Sacubitril/valsartan", "Mycophenolate mofetil",
        ],
        suffixes: ["", "", " ER", " Sandoz", " (generic)", " sodium", " Teva", " hydrochloride"],
        strengths: [
            "5 mg", "10 mg", "25 mg", "50 mg", "100 mg", "500 mg", "12.5 mg", "0.25 mg",
            "75 mcg", "160/4.5 mcg", "97/103 mg", "1,000 mg", "20 mg", "2 mg",
        ],
        forms: [
            "tablet", "tablet", "tablet", "tablet", "tablet", "tablet", "capsule", "capsule",
            "patch",
            "solution", "2 puffs", "SC",
        ],
        instructions: [
            "Take with food", "Take in the morning with a full glass of water", "Before bed",
            "Do not take with grapefruit juice", "Call the clinic if the pulse is below 50",
            "Take on an empty stomach, 30 minutes before breakfast", "Swallow whole",
            "Rinse the mouth after use", "Rotate the site of injection", "As directed",
            "Take at the same time each day", "Avoid alcohol while taking this medicine",
            "Started after the hospital stay; ask Dr. Lindqvist before any change",
        ])

    static let beyondASCII = FixtureWords(
        names: [
            "Lévothyrox", "Acide folique", "Метформин", "Ramipril-ratiopharm®", "アムロジピン",
            "Euthyrox", "Doliprane", "Эналаприл", "Kalium-R", "Ibuprofène",
        ],
        suffixes: ["", " Krka", " Bayer"],
        strengths: ["5 mg", "50 µg", "100 мг", "850 mg", "2,5 mg"],
        forms: ["comprimé", "таблетка", "錠", "gélule", "Tablette (Überzug)"],
        instructions: [
            "À prendre au cours du repas", "Nüchtern einnehmen, 30 Minuten vor dem Frühstück",
            "Принимать после еды", "朝食後に服用", "Sprawdź ciśnienie przed przyjęciem",
        ])
}
