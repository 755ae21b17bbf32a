"""The words of the AquaLift P-200 manual."""

from __future__ import annotations

__all__ = [
    "CONTROLS",
    "INTERVALS",
    "MAINTENANCE",
    "OPERATION",
    "SAFETY",
    "SCOPE",
    "SPARES",
    "SPECIFICATIONS",
    "STORAGE",
    "TROUBLES",
]

SCOPE = [
    "This manual covers the end-suction centrifugal pump AquaLift P-200 with the motor sizes "
    "5.5 kW and 7.5 kW, from serial number 200-41000 onwards. It is written for fitters, "
    "electricians and operators who have been trained on rotating equipment.",
    "Keep the manual with the pump for the whole of its life. When the pump is sold, hand the "
    "manual over with it. The original language of this manual is English.",
]

SAFETY = [
    "Lock the main switch in the OFF position and hang a tag on it before any work on the pump. "
    "Wait at least five minutes after switching off: the capacitors of the drive keep a dangerous "
    "charge that long.",
    "Close the suction and discharge valves and drain the casing before loosening any bolt. Water "
    "above 60 °C causes burns; let the casing cool below 40 °C first.",
    "Never run the pump dry. Without liquid the mechanical seal is destroyed within 30 seconds.",
    "Wear hearing protection when you stay longer than 15 minutes beside a running pump.",
]

SPECIFICATIONS = [
    ("Property", "P-200 / 5.5", "P-200 / 7.5", "Unit"),
    ("Rated flow", "18", "24", "m³/h"),
    ("Rated head", "48", "62", "m"),
    ("Maximum working pressure", "10", "10", "bar"),
    ("Motor power", "5.5", "7.5", "kW"),
    ("Supply voltage, three-phase", "400", "400", "V"),
    ("Rated current", "10.6", "14.2", "A"),
    ("Speed", "2,900", "2,930", "1/min"),
    ("NPSH required at rated flow", "2.1", "2.8", "m"),
    ("Sound pressure level at 1 m", "68", "72", "dB(A)"),
    ("Weight without water", "94", "108", "kg"),
    ("Suction / discharge flange", "DN 65 / DN 50", "DN 65 / DN 50", ""),
]

OPERATION = [
    (
        "5.1 Before the first start",
        [
            "Open the suction valve fully and the discharge valve by a quarter. Fill the casing "
            "through the priming plug until water runs out without bubbles, then close the plug "
            "hand-tight.",
            "Check the direction of rotation by switching the motor on for one second. Seen from "
            "the fan, the shaft must turn clockwise. If it does not, have an electrician exchange "
            "two of the three phases.",
        ],
    ),
    (
        "5.2 Starting",
        [
            "Turn the selector to HAND and press START. The pump must reach its full pressure "
            "within ten seconds. Open the discharge valve slowly until the gauge shows the duty "
            "point given on the type plate.",
            "The motor may be started at most twelve times an hour. More frequent starts overheat "
            "the winding and trip the thermistor relay.",
        ],
    ),
    (
        "5.3 Normal running",
        [
            "During the first hour look at the shaft seal every ten minutes. Up to five drops a "
            "minute are normal while the faces run in; after that the seal must be dry.",
            "The bearing temperature settles after about two hours. It must not rise above 85 °C. "
            "Note the value in the log so that a later rise is noticed.",
        ],
    ),
    (
        "5.4 Stopping",
        [
            "Close the discharge valve to a quarter, press STOP and watch the shaft run down "
            "evenly. A sudden halt points to a rubbing impeller.",
            "If the pump stands still for more than 14 days, turn the shaft by hand one full "
            "turn each week.",
        ],
    ),
    (
        "5.5 Frost",
        [
            "When frost is expected and the pump is not running, drain it through the plug at the "
            "lowest point of the casing. Water left inside splits the casing at about -3 °C.",
        ],
    ),
]

