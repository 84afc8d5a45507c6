"""Words that stand at the two ends of an axis: a claim that moves from one to the other turns.

In      nothing
Out     TURNS: language -> phrase -> axis and pole
Pure    data only
Spec    005-A4

A row names an axis and, behind each pole, the words that put a claim there; rows end with a
semicolon. `_` joins the words of a phrase; a word of four letters or more stands for its forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ROWS: Final = {
    "en": """
        modality must: need_to needs_to needed_to have_got_to must shall have_to has_to had_to
            required require requires mandatory compulsory obligatory obliged | may: may might can
            could allowed permitted permit allow permissible optional voluntary entitled | no: avoid
            avoided avoids forbidden forbid prohibited prohibit banned ban barred disallowed;
        amount all: all everybody everyone any_and_all | each: every each | some: some several
            certain | few: few | many: many | most: most | none: nobody no_one none no-one;
        frequency always: always constantly invariably | some: sometimes often occasionally seldom
            usually | never: never;
        approval yes: allowed_the_appeal allow_the_appeal upheld uphold approve approved accept
            accepted grant granted adopt adopted agree agreed confirm confirmed | no: reject
            rejected refuse refused deny denied decline disapproved dismissed;
        inclusion in: cover covers covered include included includes inclusive | out: exclude
            excluded excludes exclusive excluding;
        open yes: open opens opened reopen | no: closed close closes shut;
        change up: were_up was_up is_up are_up up_by went_up goes_up rise increase grow growth climb
            gain raise higher_than surge | down: were_down was_down is_down are_down down_by
            went_down goes_down fewer_than_in fall decrease decline drop shrink reduce reduction
            lower cut;
        time before: no_later_than not_later_than at_the_latest before prior_to until earlier_than |
            after: after since later_than;
        bound over: over above exceeding more_than greater_than at_least minimum exceed no_less_than
            not_less_than | under: not_exceed not_exceeding under below less_than fewer_than at_most
            maximum up_to no_more_than not_more_than;
        rank more: more | less: less fewer;
        price low: cheaper cheap cheapest inexpensive | high: dearer expensive dear pricier
            costlier;
        size large: larger bigger large big largest biggest greater | small: smaller small smallest;
        height high: higher high highest | low: lower low lowest;
        speed fast: faster fast quick quicker fastest | slow: slower slow slowest;
        age old: older old oldest | young: younger young youngest newer new;
        length long: longer long longest | short: shorter short shortest;
        order first: first | last: last;
        moment early: earlier early earliest | late: later late latest;
        company with: with | without: without;
        result win: win winner | lose: lose loser;
        outcome good: succeed success successful | bad: fail failure failed unsuccessful;
        begin start: begin start | end: end finish stop cease;
        trade buy: buy purchase | sell: sell;
        side inside: inside indoors | outside: outside outdoors;
        truth true: true correct right | false: false wrong incorrect untrue;
        law yes: legal lawful | no: illegal unlawful;
        force yes: valid | no: invalid void expired;
        chance yes: possible | no: impossible;
        public yes: public | no: private confidential secret;
        switch on: enable activate | off: disable deactivate;
        view for: voted_for vote_for votes_for in_favour_of in_favor_of support favour favor endorse
            | against: oppose opposes opposed against;
        safety safe: safe harmless | unsafe: dangerous unsafe harmful;
        quality better: better best improve | worse: worse worst worsen;
        move arrive: arrive | leave: leave depart;
        border import: import | export: export;
        loan lend: lend | borrow: borrow;
        tax gross: gross | net: net;
        sameness same: same identical equal | other: different unequal;
        place in: present | out: absent;
        heat hot: hot warm | cold: cold cool;
        day day: daytime by_day | night: nighttime at_night by_night;
        wealth rich: rich wealthy | poor: poor;
        strength strong: strong stronger | weak: weak weaker;
        north north: north northern | south: south southern;
        west west: west western | east: east eastern;
        flow receive: receive | give: pay_out;
        charge free: free free_of_charge for_free exempt gratis complimentary pays_nothing
            pay_nothing costs_nothing | due: chargeable payable subject_to_a_fee;
        commonness common: common commonly frequent frequently | rare: rare rarely uncommon
            infrequent;
    """,
    "de": """
        modality must: soll sollen sollte sollten braucht_zu muss müssen musste mussten verpflichtet
            pflicht vorgeschrieben verpflichtend zwingend obligatorisch erforderlich | may: darf
            dürfen durfte kann können könnte erlaubt gestattet zulässig freiwillig optional
            berechtigt | no: vermeiden vermieden vermeidet verboten untersagt unzulässig verbietet
            verbieten;
        amount all: alle aller allen sämtliche | each: jeder jede jedes jedem jeden | some: einige
            manche mehrere einzelne | few: wenige wenigen | many: viele vielen | most: meisten |
            none: niemand keiner;
        frequency always: immer stets jederzeit | some: manchmal oft gelegentlich meistens | never:
            nie niemals;
        approval yes: genehmigt genehmigen angenommen bewilligt zugestimmt akzeptiert zugelassen
            anerkannt | no: abgelehnt ablehnen verweigert zurückgewiesen verworfen;
        inclusion in: deckt decken gedeckt abgedeckt enthalten inbegriffen eingeschlossen inklusive
            einschließlich | out: ausgeschlossen ausgenommen exklusive ausschließlich;
        open yes: offen geöffnet öffnet öffnen | no: geschlossen schließt schließen;
        change up: steigt steigen stieg gestiegen erhöht erhöhen zugenommen zunahme wächst wachsen
            wuchs anstieg erhöhung | down: fällt sinkt sinken sank gesunken senken gesenkt
            abgenommen abnahme fiel gefallen rückgang senkung verringert;
        time before: nicht_später_als spätestens_bis vor bevor vorher bis | after: nach nachdem
            nachher seit;
        bound over: über mehr_als mindestens wenigstens ab oberhalb nicht_weniger_als | under:
            nicht_länger_als nicht_überschreiten unter weniger_als höchstens maximal unterhalb
            nicht_mehr_als;
        rank more: mehr | less: weniger;
        price low: billiger günstiger billig günstig preiswerter | high: teurer teuer;
        size large: größer groß größte | small: kleiner klein kleinste;
        height high: höher hoch höchste | low: niedriger niedrig niedrigste tiefer;
        speed fast: schneller schnell | slow: langsamer langsam;
        age old: älter alt älteste | young: jünger jung jüngste neu neuer;
        length long: länger lang längste | short: kürzer kurz kürzeste;
        order first: erste erster erstes ersten zuerst | last: letzte letzter letztes letzten
            zuletzt;
        moment early: früher früh früheste frühestens | late: später spät spätestens;
        company with: mit | without: ohne;
        result win: gewinnt gewann gewonnen | lose: verliert verlor verloren;
        outcome good: erfolgreich gelungen | bad: gescheitert misslungen erfolglos;
        begin start: beginnt begann begonnen anfang | end: endet endete beendet ende;
        trade buy: kauft kaufte gekauft kaufen | sell: verkauft verkaufte verkaufen;
        side inside: innerhalb innen drinnen | outside: außerhalb außen draußen;
        truth true: richtig wahr korrekt | false: falsch unrichtig;
        law yes: legal rechtmäßig | no: illegal rechtswidrig unrechtmäßig;
        force yes: gültig wirksam | no: ungültig unwirksam abgelaufen;
        chance yes: möglich | no: unmöglich;
        public yes: öffentlich | no: privat vertraulich geheim;
        view for: unterstützt befürwortet dafür | against: dagegen lehnt_ab widerspricht;
        safety safe: ungefährlich sicher harmlos | unsafe: gefährlich unsicher schädlich;
        quality better: besser beste verbessert | worse: schlechter schlechteste verschlechtert;
        border import: einfuhr importiert | export: ausfuhr exportiert;
        tax gross: brutto | net: netto;
        sameness same: gleich identisch | other: verschieden unterschiedlich anders;
        place in: anwesend | out: abwesend;
        strength strong: stark stärker | weak: schwach schwächer;
        north north: nord norden nördlich | south: süd süden südlich;
        west west: west westen westlich | east: ost osten östlich;
        charge free: kostenlos gratis gebührenfrei kostenfrei unentgeltlich umsonst beitragsfrei |
            due: kostenpflichtig gebührenpflichtig entgeltlich;
        commonness common: häufig häufige häufigen | rare: selten seltene seltenen;
    """,
    "fr": """
        modality must: il_faut devront devra doit doivent devez obligatoire obligatoires exigé
            requis obligé | may: peut peuvent pouvez permis autorisé autorisée facultatif
            facultative autorisés | no: éviter évitez évite évités interdit interdite interdits
            défendu prohibé;
        amount all: tous toutes tout_le_monde | each: chaque chacun | some: quelques certains
            certaines plusieurs | most: plupart | none: personne aucun aucune nul;
        frequency always: toujours | some: parfois souvent | never: jamais;
        approval yes: approuvé approuvée accepté acceptée accordé adopté | no: refusé refusée rejeté
            rejetée;
        inclusion in: couvre couvrent couvert couverts inclus incluse compris comprise | out: exclu
            exclue exclus;
        open yes: ouvert ouverte ouvre ouvrir | no: fermé fermée ferme fermer;
        change up: augmente augmenté augmenter hausse croît monte monté progresse | down: diminue
            diminué diminuer baisse baissé chute recule;
        time before: avant | after: après depuis dès;
        bound over: plus_de au-dessus au_moins minimum supérieur | under: pas_plus_de moins_de
            au-dessous au_plus maximum inférieur jusqu'à;
        price low: moins_cher moins_chère bon_marché moins_chers | high: plus_cher plus_chère cher
            chère coûteux;
        size large: grand grande | small: petit petite;
        order first: premier première | last: dernier dernière;
        moment early: tôt | late: tard;
        company with: avec | without: sans;
        result win: gagne gagné | lose: perd perdu;
        begin start: commence commencé début | end: finit termine terminé fin;
        trade buy: achète acheté acheter | sell: vend vendu vendre;
        truth true: vrai correct exact | false: faux incorrect;
        law yes: légal légale | no: illégal illégale;
        force yes: valable valide | no: invalide périmé expiré;
        chance yes: possible | no: impossible;
        public yes: public publique | no: privé privée;
        view for: pour_la | against: contre;
        quality better: meilleur mieux | worse: pire;
        sameness same: même identique | other: différent différente;
        charge free: gratuit gratuite gratuits gratuitement exonéré exonérés exempté sans_frais |
            due: payant payante payants;
        commonness common: fréquent fréquente fréquents fréquemment courant | rare: rare rares
            rarement;
        rank more: de_plus | less: de_moins;
    """,
    "es": """
        modality must: hay_que deberá deberán debe deben tiene_que tienen_que obligatorio
            obligatoria exigido | may: puede pueden permitido permitida autorizado autorizada
            opcional voluntario facultativo | no: evitar evite evita evitarse prohibido prohibida
            prohíbe vedado;
        amount all: todos todas todo_el_mundo | each: cada | some: algunos algunas varios varias
            ciertos | few: pocos pocas | many: muchos muchas | most: mayoría | none: nadie ninguno
            ningún ninguna;
        frequency always: siempre | some: a_veces menudo raramente | never: nunca jamás;
        approval yes: aprobado aprobada aprobó aceptado aceptada concedido | no: rechazado rechazada
            rechazó denegado denegada;
        inclusion in: cubre cubren cubierto cubiertos incluido incluida incluye incluidos | out:
            excluido excluida excluye excluidos;
        open yes: abierto abierta abre abren | no: cerrado cerrada cierra cierran;
        change up: sube subió subido aumenta aumentó aumentado crece creció aumento | down: baja
            bajó bajado disminuye disminuyó reducido cae cayó descenso;
        time before: antes | after: después desde tras;
        bound over: más_de mayores_de encima al_menos mínimo como_mínimo mayor | under: no_más_de
            menos_de menores_de debajo como_máximo a_lo_sumo máximo hasta menor;
        price low: más_barato más_barata barato barata | high: más_caro más_cara caro cara;
        size large: grande grandes | small: pequeño pequeña;
        order first: primero primera primer | last: último última;
        moment early: temprano | late: tarde;
        company with: con | without: sin;
        result win: gana ganó ganado | lose: pierde perdió perdido;
        begin start: empieza comienza comenzó empezó | end: termina terminó acaba;
        trade buy: compra compró comprar | sell: vende vendió vender;
        truth true: verdadero correcto | false: falso incorrecto;
        law yes: legal lícito | no: ilegal ilícito;
        force yes: válido válida | no: inválido caducado;
        chance yes: posible | no: imposible;
        public yes: público pública | no: privado privada;
        view for: favor | against: contra;
        quality better: mejor | worse: peor;
        sameness same: mismo igual | other: diferente distinto;
        charge free: gratis gratuito gratuita gratuitos exento exenta exentos | due: de_pago
            con_recargo;
        commonness common: frecuente frecuentes frecuentemente | rare: raro rara raros raras
            infrecuente;
        rank more: más | less: menos;
    """,
    "it": """
        modality must: bisogna occorre dovrà deve devono obbligatorio obbligatoria obbligato | may:
            può possono permesso consentito consentita autorizzato facoltativo facoltativa ammesso
            ammessi | no: evitare eviti evitato vietato vietata proibito proibita;
        amount all: tutti tutte | each: ogni ciascuno | some: alcun alcuni alcune qualche | few:
            pochi poche | many: molti molte | most: maggior_parte | none: nessuno nessun nessuna;
        frequency always: sempre | some: talvolta spesso raramente | never: mai;
        approval yes: approvato approvata accettato accettata concesso | no: respinto respinta
            rifiutato rifiutata negato;
        inclusion in: copre coprono coperto coperti incluso inclusa compreso compresa inclusi | out:
            escluso esclusa esclusi;
        open yes: aperto aperta apre aprono | no: chiuso chiusa chiude chiudono;
        change up: sale salito salita aumenta aumentato aumento cresce cresciuto | down: scende
            sceso scesa diminuisce diminuito cala calato calo;
        time before: prima | after: dopo da;
        bound over: più_di oltre almeno minimo sopra | under: non_più_di meno_di massimo sotto
            fino_a al_più;
        price low: più_economico più_economica economico economica meno_caro | high: più_caro
            più_cara caro cara costoso;
        size large: grande grandi | small: piccolo piccola;
        order first: primo prima_volta | last: ultimo ultima;
        company with: con | without: senza;
        result win: vince vinto | lose: perde perso;
        begin start: inizia iniziato comincia | end: finisce termina finito;
        trade buy: compra comprato comprare | sell: vende venduto vendere;
        truth true: vero corretto giusto | false: falso sbagliato;
        law yes: legale | no: illegale;
        force yes: valido valida | no: scaduto scaduta;
        chance yes: possibile | no: impossibile;
        public yes: pubblico pubblica | no: privato privata;
        view for: favore | against: contro;
        quality better: migliore meglio | worse: peggiore peggio;
        sameness same: stesso uguale | other: diverso diversa;
        charge free: gratis gratuito gratuita gratuiti esente esenti gratuitamente | due:
            a_pagamento;
        commonness common: frequente frequenti comune comuni | rare: raro rara rari rare;
        rank more: in_più | less: in_meno;
    """,
    "pt": """
        modality must: deverá deverão é_preciso deve devem tem_de tem_que têm_de obrigatório
            obrigatória obrigado | may: pode podem permitido permitida autorizado autorizada
            opcional facultativo voluntário | no: evitar evite evitado proibido proibida vedado
            interdito;
        amount all: todos todas | each: cada | some: alguns algumas vários várias certos | few:
            poucos poucas | many: muitos muitas | most: maioria | none: ninguém nenhum nenhuma;
        frequency always: sempre | some: vezes frequentemente raramente | never: nunca jamais;
        approval yes: aprovado aprovada aceite aceito aceita concedido | no: rejeitado rejeitada
            recusado recusada negado;
        inclusion in: cobre cobrem coberto cobertos incluído incluída inclui incluídos | out:
            excluído excluída exclui excluídos;
        open yes: aberto aberta abre abrem | no: fechado fechada fecha fecham encerrado;
        change up: sobe subiu subido aumenta aumentou aumentado cresce cresceu aumento | down: desce
            desceu baixou diminui diminuiu reduzido cai caiu;
        time before: antes | after: depois após desde;
        bound over: mais_de acima pelo_menos mínimo no_mínimo maior | under: não_mais_de menos_de
            abaixo no_máximo máximo até menor;
        price low: mais_barato mais_barata barato barata | high: mais_caro mais_cara caro cara;
        size large: grande grandes | small: pequeno pequena;
        order first: primeiro primeira | last: último última;
        company with: com | without: sem;
        result win: ganha ganhou | lose: perde perdeu;
        begin start: começa começou inicia | end: termina terminou acaba;
        trade buy: compra comprou comprar | sell: vende vendeu vender;
        truth true: verdadeiro correto certo | false: falso incorreto errado;
        law yes: legal | no: ilegal;
        force yes: válido válida | no: inválido expirado caducado;
        chance yes: possível | no: impossível;
        public yes: público pública | no: privado privada;
        view for: favor | against: contra;
        quality better: melhor | worse: pior;
        sameness same: mesmo igual | other: diferente;
        charge free: grátis gratuito gratuita gratuitos isento isenta isentos | due: a_pagar;
        commonness common: frequente frequentes comum comuns | rare: raro rara raros raras;
        rank more: mais | less: menos;
    """,
    "nl": """
        modality must: hoeft hoeven dient dienen moet moeten verplicht vereist | may: mag mogen kan
            kunnen toegestaan vrijwillig | no: vermijden vermijd vermeden verboden;
        amount all: alle iedereen | each: elk elke ieder iedere | some: sommige enkele enige | most:
            meeste | none: niemand;
        frequency always: altijd | some: soms | never: nooit;
        approval yes: goedgekeurd aanvaard toegekend | no: afgewezen geweigerd afgekeurd;
        inclusion in: inbegrepen inclusief | out: uitgesloten exclusief;
        open yes: open geopend opent | no: gesloten dicht sluit;
        change up: steeg gestegen stijgt toegenomen | down: daalde gedaald daalt afgenomen;
        time before: vóór uiterlijk voor | after: na sinds;
        bound over: boven meer_dan minstens ten_minste minimaal | under: onder minder_dan hoogstens
            maximaal;
        price low: goedkoper goedkoop | high: duurder duur;
        order first: eerste | last: laatste;
        company with: met | without: zonder;
        quality better: beter | worse: slechter;
        charge free: gratis kosteloos vrijgesteld | due: betaald;
        commonness common: vaak veelvoorkomend | rare: zelden zeldzaam;
        rank more: meer | less: minder;
    """,
    "pl": """
        modality must: trzeba należy musi muszą obowiązkowy wymagany | may: może mogą wolno
            dozwolone dobrowolny | no: unikać unikaj zabroniony zabronione zakazane zakazany;
        amount all: wszyscy wszystkie | each: każdy każda | some: niektórzy niektóre kilka | none:
            nikt żaden żadna;
        frequency always: zawsze | some: czasami | never: nigdy;
        approval yes: zatwierdzony zatwierdzono przyjęty zatwierdzona | no: odrzucony odrzucono
            odrzucona;
        open yes: otwarty otwarta otwarte | no: zamknięty zamknięta zamknięte;
        change up: wzrosła wzrósł wzrosły rośnie | down: spadła spadł spadły spada;
        time before: przed | after: po;
        bound over: ponad powyżej więcej_niż co_najmniej | under: poniżej mniej_niż co_najwyżej;
        price low: tańszy tańsza | high: droższy droższa;
        order first: pierwszy pierwsza | last: ostatni ostatnia;
        company with: z | without: bez;
        charge free: bezpłatny bezpłatna bezpłatne bezpłatnie darmowy zwolniony zwolnione zwolnieni
            | due: płatny płatna odpłatnie;
        commonness common: często częste | rare: rzadko rzadkie;
        rank more: więcej | less: mniej;
    """,
    "ru": """
        modality must: должен должна должны нужно необходимо требуется обязан обязаны | may: можно
            может могут разрешено допускается вправе | no: нельзя запрещено запрещён запрещена;
        amount all: все всем всех | each: каждый каждая каждого | some: некоторые | none: никто;
        frequency always: всегда | some: иногда часто | never: никогда;
        open yes: открыт открыта открыто | no: закрыт закрыта закрыто;
        change up: повышен повышена повышены увеличен увеличена вырос выросла рост | down: снижен
            снижена снижены уменьшен уменьшена упал упала снижение;
        bound over: не_менее не_меньше свыше | under: не_более не_больше не_превышает не_позднее;
        company with: с | without: без;
        charge free: бесплатно бесплатна бесплатная бесплатный бесплатной | due: платно платна
            платная платный платной;
        commonness common: частый частые | rare: редкий редкие редко;
        law yes: законно | no: незаконно;
        chance yes: возможно возможен возможна | no: невозможно невозможен невозможна;
    """,
}


def _read(rows: str) -> Mapping[tuple[str, ...], tuple[str, str]]:
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for row in filter(None, map(str.strip, rows.casefold().split(";"))):
        axis, _, poles = row.partition(" ")
        for pole in poles.split("|"):
            name, _, words = pole.strip().partition(":")
            for phrase in words.split():
                found[tuple(phrase.split("_"))] = (axis, name)
    return MappingProxyType(found)


TURNS: Final[Mapping[str, Mapping[tuple[str, ...], tuple[str, str]]]] = MappingProxyType(
    {language: _read(rows) for language, rows in _ROWS.items()}
)
"""Language -> words of a phrase, case folded -> (axis, pole)."""


def _poles() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for phrases in TURNS.values():
        for axis, pole in phrases.values():
            found.setdefault(axis, set()).add(pole)
    return MappingProxyType({axis: frozenset(poles) for axis, poles in found.items()})


POLES: Final = _poles()
"""Axis -> its poles."""

NOT_TURNING: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "en": frozenset({"permit", "permits", "permission", "grants", "expire", "expires"}),
        "es": frozenset({"bajo", "bajos", "caduca", "caducan", "expira"}),
        "fr": frozenset({"expire", "expirent"}),
        "pt": frozenset({"caduca", "expira"}),
    }
)
"""Language -> words that share a stem with one of the tables and turn nothing."""
