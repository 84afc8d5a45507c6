"""Units of measure and currencies, by the words and signs of many languages.

In      a word or sign beside a number
Out     units: what they measure, and how they convert within it
Pure    data and look-ups
Spec    005-A3; interfaces.md, "Answers" (a unit and a currency belong to the number)

Units of one dimension convert exactly: 2 hours are 120 minutes, 68 °F are 20 °C. Years and months
are one dimension, days and what is shorter another: no month has a fixed number of days. A sign
that several currencies share has each of them as a unit, and one in common is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

from assay.core.text.word_sets import word_set


class Unit(NamedTuple):
    """One unit."""

    dimension: str
    """What it measures (`mass`), or the currency's code."""

    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    """Value in the dimension's base unit = value * factor + offset."""

    @property
    def is_money(self) -> bool:
        """Whether it is a currency."""
        return self.dimension.isupper()

    def base(self, value: Fraction) -> Fraction:
        """*value* of this unit in the base unit of its dimension."""
        return value * self.factor + self.offset


PERCENT: Final = Unit("%", Fraction(1, 100))

# dimension, factor to the base unit, symbols (case counts), words (case does not)
_MEASURES: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("mass", "1/1000000000", "ng", "nanogram nanograms nanogramm"),
    ("mass", "1/1000000", "μg mcg ug", "microgram micrograms mikrogramm microgramo microgramos "
     "microgramme microgrammes microgrammo microgrammi micrograma microgramas"),
    ("mass", "1/1000", "mg мг", "milligram milligrams milligramm miligramo miligramos milligramme "
     "milligrammes milligrammo milligrammi miligrama miligramas miligramów"),
    ("mass", "1", "g gr г", "gram grams gramm gramo gramos gramme grammes grammo grammi grama "
     "gramas gramów грамм граммов"),
    ("mass", "1000", "kg Kg KG кг ㎏", "kilogram kilograms kilogramm kilo kilos kilogramo "
     "kilogramos kilogramme kilogrammes chilogrammo chilogrammi chilo chili quilograma quilogramas "
     "quilo quilos kilogramów килограмм килограммов"),
    ("mass", "1000000", "t т", "tonne tonnes tonnen metric-ton tonelada toneladas tonnellata "
     "tonnellate ton tons тонн тонны"),
    ("mass", "45359237/100000", "lb lbs", "pound pounds libra libras"),
    ("mass", "45359237/1600000", "oz", "ounce ounces unze unzen onza onzas"),
    ("volume", "1/1000", "ml mL мл cc", "milliliter milliliters millilitre millilitres millilitern "
     "mililitro mililitros millilitro millilitri mililitrów"),
    ("volume", "1/100", "cl cL", "centiliter centilitre centilitres zentiliter centilitro"),
    ("volume", "1/10", "dl dL", "deciliter decilitre deziliter decilitro"),
    ("volume", "1", "l L л", "liter liters litre litres litern litro litros litri litrów литр "
     "литров литра"),
    ("volume", "100", "hl", "hectoliter hectolitre hektoliter"),
    ("volume", "1000", "m³ m3 cbm", "kubikmeter cubic-metres cubic-meters"),
    ("gallon", "1", "gal", "gallon gallons gallone gallonen galón galones"),
    ("length", "1/1000000000", "nm", "nanometer nanometers nanometre nanometres"),
    ("length", "1/1000000", "μm", "micrometer micrometers micrometre micrometres mikrometer"),
    ("length", "1/1000", "mm мм ㎜", "millimeter millimeters millimetre millimetres millimetern "
     "milímetro milímetros millimètre millimètres millimetro millimetri"),
    ("length", "1/100", "cm см ㎝", "centimeter centimeters centimetre centimetres zentimeter "
     "zentimetern centímetro centímetros centimètre centimètres centimetro centimetri"),
    ("length", "1/10", "dm", "decimeter decimetre dezimeter"),
    ("length", "1", "m м", "meter meters metre metres metern metro metros mètre mètres metri "
     "metrów метр метров метра"),
    ("length", "1000", "km Km KM км ㎞", "kilometer kilometers kilometre kilometres kilometern "
     "kilómetro kilómetros kilomètre kilomètres chilometro chilometri quilómetro quilómetros "
     "quilômetro quilômetros kilometrów километр километров километра 公里"),
    ("length", "1609344/1000", "mi", "mile miles meile meilen milla millas miglio "
     "miglia milha milhas"),
    ("length", "3048/10000", "ft", "foot feet fuß pie pies pied pieds piede piedi pé pés"),
    ("length", "9144/10000", "yd", "yard yards"),
    ("length", "254/10000", "in″", "inch inches zoll pulgada pulgadas pouce pouces pollici"),
    ("area", "1/10000", "cm² cm2", ""),
    ("area", "1", "m² m2 qm sqm ㎡ 平方米", "quadratmeter quadratmetern square-meters "
     "square-metres square-meter square-metre"),
    ("area", "1000000", "km² km2 qkm", "quadratkilometer square-kilometers square-kilometres"),
    ("area", "10000", "ha", "hectare hectares hektar hectárea hectáreas ettari ettaro hectarea"),
    ("acre", "1", "", "acre acres"),
    ("sqft", "1", "sqft", "square-feet square-foot"),
    ("sqmi", "1", "", "square-miles square-mile"),
    ("days", "1/86400000", "ms", "millisecond milliseconds millisekunde millisekunden"),
    ("days", "1/86400", "s sec sek. sec.", "second seconds secs sekunde sekunden sek segundo "
     "segundos seconde secondes secondo secondi seconden sekund секунд секунды 秒 초"),
    ("days", "1/1440", "min mins", "minute minutes minuten minuto minutos minuti minuut minut "
     "minuty минут минуты минута мин 分 分钟 分鐘 分間 분"),
    ("days", "1/24", "h hr hrs std Std ч", "hour hours stunde stunden hora horas heure heures ora "
     "ore uur uren godzina godziny godzin час часа часов 小时 小時 時間 시간 घंटे"),
    ("days", "1", "d", "day days tag tage tagen tages día días dia dias jour jours giorno giorni "
     "dag dagen dzień dni день дня дней 日 天 日間 일 calendar-day calendar-days kalendertag "
     "kalendertage kalendertagen días-naturales jours-calendaires दिन يوم يوما يومًا أيام ημέρες "
     "päivää"),
    ("days", "1", "", "dní dny dnů dňa dagar dager dage dzienne napon nap zile zi dnevi dneva "
     "днів дні дни ημερών gün dienų dienas päeva päivän"),
    ("days", "7", "", "أسبوع أسابيع أسبوعا सप्ताह हफ्ते týdnů týdny týždňov veckor uker hét "
     "săptămâni тижнів седмици εβδομάδες "
     "hafta nedelje tjedana"),
    ("days", "1/24", "", "ساعة ساعات hodin hodiny hodín timmar óra годин часа ώρες saat tuntia"),
    ("days", "1/1440", "", "دقيقة دقائق मिनट perc хвилин λεπτά dakika minuuttia minutter"),
    ("months", "1", "", "شهر شهرا شهرًا أشهر شهور महीने महीना měsíců měsíce mesiacov månader "
     "måneder hónap luni місяців месеца μήνες "
     "ay mėnesių mēneši kuukautta mjeseci mesecev"),
    ("months", "12", "", "سنة سنوات عام عاما أعوام वर्ष साल roků letech rokov év ani років "
     "години έτη χρόνια yıl metų gadi aastat "
     "vuotta godina"),
    ("days", "7", "wk wks", "week weeks woche wochen semana semanas semaine semaines settimana "
     "settimane weken tydzień tygodnie tygodni неделя недели недель 周 週 週間 주 viikkoa "
     "vecka veckor uge uger"),
    ("working days", "1", "", "working-day working-days business-day business-days werktag "
     "werktage werktagen arbeitstag arbeitstage arbeitstagen bankarbeitstage día-hábil "
     "días-hábiles días-laborables día-laborable jours-ouvrables jours-ouvrés jour-ouvrable "
     "jour-ouvré giorni-lavorativi giorno-lavorativo dias-úteis dia-útil werkdagen "
     "dni-roboczych рабочих-дней рабочих-дня 営業日 工作日"),
    ("months", "1", "mo mos", "month months monat monate monaten monats mes meses mois mese mesi "
     "mês maand maanden miesiąc miesiące miesięcy месяц месяца месяцев 个月 個月 か月 ヶ月 カ月 "
     "개월 महीने månad månader måned måneder"),
    ("months", "3", "", "quartale quartalen trimestre trimestres trimestri"),
    ("months", "12", "yr yrs y", "year years jahr jahre jahren jahres año años an ans année années "
     "anno anni ano anos jaar jaren rok lata lat год года лет 年 年間 년 歳 岁 歲 세 साल वर्ष سنة "
     "år years-old jahre-alt años-de-edad ans-d'âge year-old"),
    ("months", "120", "", "decade decades jahrzehnt jahrzehnte jahrzehnten década décadas décennie "
     "décennies decennio decenni"),
    ("months", "1200", "", "century centuries jahrhunderte jahrhunderten"),
    ("energy", "1", "Wh", "wattstunden"),
    ("energy", "1000", "kWh kwh KWh KWH", "kilowattstunde kilowattstunden kilowatt-hour "
     "kilowatt-hours kilowatthora kilowatthoras kilowattheures kilowattora"),
    ("energy", "1000000", "MWh", "megawattstunden megawattstunde megawatt-hours"),
    ("energy", "1000000000", "GWh", "gigawattstunden gigawatt-hours"),
    ("energy", "1000000000000", "TWh", "terawattstunden terawatt-hours"),
    ("heat", "1", "cal", "calorie calories kalorien caloría calorías"),
    ("heat", "1000", "kcal Kcal", "kilocalorie kilocalories kilokalorien kilocalorías"),
    ("joule", "1", "J", "joule joules"),
    ("joule", "1000", "kJ", "kilojoule kilojoules"),
    ("joule", "1000000", "MJ", "megajoule megajoules"),
    ("power", "1/1000", "mW", "milliwatt milliwatts"),
    ("power", "1", "W", "watt watts vatios"),
    ("power", "1000", "kW KW", "kilowatt kilowatts kilovatios"),
    ("power", "1000000", "MW", "megawatt megawatts"),
    ("power", "1000000000", "GW", "gigawatt gigawatts"),
    ("hp", "1", "hp PS CV", "horsepower"),
    ("volt", "1/1000", "mV", "millivolt"),
    ("volt", "1", "V", "volt volts voltios"),
    ("volt", "1000", "kV", "kilovolt"),
    ("ampere", "1/1000", "mA", "milliampere milliamps"),
    ("ampere", "1", "A", "ampere amps amperes"),
    ("charge", "1/1000", "mAh", ""),
    ("charge", "1", "Ah", ""),
    ("frequency", "1", "Hz", "hertz"),
    ("frequency", "1000", "kHz", "kilohertz"),
    ("frequency", "1000000", "MHz", "megahertz"),
    ("frequency", "1000000000", "GHz", "gigahertz"),
    ("pressure", "1", "Pa", "pascal"),
    ("pressure", "100", "hPa mbar", "millibar hektopascal"),
    ("pressure", "1000", "kPa", "kilopascal"),
    ("pressure", "100000", "bar", "bar bars"),
    ("psi", "1", "psi", ""),
    ("amount", "1/1000", "mmol", ""),
    ("amount", "1", "mol", ""),
    ("IU", "1", "IU IE UI", ""),
    ("loudness", "1", "dB", "decibel decibels dezibel"),
    ("pixel", "1", "px", "pixel pixels píxeles"),
    ("ppm", "1", "ppm", ""),
    ("ppb", "1", "ppb", ""),
    ("%", "1/100", "%", "percent per-cent prozent por-ciento pct pour-cent per-cento percento "
     "por-cento procent процент процента процентов v.h v.h. proc proc. τοις-εκατό 퍼센트 "
     "prosent procenta procentów"),
    ("%", "1/1000", "‰", "per-mille promille"),
    ("percentage points", "1", "pp", "percentage-point percentage-points prozentpunkt "
     "prozentpunkte prozentpunkten puntos-porcentuales points-de-pourcentage "
     "punti-percentuali pontos-percentuais procentpoint"),
    ("basis points", "1", "bp bps", "basis-points basis-point basispunkte basispunkten"),
    ("times", "1", "", "times mal veces vez fois volte vezes keer razy раз раза 回 次 번"),
    ("speed", "1", "kph", "km/h kilometres-per-hour kilometers-per-hour km-per-hour km-pro-stunde "
     "kilometer-pro-stunde stundenkilometer kilómetros-por-hora kilomètres-par-heure "
     "quilômetros-por-hora"),
    ("speed", "1609344/1000000", "mph", "mph miles-per-hour"),
    ("speed", "36/10", "m/s", "metres-per-second meters-per-second"),
)  # fmt: skip
_DATA: Final = (
    ("B", 0, "byte bytes"),
    ("KB kB KiB", 1, "kilobyte kilobytes kibibyte"),
    ("MB MiB", 2, "megabyte megabytes mebibyte"),
    ("GB GiB", 3, "gigabyte gigabytes gibibyte"),
    ("TB TiB", 4, "terabyte terabytes tebibyte"),
    ("PB PiB", 5, "petabyte petabytes"),
)
"""Each is a power of 1000 and of 1024; both are written alike."""

