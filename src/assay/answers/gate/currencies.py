"""Currencies, by code, sign and name.

In      a word or sign beside a number
Out     the currencies that it may be, as units
Pure    data and look-ups
Spec    005-A3; interfaces.md, "Answers" (a currency belongs to the number)

`$` and `dollar` are the American one; with a country before them they are that country's.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from assay.answers.gate.units import Unit
from assay.core.text.word_sets import word_set

_NAMES: Final = {
    "EUR": "€ euro euros eurón евро ευρώ evro eurot 欧元 歐元 ユーロ 유로 يورو यूरो",
    "USD": "$ us$ usd$ dollar dollars dollarn us-dollar us-dollars us-dollarn us/dollars "
    "american/dollars u.s./dollars dólar dólares dólares/estadounidenses dólares/americanos "
    "dollars/américains dollari dollaro dolar dolarów dólar/estadounidense доллар доллара "
    "долларов доларів δολάρια 美元 ドル 달러 دولار دولارا دولارات डॉलर amerikanische/dollar",
    "AUD": "a$ au$ aus$ aud$ australian/dollar australian/dollars australische/dollar "
    "dólares/australianos dollars/australiens",
    "CAD": "c$ ca$ can$ cad$ canadian/dollar canadian/dollars kanadische/dollar "
    "dólares/canadienses dollars/canadiens",
    "NZD": "nz$ new/zealand/dollars",
    "HKD": "hk$ hong/kong/dollar hong/kong/dollars 港元 港币",
    "SGD": "s$ sg$ singapore/dollar singapore/dollars",
    "TWD": "nt$ 新台币",
    "BRL": "r$ real reais brazilian/real brazilian/reais brasilianische/real",
    "GBP": "£ pound pounds pfund libra libras sterling pound/sterling pounds/sterling quid "
    "british/pounds britische/pfund livre livres livres/sterling sterline sterlina "
    "libras/esterlinas funtów ポンド 英镑 фунтов",
    "CHF": "sfr sfr. fr. fr franken franc francs franco francos swiss/francs swiss/franc "
    "schweizer/franken francs/suisses franchi франков",
    "JPY": "¥ yen yenes 円 圓 日元 엔 иен japanese/yen",
    "CNY": "¥ cn¥ rmb yuan renminbi 元 人民币 人民幣 块 위안 юаней",
    "INR": "₹ rs rs. rupee rupees rupien rupias roupies indian/rupees रुपये रुपए रुपया",
    "PKR": "rs rs. rupee rupees rupien rupias pakistani/rupees",
    "MXN": "mx$ peso pesos mexican/pesos pesos/mexicanos",
    "ARS": "ar$ peso pesos argentine/pesos pesos/argentinos",
    "CLP": "clp$ peso pesos chilean/pesos pesos/chilenos",
    "COP": "col$ peso pesos colombian/pesos pesos/colombianos",
    "PHP": "₱ peso pesos philippine/pesos",
    "SEK": "kr kr. krona kronor swedish/kronor schwedische/kronen crowns kronen",
    "NOK": "kr kr. krone kroner norwegian/kroner norwegische/kronen crowns kronen",
    "DKK": "kr kr. krone kroner danish/kroner dänische/kronen crowns kronen",
    "ISK": "kr kr. króna krónur",
    "CZK": "kč koruna koruny korun czech/crowns tschechische/kronen crowns kronen",
    "PLN": "zł złoty złote złotych zloty zlotys",
    "HUF": "ft forint forints",
    "RON": "lei leu",
    "BGN": "лв лв. лева лев lev leva",
    "RUB": "₽ руб руб. рубль рубля рублей рубли rubel ruble rubles roubles rublos",
    "UAH": "₴ грн грн. гривня гривень гривні hryvnia",
    "TRY": "₺ tl lira liras türk/lirası turkish/lira turkish/liras lire",
    "KRW": "₩ won 원 韩元 ウォン",
    "ILS": "₪ shekel shekels schekel nis שקל שקלים",
    "VND": "₫ đồng dong",
    "THB": "฿ baht บาท",
    "NGN": "₦ naira",
    "GHS": "₵ cedi cedis",
    "KZT": "₸ tenge тенге",
    "ZAR": "rand",
    "AED": "dirham dirhams درهم درهما دراهم",
    "SAR": "riyal riyals ريال ريالا ريالات",
    "KWD": "dinar dinars دينار دينارا دنانير",
    "EGP": "جنيه جنيها جنيهات",
    "CENT": "¢ ct cent cents cent. céntimo céntimos centavo centavos centimes centime",
    "PENCE": "pence penny",
    "RAPPEN": "rp rp. rappen",
    "BTC": "₿ bitcoin bitcoins",
}
_CODES: Final = word_set(
    "EUR USD AUD CAD NZD HKD SGD TWD BRL GBP CHF JPY CNY INR PKR MXN ARS CLP COP PHP SEK NOK "
    "DKK ISK CZK PLN HUF RON BGN RUB UAH TRY KRW ILS VND THB NGN GHS KZT ZAR AED SAR EGP IDR "
    "MYR PEN UYU KES MAD TND QAR KWD BHD RSD GEL BTC"
)
_ANY_CASE: Final = word_set("EUR USD GBP CHF JPY CAD AUD SEK NOK DKK PLN CZK HUF INR MXN CNY")

SIGNS: Final = "€$£¥₹₺₽₩₴₦₪₫₱¢₸₵฿₿"
"""Signs that may stand against a number, before it or behind it."""


def _tables() -> tuple[Mapping[str, tuple[Unit, ...]], Mapping[str, tuple[Unit, ...]]]:
    names: dict[str, tuple[Unit, ...]] = {}
    codes = {code: (Unit(code),) for code in _CODES} | {"R": (Unit("ZAR"),)}
    for code, words in _NAMES.items():
        for word in words.split():
            key = word.replace("/", " ").casefold()
            names[key] = (*names.get(key, ()), Unit(code))
    for code in _ANY_CASE:
        names[code.casefold()] = (Unit(code),)
    return MappingProxyType(names), MappingProxyType(codes)


NAMES, CODES = _tables()
"""Currencies by name and sign, case folded, and by code, in capitals."""


def currencies_of(word: str) -> tuple[Unit, ...]:
    """The currencies that *word* may be.

    Example:
        >>> [unit.dimension for unit in currencies_of("A$")], currencies_of("TOP")
        (['AUD'], ())
    """
    return CODES.get(word) or NAMES.get(word.casefold()) or ()
