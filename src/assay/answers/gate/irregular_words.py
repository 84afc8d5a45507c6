"""Forms that no stemmer leads back to their word.

In      nothing
Out     IRREGULAR: language -> form -> word
Pure    data only
Spec    005-A2 (content words)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ENGLISH: Final = """
    arise arose arisen; awake awoke awoken; bear bore borne; beat beaten; begin began begun; bend
    bent; bind bound; bite bit bitten; bleed bled; blow blew blown; break broke broken; breed
    bred; bring brought; build built; burn burnt; buy bought; catch caught; child children; choose
    chose chosen choice choices; come came; creep crept; deal dealt; die dying; dig dug; draw drew
    drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel
    felt; fight fought; find found; flee fled; fly flew flown; foot feet; forbid forbade
    forbidden; forget forgot forgotten; freeze froze frozen; give gave given; go goes went gone;
    grow grew grown; hang hung; have having; hear heard; hide hid hidden; hold held; keep kept;
    know knew known; lay laid; lead led; leave left; lend lent; life lives; lose lost loss losses;
    make made; man men; mean meant; meet met; mouse mice; pay paid payment payments payable;
    person people persons; ride rode ridden; rise rose risen; run ran; say said; see saw seen;
    seek sought; sell sold sale sales; send sent; shake shook shaken; shoot shot; shrink shrank
    shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; speak spoke spoken speech; spend
    spent; stand stood; steal stole stolen; strike struck; swear swore sworn; sweep swept; swim
    swam; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought;
    throw threw thrown; tooth teeth; understand understood; wake woke woken; wear wore worn; win
    won; withdraw withdrew withdrawn withdrawal; woman women; write wrote written; apply applies
    applied application applications applicant applicants; deny denial denied; refuse refusal;
    arrive arrival; approve approval; analyse analysis analyses analyze; half halves; wife wives;
    good better best; bad worse worst
"""
_GERMAN: Final = """
    beginnen beginnt begann begonnen; bleiben blieb geblieben; bringen brachte gebracht; dürfen
    durfte; fahren fährt fuhr gefahren; finden fand gefunden; geben gibt gab gegeben; gehen ging
    gegangen; gelten gilt galt; halten hält hielt gehalten; heißen hieß; helfen hilft half
    geholfen; kommen kam gekommen; lassen lässt ließ gelassen; laufen läuft lief; lesen liest las
    gelesen; liegen lag gelegen; nehmen nimmt nahm genommen; schließen schließt schloss
    geschlossen schliesst; schreiben schrieb geschrieben; sehen sieht sah gesehen; sprechen
    spricht sprach gesprochen; stehen stand gestanden; steigen stieg stiegen gestiegen; fallen
    fielen; sinken sanken; steigen stieg gestiegen; sterben stirbt starb gestorben; tragen trägt
    trug getragen; treten tritt trat; verlieren verlor verloren; wachsen wächst wuchs gewachsen;
    werfen wirft warf; ziehen zog gezogen; bitten bat gebeten; enthalten enthält enthielt;
    erhalten erhält erhielt; betragen beträgt betrug; essen isst aß gegessen; sinken sank
    gesunken; fallen fällt fiel gefallen; wissen weiß wusste gewusst; zahlen zahlt zahlung
    zahlungen gezahlt; mieten vermieten; kosten kostet gekostet
"""
_FRENCH: Final = """
    payer paie paient paye payé paiement paiements; ouvrir ouvre ouvrent ouvert ouverte ouverts
    ouverture; fermer ferme fermé fermeture; recevoir reçoit reçu reçoivent; venir vient venu
    viennent; tenir tient tenu; prendre prend pris prise; mettre met mis mise; voir voit vu;
    savoir sait su; dire dit; œil yeux; mourir meurt mort; vendre vend vendu vente ventes; œuvre
    oeuvre
"""
_SPANISH: Final = """
    pagar paga pagan pago pagos pagado; abrir abre abren abierto abierta apertura; cerrar cierra
    cierran cerrado cerrada cierre; costar cuesta cuestan costó coste costo; decir dice dicho
    dijo; pedir pide pidió; poder puede; poner pone puesto puso; tener tiene tuvo; venir viene
    vino; morir muere murió muerto; volver vuelve vuelto; empezar empieza empezó; dormir duerme;
    vender venta ventas vende
"""
_ITALIAN: Final = """
    pagare paga pagano pagato pagamento pagamenti; aprire apre aprono aperto aperta apertura;
    chiudere chiude chiudono chiuso chiusa chiusura; prendere prende preso; mettere mette messo;
    vedere vede visto; dire dice detto; scrivere scrive scritto; vendere vende venduto vendita
    vendite; uomo uomini; morire muore morto; costare costa costano costo
"""
_PORTUGUESE: Final = """
    pagar paga pagam pago pagamento pagamentos; abrir abre abrem aberto aberta abertura; fechar
    fecha fecham fechado fechada; custar custa custam custo; dizer diz disse dito; ver viu visto;
    vir vem veio; pôr põe pôs posto; vender vende vendido venda vendas; pedir pede pediu
"""


def _forms(rows: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for row in rows.casefold().split(";"):
        word, *forms = row.split()
        found.update(dict.fromkeys(forms, word))
    return MappingProxyType(found)


IRREGULAR: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "en": _forms(_ENGLISH),
        "de": _forms(_GERMAN),
        "fr": _forms(_FRENCH),
        "es": _forms(_SPANISH),
        "it": _forms(_ITALIAN),
        "pt": _forms(_PORTUGUESE),
    }
)
"""Language -> form -> the word that it is a form of, case folded."""