_BITS: Final = (
    ("bit bits bps", 0),
    ("kbit Kbit kb Kb kbps Kbps", 1),
    ("Mbit Mb Mbps", 2),
    ("Gbit Gb Gbps", 3),
)
_DEGREES: Final = (
    (Unit("temperature"), "°C ℃", "celsius degree-celsius degrees-celsius grad-celsius "
     "grados-celsius degrés-celsius gradi-celsius graus-celsius degrees-c °c"),
    (Unit("temperature", Fraction(5, 9), Fraction(-160, 9)), "°F ℉", "fahrenheit "
     "degree-fahrenheit degrees-fahrenheit grad-fahrenheit grados-fahrenheit degrees-f °f"),
    (Unit("temperature", Fraction(1), Fraction(-27315, 100)), "K", "kelvin"),
)  # fmt: skip
_BARE_DEGREES: Final = "° degree degrees grad grados degré degrés gradi graus graden stopni"


def _rows() -> Iterator[tuple[str, Unit, bool]]:
    """Each spelling with a unit, and whether its case counts."""
    for dimension, factor, symbols, words in _MEASURES:
        unit = Unit(dimension, Fraction(factor))
        yield from ((symbol, unit, True) for symbol in symbols.split())
        yield from ((word.replace("-", " "), unit, False) for word in words.split())
    for symbols, power, words in _DATA:
        for base in (1000, 1024):
            unit = Unit(f"data {base}", Fraction(base**power))
            yield from ((symbol, unit, True) for symbol in symbols.split())
            yield from ((word, unit, False) for word in words.split())
    for symbols, power in _BITS:
        yield from ((s, Unit("bits", Fraction(1000**power)), True) for s in symbols.split())
    for degree, symbols, words in _DEGREES:
        yield from ((symbol, degree, True) for symbol in symbols.split())
        yield from ((word.replace("-", " "), degree, False) for word in words.split())
    for word in _BARE_DEGREES.split():
        yield from ((word, unit, False) for unit in (*(row[0] for row in _DEGREES), Unit("angle")))


def _tables() -> tuple[Mapping[str, tuple[Unit, ...]], Mapping[str, tuple[Unit, ...]]]:
    symbols: dict[str, tuple[Unit, ...]] = {}
    words: dict[str, tuple[Unit, ...]] = {}
    for spelling, unit, case in _rows():
        table, key = (symbols, spelling) if case else (words, spelling.casefold())
        table[key] = (*table.get(key, ()), unit)
    return MappingProxyType(symbols), MappingProxyType(words)


SYMBOLS, WORDS = _tables()
"""Measures by symbol, as it is written, and by word, case folded."""

OWN_LANGUAGE: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{"pie": "es", "pies": "es", "tags": "de", "an": "fr", "ore": "it", "ora": "it"},
        **{"uge": "da", "real": "pt", "mese": "it", "min.": "de", "rok": "pl", "lat": "pl"},
    }
)
"""Units whose word is another word elsewhere: they count only in a text of their language."""

AGE_WORDS: Final = word_set(
    "age aged ages old older younger alter alt älter jünger edad mayor mayores menor menores "
    "âge âgé âgés âgée ans età anni idade leeftijd wiek under over turn turns"
)
"""Words beside which a bare number is one of years."""
