"""Months, quarters and days of the week by name, in the languages of the Union and some more.

In      nothing
Out     names, case folded, with the months, quarters or days that they name
Pure    data only
Spec    004 P2.2; 005-A3; interfaces.md, "Answers" (written months)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from assay.core.text.word_sets import word_set

_NAMES: Final = (
    # January
    "يناير जनवरी "
    "January Jan Januar Jänner Jän enero ene janvier janv gennaio gen janeiro januari januar "
    "stycznia styczeń styczniu leden ledna lednu január januára januárja januar ianuarie ian "
    "януари януару январь января января січня siječanj siječnja janvāris janvārī janvāra sausis "
    "sausio jaanuar jaanuaril tammikuu tammikuuta tammikuun Ιανουάριος Ιανουαρίου Eanáir Jannar "
    "Ocak",
    "فبراير شباط फ़रवरी "
    "February Feb Februar Feber febrero feb février févr fév febbraio fevereiro fev februari "
    "februar lutego luty lutym únor února únoru február februára februárja februarie февруари "
    "февраль февраля лютого veljača veljače februāris februārī februāra vasaris vasario veebruar "
    "veebruaril helmikuu helmikuuta helmikuun Φεβρουάριος Φεβρουαρίου Feabhra Frar Şubat",
    "مارس آذار मार्च "
    "March Mar März Mär Mrz marzo mars março maart marec marca marzec marcu březen března březnu "
    "március márciusa martie март марта березня ožujak ožujka marts martā marta kovas kovo märts "
    "märtsil maaliskuu maaliskuuta maaliskuun marts Μάρτιος Μαρτίου Márta Marzu Mart",
    "أبريل ابريل نيسان अप्रैल "
    "April Apr abril abr avril avr aprile aprili abril april kwietnia kwiecień kwietniu duben "
    "dubna dubnu apríl apríla április áprilisa aprilie април апрель апреля квітня travanj travnja "
    "aprīlis aprīlī aprīļa balandis balandžio aprill aprillil huhtikuu huhtikuuta huhtikuun "
    "Απρίλιος Απριλίου Aibreán Nisan",
    "مايو أيار "
    "May Mai mayo mai maggio mag maio mei maj maja majs maju květen května květnu máj mája május "
    "majus май мая травня svibanj svibnja maijs maijā maija gegužė gegužės mai toukokuu "
    "toukokuuta toukokuun Μάιος Μαΐου Bealtaine Mejju Mayıs maí",
    "يونيو حزيران जून "
    "June Jun Juni junio juin giugno giu junho juni czerwca czerwiec czerwcu červen června červnu "
    "jún júna június júniusa iunie юни июнь июня червня lipanj lipnja jūnijs jūnijā jūnija "
    "birželis birželio juuni juunil kesäkuu kesäkuuta kesäkuun junij junija Ιούνιος Ιουνίου "
    "Meitheamh Ġunju Haziran",
    "يوليو تموز जुलाई "
    "July Jul Juli julio juillet juil luglio lug julho juli lipca lipiec lipcu červenec července "
    "červenci júl júla július júliusa iulie юли июль июля липня srpanj srpnja jūlijs jūlijā jūlija "
    "liepa liepos juuli juulil heinäkuu heinäkuuta heinäkuun julij julija Ιούλιος Ιουλίου Iúil "
    "Lulju Temmuz",
    "أغسطس अगस्त "
    "August Aug agosto ago août aout agosto augustus augusti august sierpnia sierpień sierpniu "
    "srpen srpna srpnu augusta augusztus avgust avgusta август августа серпня kolovoz kolovoza "
    "augusts augustā rugpjūtis rugpjūčio augustil elokuu elokuuta elokuun Αύγουστος Αυγούστου "
    "Lúnasa Awwissu Ağustos",
    "سبتمبر أيلول सितंबर "
    "September Sep Sept septiembre setiembre septembre settembre setembro september septembrie "
    "września wrzesień wrześniu září septembra szeptember септември сентябрь сентября вересня "
    "rujan rujna septembris septembrī rugsėjis rugsėjo septembril syyskuu syyskuuta syyskuun "
    "Σεπτέμβριος Σεπτεμβρίου Settembru Eylül",
    "أكتوبر अक्टूबर "
    "October Oct Oktober Okt octubre octobre ottobre ott outubro oktober octombrie października "
    "październik październiku říjen října říjnu október októbra oktobra október октомври октябрь "
    "октября жовтня listopad listopada oktobris oktobrī spalis spalio oktoober oktoobril lokakuu "
    "lokakuuta lokakuun Οκτώβριος Οκτωβρίου Ottubru Ekim",
    "نوفمبر नवंबर "
    "November Nov noviembre novembre novembro noiembrie listopada listopad listopadzie listopadu "
    "novembra ноември ноябрь ноября листопада studeni studenoga studenog novembris novembrī "
    "lapkritis lapkričio novembril marraskuu marraskuuta marraskuun Νοέμβριος Νοεμβρίου "
    "Samhain Novembru Kasım",
    "ديسمبر दिसंबर "
    "December Dec Dezember Dez diciembre dic décembre déc dicembre dezembro decembrie grudnia "
    "grudzień grudniu prosinec prosince prosinci decembra декември декабрь декабря грудня "
    "prosinac prosinca decembris decembrī gruodis gruodžio detsember detsembril joulukuu "
    "joulukuuta joulukuun Δεκέμβριος Δεκεμβρίου Nollaig Diċembru Aralık",
)
_CAPITAL_ONLY: Final = word_set(
    "may march mar mag gen ott dec jan jun aug sept mart august out set ekim nisan liepa "
    "marta ian giu lug maij martā kovo"
)
"""Names that are other words when they have no capital: `section 5 may apply` is no date."""

_WEEKDAYS: Final = (
    "monday montag lunes lundi lunedì segunda-feira maandag poniedziałek pondělí pondelok hétfő "
    "luni понеделник понедельник mandag måndag maanantai maanantaina 月曜日 星期一 월요일 "
    "montags mondays",
    "tuesday dienstag martes mardi martedì terça-feira dinsdag wtorek úterý utorok kedd marți "
    "вторник tirsdag tisdag tiistai tiistaina 火曜日 星期二 화요일 dienstags tuesdays",
    "wednesday mittwoch miércoles mercredi mercoledì quarta-feira woensdag środa środę středa "
    "streda szerda miercuri сряда среда среду onsdag keskiviikko 水曜日 星期三 수요일 mittwochs "
    "wednesdays",
    "thursday donnerstag jueves jeudi giovedì quinta-feira donderdag czwartek čtvrtek štvrtok "
    "csütörtök joi четвъртък четверг torsdag torstai 木曜日 星期四 목요일 donnerstags thursdays",
    "friday freitag viernes vendredi venerdì sexta-feira vrijdag piątek pátek piatok péntek vineri "
    "петък пятница пятницу fredag perjantai 金曜日 星期五 금요일 freitags fridays",
    "saturday samstag sonnabend sábado samedi sabato zaterdag sobota sobotę szombat sâmbătă събота "
    "суббота субботу lørdag lördag lauantai 土曜日 星期六 토요일 samstags saturdays",
    "sunday sonntag domingo dimanche domenica zondag niedziela niedzielę neděle nedeľa vasárnap "
    "duminică неделя воскресенье søndag söndag sunnuntai 日曜日 星期日 일요일 sonntags sundays",
)
_QUARTERS: Final = (
    "first erstes erste ersten primer primero premier primo primeiro eerste i",
    "second zweites zweite zweiten segundo deuxième secondo tweede ii",
    "third drittes dritte dritten tercer tercero troisième terzo terceiro derde iii",
    "fourth viertes vierte vierten cuarto quatrième quarto vierde iv",
)


def _months() -> dict[str, tuple[int, ...]]:
    table: dict[str, tuple[int, ...]] = {}
    for month, names in enumerate(_NAMES, start=1):
        for name in names.split():
            key = name.casefold()
            if month not in table.get(key, ()):
                table[key] = (*table.get(key, ()), month)
    return table


MONTHS: Final[Mapping[str, tuple[int, ...]]] = MappingProxyType(_months())
"""Months by name; `listopada` is October in Croatian and November in Polish."""

WEEKDAYS: Final[Mapping[str, int]] = MappingProxyType(
    {name: day for day, names in enumerate(_WEEKDAYS) for name in names.split()}
)
"""Days of the week by name, Monday first."""

QUARTERS: Final[Mapping[str, int]] = MappingProxyType(
    {name: place for place, names in enumerate(_QUARTERS, start=1) for name in names.split()}
)


def alternatives(words: Iterable[str]) -> str:
    """A pattern for one of *words*, sorted into branches by first letter to match fast."""
    branches: dict[str, list[str]] = {}
    for word in sorted(set(words), key=lambda each: (-len(each), each)):
        branches.setdefault(word[0], []).append(word[1:])
    return "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in sorted(branches.items()))


def _spellings() -> Iterable[str]:
    # A case-folded final sigma is no longer what a text has: names as they stand come first.
    yield from (
        name
        for names in _NAMES
        for name in names.split()
        if name[0].isupper() and not name.isascii()
    )
    for name in MONTHS:
        yield name.capitalize()
        yield name.upper()
        if name not in _CAPITAL_ONLY:
            yield name


MONTH_PATTERN: Final = f"(?:{alternatives(_spellings())})"
"""A month's name, with a capital where it needs one."""

WEEKDAY_PATTERN: Final = f"(?:{alternatives(WEEKDAYS)})"
QUARTER_PATTERN: Final = f"(?:{alternatives(QUARTERS)})"