CONTROLS = [
    (
        "5.6 Controller modes",
        [
            "HAND runs the pump at full speed without regard to the pressure sensor. Use it for "
            "commissioning and emergencies only.",
            "AUTO keeps the pressure at the set value. The drive slows the motor when demand "
            "falls and stops it after 60 seconds without flow.",
            "NIGHT lowers the set value by 0.8 bar between 22:00 and 05:00 to save energy and to "
            "reduce leakage in the network.",
        ],
    ),
    (
        "5.7 Changing the set value",
        [
            "Hold the keys UP and DOWN together for three seconds until the display flashes. The "
            "factory access code is 2718. Change the pressure in steps of 0.1 bar and confirm "
            "with ENTER.",
            "The controller refuses values above 9.5 bar, half a bar below the maximum working "
            "pressure of the casing.",
        ],
    ),
]

INTERVALS = [
    ("Interval", "Work", "Part or material", "Time"),
    ("Every day", "Listen, look for leaks, read the gauge", "none", "5 min"),
    ("Every 500 operating hours", "Clean the suction strainer", "gasket AL-200-11", "20 min"),
    ("Every 2,000 operating hours", "Grease both bearings", "grease NLGI 2, 15 g each", "15 min"),
    (
        "Every 4,000 operating hours, at least every 6 months",
        "Inspect the mechanical seal",
        "seal kit AL-200-07 if worn",
        "90 min",
    ),
    ("Every 16,000 operating hours", "Replace both bearings", "bearing set AL-200-15", "4 h"),
    ("Every 2 years", "Measure insulation of the motor", "insulation tester, 500 V", "30 min"),
]

MAINTENANCE = [
    (
        "6.1 Greasing the bearings",
        "Press 15 g of grease into each nipple while the shaft turns slowly. Wipe off what comes "
        "out at the seal ring. Do not mix lithium and polyurea greases: the mixture becomes thin "
        "and runs out.",
    ),
    (
        "6.2 Replacing the mechanical seal",
        "Replace the seal when more than five drops a minute leave it after running in, or when "
        "the carbon face is worn to less than 1.5 mm. Use the complete kit AL-200-07; a new ring "
        "on an old face will leak. Tighten the four casing bolts crosswise to 45 Nm.",
    ),
    (
        "6.3 Records",
        "Write date, operating hours, work done and the part numbers used into the maintenance "
        "log. Claims under the warranty are accepted only with a complete log.",
    ),
]

TROUBLES = [
    ("Code", "What you notice", "Likely cause", "What to do"),
    ("E-11", "Pump runs, no water", "Air in the casing", "Prime again, see 5.1"),
    (
        "E-14",
        "Pressure too low",
        "Strainer blocked or valve half closed",
        "Clean the strainer, open the valve",
    ),
    ("E-21", "Motor trips after start", "Phase missing", "Check fuses and cable"),
    ("E-23", "Motor hot", "Too many starts in an hour", "Raise the pressure band to 1.2 bar"),
    (
        "E-31",
        "Grinding noise, vibration above 4.5 mm/s",
        "Bearing damaged",
        "Stop at once, replace bearing set AL-200-15",
    ),
    ("E-35", "Water at the shaft", "Seal faces worn", "Fit seal kit AL-200-07, see 6.2"),
    ("E-42", "Display dark", "Control fuse F3 blown", "Replace with 2 A slow-blow"),
]

SPARES = [
    ("Order code", "Part", "Per pump", "Recommended stock"),
    ("AL-200-03", "Impeller, bronze, 172 mm", "1", "0"),
    ("AL-200-07", "Mechanical seal kit, carbon / silicon carbide", "1", "2"),
    ("AL-200-11", "Strainer gasket, EPDM", "1", "4"),
    ("AL-200-15", "Bearing set 6308-2Z / 6306-2Z", "1", "1"),
    ("AL-200-22", "Pressure sensor 0 to 16 bar, 4 to 20 mA", "1", "1"),
]

STORAGE = [
    "Store the pump dry, level and free of vibration, between -10 °C and 45 °C. Fill the casing "
    "with preserving oil when storage will last longer than three months and close both flanges "
    "with the yellow caps.",
    "At the end of its life hand the pump to a scrap dealer who separates cast iron, bronze, "
    "copper and electronics. Grease and preserving oil are hazardous waste.",
]
