"""Words that carry no content of their own, by language; they also tell the languages apart.

In      nothing
Out     STOP_WORDS: ISO 639-1 code -> words, case folded
Pure    data only
Spec    005-A2 (content words)

Negations and words that turn a claim round stand here too: they are judged as such
(`assay.answers.gate.negation`), and would only blur what a sentence is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_LISTS: Final = {
    "en": """
        a about above after again against ago all almost along already also although always am
        among an and another any anybody anyone anything are aren't around as at away be became
        because become becomes been before being below between both but by can can't cannot could
        couldn't did didn't do does doesn't doing don't done down during each either else etc even
        ever every everybody everyone everything except few first for from further get gets got
        had hadn't has hasn't have haven't having he hence her here hers herself him himself his
        how however i if in into is isn't it it's its itself just last least less let like likely
        many may me might mine more most much must mustn't my myself namely neither never no
        nobody none nor not nothing now of off often on once one ones only onto or other others
        otherwise our ours ourselves out over own per perhaps please quite rather really same
        shall she should shouldn't since so some somebody someone something sometimes still such
        than that that's the their theirs them themselves then there there's therefore these they
        thing things this those though through throughout thus till to together too toward towards
        under unless until up upon us usually various very via was wasn't way ways we well were
        weren't what when where whereas whether which while who whoever whole whom whose why will
        with within without won't would wouldn't yes yet you your yours yourself
    """,
    "de": """
        ab aber alle allem allen aller allerdings alles als also am an andere anderem anderen
        anderer anderes auch auf aus außer außerdem bald bei beide beiden beim bereits besonders
        bevor bin bis bist bitte bzw da dabei dadurch dafür dagegen daher damit danach daneben
        dann daran darauf daraus darf darin darüber darum darunter das dass dasselbe davon davor
        dazu dein deine dem den denen denn dennoch der deren derselbe des deshalb dessen dich die
        dies diese dieselbe diesem diesen dieser dieses dir doch dort du durch dürfen ebenfalls
        ebenso eher ein eine einem einen einer eines einige einigen einiger einiges einmal er erst
        es etwa etwas euch euer eure falls fast für ganz gar gegen gewesen hab habe haben hat
        hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer
        in indem ins insbesondere ist ja je jede jedem jeden jeder jedes jedoch jemand jene jenem
        jenen jener jetzt kann kein keine keinem keinen keiner keines können könnte könnten
        lediglich man manche manchem manchen mancher manches mehr mehrere mein meine meinem meinen
        meiner mich mir mit möglich muss müssen musste nach nachdem neben nein nicht nichts nie
        niemals niemand noch nun nur ob obwohl oder oft ohne pro sehr sei sein seine seinem seinen
        seiner seines seit selbst sich sie sind so sobald sofern solche solchem solchen solcher
        sollte sollten soll sollen somit sondern sonst soweit sowie sowohl statt trotz über um und
        uns unser unsere unserem unseren unter viel viele vielen vom von vor während war wäre
        waren warum was weder wegen weil weiter weitere weiteren weiterhin welche welchem welchen
        welcher welches wenig wenn wer werde werden wie wieder will wir wird wo wobei wurde würde
        wurden würden zu zudem zum zur zwar zwischen
    """,
    "fr": """
        a à afin ai ainsi alors après as au aucun aucune aussi autour autre autres aux avaient
        avait avant avec avez avoir avons beaucoup bien c'est car ce ceci cela celle celles celui
        cependant certain certaine certaines certains ces cet cette ceux chacun chaque chez ci
        comme comment d dans de depuis des dès deçà doit doivent donc dont du durant elle elles en
        encore entre es est et étaient était étant été être eu eux faire fait font fut grâce hors
        ici il ils j je jamais jusque l la là laquelle le lequel les lesquels leur leurs lors
        lorsque lui m ma mais malgré me même mêmes mes mien moi moins mon n ne ni non nos notre
        nous on ont ou où oui par parce parfois pas pendant peu peut peuvent personne plus
        plusieurs plutôt pour pourquoi pourra pouvez puis puisque qu quand que quel quelle quelles
        quelque quelques quels qui quoi rien s sa sans sauf se selon sera seront ses seul si sien
        soi soit sommes son sont sous souvent suis sur t ta tandis tant te tel telle telles tels
        tes toi ton toujours tous tout toute toutes très trop tu un une vers voici voilà vos votre
        vous y
    """,
    "es": """
        a además ahora al algo alguien algún alguna algunas alguno algunos ante antes aquel
        aquella aquellos aquí así aun aún aunque bajo bien cada casi como cómo con contra cual
        cuál cuales cualquier cuando cuándo cuanto de debe deben del desde donde dónde dos durante
        e él el ella ellas ello ellos en entonces entre era eran eres es esa esas ese eso esos
        esta está estaba estado están estar estas este esto estos excepto fue fueron ha había
        habían haber hace hacen hacer hacia han hasta hay he incluso jamás la las le les lo los
        luego más me mediante menos mi mientras mis mismo misma mucho muchos muy nada nadie ni
        ningún ninguna ninguno no nos nosotros nuestra nuestro nunca o os otra otras otro otros
        para pero poco pocos por porque pues puede pueden que qué quien quién quienes salvo se sea
        sean según ser será serán si sí sido siempre siendo sin sino sobre solamente solo sólo son
        su sus tal también tampoco tan tanto te tener tenga tiene tienen toda todas todavía todo
        todos tras tu un una unas uno unos usted ustedes vez vosotros y ya yo
    """,
    "it": """
        viene vengono va vanno
        alcun alcuna alcune alcuni qualsiasi
        a abbia abbiamo ad agli ai al all alla alle allo
        allora altra altre altri altro anche ancora anzi appena avanti avere aveva avevano avuto
        ben bene c che chi chiunque ci ciascun ciò cioè coi col come comunque con contro così cui
        d da dagli dai dal dall dalla dalle dallo dei degli del dell della delle dello dentro deve
        devono di dopo dove dovrà due dunque durante e è ed egli era erano essa esse essere essi
        esso eccetto fa fare fatto fin fino fra fu già gli grazie ha hai hanno ho i il in infatti
        inoltre io l la le lei li lo loro lui lungo ma mai malgrado me mediante meno mentre mi mia
        mie miei mio molta molte molti molto ne né neanche nei negli nel nell nella nelle nello
        nessun nessuna nessuno niente no noi non nostra nostro nulla o od ogni oltre oppure ora
        per perché perciò però piuttosto più poco poi possono può qua qual quale quali qualche
        qualcosa qualcuno quando quanto quasi quella quelle quelli quello questa queste questi
        questo qui quindi s sarà saranno se sé sebbene secondo sei sempre senza si sia siamo siano
        sino sono sopra soltanto solo sotto sta stata state stati stato stessa stesso su sua sue
        sugli sui sul sull sulla sulle suo suoi tale tali tanto te ti tra tranne tu tua tuo tutta
        tutte tutti tutto un una uno verso vi via voi vostra vostro
    """,
    "pt": """
        a à ainda além algo alguém algum alguma algumas alguns ante antes ao aos apenas após
        aquela aquelas aquele aqueles aqui aquilo as às assim até atrás através bem cada com como
        contra contudo cujo da daquele das de dela dele deles depois desde dessa desse desta deste
        deve devem do dos durante e é ela elas ele eles em embora enquanto então entre era eram
        essa essas esse esses esta está estão estar estas estava este estes eu exceto faz fazer
        foi foram for há isso isto já jamais lá lhe lhes logo mais mas me mediante meio menos
        mesma mesmo meu minha muita muito muitos na nada não nas nela nele nem nenhum nenhuma
        nessa nesse nesta neste ninguém no nos nós nossa nosso num numa nunca o onde os ou outra
        outras outro outros para pela pelas pelo pelos perante pode podem pois por porém porque
        porquê pouco poucos qual quais qualquer quando quanto que quê quem salvo são se seja sejam
        sem sempre sendo ser será serão seu seus si sido só sob sobre sua suas tal também tampouco
        tanto te tem têm tendo ter teve toda todas todo todos tu tudo um uma umas uns você vocês
    """,
    "nl": """
        aan al alle alleen als altijd andere ben bij binnen bent dan dat de deze die dit doch doen
        door dus een echter eens en er enige enkele geen gaan had haar heb hebben heeft hem het
        hier hij hoe hun iets iedere iedereen ieder iemand ik in is ja je jij jou jouw jullie kan
        kon kunnen maar me meer men met mij mijn moet moeten mogen mag na naar niet niets niemand
        nog nooit nu of om omdat ons onze ook op over reeds sinds soms tegen ten ter tijdens toch
        toen tot tussen u uit uw van vanaf veel voor waar waarom wanneer want waren was wat we wel
        welk welke werd werden wie wij wil worden wordt zal ze zeer zelf zich zij zijn zo zonder
        zou zullen
    """,
    "pl": """
        a albo ale ani aby bez bo być był była było były będzie będą ci co czy czyli dla do gdy
        gdzie go i ich ile im inne inny iż ja jak jaka jaki jakie jako je jednak jego jej jest
        jeszcze jeśli już każda każde każdy kiedy kto która które którego której który których
        którzy ku lub ma mają mi mnie może możesz mogą można musi muszą na nad nam nas nawet nic
        nich nie niech nigdy nikt nim niż no o od ona one oni ono oraz po pod podczas ponieważ
        poza przed przez przy są się siebie sobie swoje ta tak także tam te tego tej temu ten też
        to tu tutaj tych tylko tym tymi u w we wszyscy wszystkie wszystko więc z za zawsze ze że
    """,
    "sv": """
        alla att av blir de dem den denna det detta din du där efter eller en endast ett från för
        får ha hade han har hon i icke inte inom jag kan man med men mot måste mycket ni när någon
        och om på samt sedan sig sin sina ska skall som så till under upp ut utan var vi vid vill
        än är även över
    """,
    "da": """
        af alle at blev bliver da de dem den der det dette din du efter eller en end er et for fra
        få har have havde hun hvis hvor ikke ind jeg kan kun man med meget men mod må når nogen og
        også om op over på sig sin skal som så til ud uden under var ved vi vil være
    """,
    "cs": """
        a aby ale ani ano až bez bude budou by byl byla bylo být či co do i ho jako je jeho její
        jen jsou jste již k kde když která které který ke má mají může mezi na nad ne nebo není o
        od po pod podle pouze pro proto před přes při s se si tak také to ten toho tu už v ve však
        z za ze že
    """,
    "tr": """
        ama ancak bir bu çok da daha de değil diye en gibi göre hem her için ile ise kadar ki mi
        mı ne o olan olarak oldu olur sonra şu tüm ve veya ya yok
    """,
    "ru": """
        а без бы был была были было быть в вам вас ваш весь во вот все всё всего всех вы где да
        для до его ее её если есть еще ещё же за и из или им их к как когда кто ли может можно мы
        на над надо нам нас наш не него нее нет ни никогда никто но о об он она они оно от по под
        после при про с свой себя со так также такой там то того тоже той только том ты тот у уже
        хотя чего чем что чтобы эта эти это этого этот я
    """,
    "uk": """
        а або без би був була були було бути в вам вас ваш весь все всіх ви від він вона вони воно
        де для до є же за з зі і її їх із й його як яка які який якщо коли лише ми може можна на
        над нам нас не немає ні ніколи ніхто о об по під після при про свій себе та так також те
        ти тільки то того той у це цей ця чи через що щоб я
    """,
    "el": """
        αλλά αν από αυτά αυτές αυτή αυτό αυτός για δεν δε είναι ένα ένας έναν εκεί επίσης η ή ήταν
        θα και κάθε κατά με μας μετά μη μην μια μία μου μόνο να ο οι όλα όλες όλοι όπως όταν ότι
        που πριν προς πρέπει σας σε στα στη στην στις στο στον στους τα τη την της τις το του τους
        των τον ως χωρίς
    """,
    "hi": """
        और का की के को में से है हैं था थी थे पर यह वह ये वे एक कि ने तो भी या लिए नहीं न ही हो कर
        इस उस इन उन कुछ कोई जो जब तक साथ बिना होता होती होते सकता सकती सकते करना किया गया गई जा
        अपने बाद पहले
    """,
    "ar": """
        في من على إلى الى عن أن ان إن هذا هذه ذلك تلك التي الذي الذين هو هي هم كان كانت يكون لا لم
        لن ما مع كل أو او و ثم قد بعد قبل عند بين حتى إذا اذا غير بدون فقط أي كما لكن ليس أنه انه
        يمكن يجب
    """,
    "he": """
        של את על אל עם אם או כי לא אין יש זה זו זאת הוא היא הם הן אני אנו כל גם רק אבל כמו עד בין
        לפני אחרי ללא בלי אשר היה היתה יהיה מה מי אך
    """,
    "fa": """
        و در به از که این آن را با برای است هست بود شد شود می یا هر تا نیز اگر اما هم بر بدون نه
        باید
    """,
}

_LIGHT: Final = {
    "en": """
        according available based consist consists contain contains example examples following
        include included includes including information like made make makes making named namely
        need needed needs possible provide provided provides required requires require take takes
        use used uses using amount amounts cost costs applies apply called say says said state
        states stated stand stands total totals equal equals
        carries carry comes find found get gets go goes going got have keep keeps kept lies
        maximum minimum people person persons receive receives run runs see sees serve serves
        show shown shows start starts take valid wait waits want wants work works worth
    """,
    "de": """
        beispiel beispielsweise beträgt betragen enthält enthalten folgende folgenden folgendes
        gilt gelten heißt lautet lauten liegt liegen macht machen möglich nötig nutzen nutzt
        verwenden verwendet verfügbar benötigt benötigen brauchen braucht kostet kosten gibt geben
        erfolgt erfolgen sagt sagte sagen laut steht stehen insgesamt
        bekommt bekommen dauert erhält erhalten findet finden gehört gehören gültig handelt
        maximal maximum minimum personen leute warten zahlt zahlen sieht sehen zeigt zeigen
    """,
    "fr": """
        comprend comprennent coûte coûtent disponible disponibles exemple faut inclut incluent
        nécessaire possible s'applique s'appliquent s'élève utilise utilisent utiliser utilisé
        permet permettent montant dit disent selon
        compte compter dure durent existe existent maximum minimum obtenir obtient payer personnes
        prendre reçoit recevoir trouve trouvent vaut valent venir vient voir
    """,
    "es": """
        asciende aplica aplican cuesta cuestan disponible disponibles ejemplo incluye incluyen
        necesario necesita necesitan posible usa usan usar utiliza utilizan utilizar permite
        permiten dice dicen dijo según
        dura duran encuentra encuentran existe existen funciona funcionan máximo mínimo obtener
        obtiene pagar pagas personas recibe recibir sirve tomar vale valen viene
    """,
    "it": """
        ammonta ammontano applica applicano costa costano disponibile disponibili esempio
        comprende include includono necessario possibile usa usano usare utilizza utilizzano
        utilizzare permette dice dicono detto
        dura durano esiste esistono massimo minimo occorre occorrono ottenere ottiene pagare
        pagano persone riceve ricevere serve servono trova trovano vale valgono viene avviene
    """,
    "pt": """
        aplica aplicam custa custam disponível disponíveis exemplo inclui incluem necessário
        possível precisa precisam usa usam usar utiliza utilizam utilizar permite permitem diz
        dizem disse
        dura duram existe existem máximo mínimo obter obtém pagar paga pessoas receber recebe
        serve tomar vale valem vem
    """,
    "nl": """
        bedraagt beschikbaar bijvoorbeeld duurt geldt gebruiken gebruikt kost kosten krijgt
        krijgen maximaal mensen mogelijk nodig personen staat staan vindt vinden volgende wacht
    """,
    "pl": """
        dostępny kosztuje kosztują można należy następujące osoby otrzymuje potrzebny potrzebna
        potrzebne przykład trwa używa wynosi wynoszą znajduje
    """,
    "ru": """
        возможно действует длится доступен занимает имеет используется люди можно находится
        необходимо нужно нужен нужна получает составляет стоит стоят следующие
    """,
    "ar": "تبلغ يبلغ يتم متاح يمكن يستخدم تستخدم يوجد توجد",
}

STOP_WORDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {code: frozenset(words.casefold().split()) for code, words in _LISTS.items()}
)
"""Language -> its small words, case folded (`ß` is `ss`)."""

LIGHT_WORDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {code: frozenset(words.casefold().split()) for code, words in _LIGHT.items()}
)
"""Language -> words that every text may be put with: `uses`, `amounts to`, `beträgt`."""

ANY: Final = frozenset().union(*STOP_WORDS.values())
"""All small words: for a text whose language cannot be told."""

_ARTICLES: Final = """
    the a an this that these those every each all its our der die das dem den des ein eine einen
    einem einer dieser diese dieses jeder jede jedes alle le la les un une l ce cette ces el los
    las una unos unas este esta il lo gli i uno questo questa o a os as um uma de het een deze dit
    first then next finally also zuerst zunächst dann danach auch d'abord ensuite puis enfin aussi
    primero luego después también prima poi infine anche primeiro depois também eerst daarna dan
    ook
"""
ARTICLES: Final = frozenset(_ARTICLES.split())
"""Articles and words of order: what stands before the first word that tells something."""
