"""Words whose full stop may not end a sentence: English, German, Spanish.

In      nothing
Out     sets of words, lower case, without their last full stop
Pure    data only
Spec    interfaces.md, "Answers" (abbreviations, dates and initials end no sentence)

Four kinds, because what follows decides:
    NEVER     always followed by the rest of its phrase (`Dr. Weber`, `z.B. heute`)
    BEFORE_NUMBER  no end before a number (`p. 55`); otherwise an ordinary word
    MAY_END   an end only before a word that opens sentences (`etc. The`)
    ORDINAL_NOUNS  `3. Kapitel`: the number before them is an ordinal
"""

from __future__ import annotations

from assay.core.text.word_sets import word_set

NEVER = word_set(
    # English
    "dr prof mr mrs ms mx messrs mmes st mt ft gen col maj capt cpt cmdr lt sgt cpl adm sen rep "
    "gov rev hon pres supt det insp atty e.g i.e eg ie vs cf viz approx esp incl excl resp "
    # German
    "hr hrn fr frl dipl ing med phil rer nat jur h.c habil mag priv doz geb gest "
    "z.b d.h u.u z.t i.d.r bzw bspw vgl ca sog insb insbes inkl exkl einschl ausschl ggf evtl "
    "gegr kath evang ev griech lat engl franz dt österr schweiz zzgl abzgl mind höchst "
    "s.o s.u i.s.d i.s.v i.v.m i.ü v.a m.e z.hd betr bez zw "
    # Spanish
    "sr sra srta sres sras srtas dn dña dra dres profa lic arq gral cnel tte "
    "p.ej p.e ej ud uds vd vds excmo excma ilmo ilma mons fray sto sta avda cra "
    "aprox izq dcha "
    # Italian and French, where they cost nothing
    "avv dott dottssa sig sigg geom mme mlle mgr "
    # Russian: titles and streets
    "проф акад доц тов ул пер наб им"
)
"""What stands before a name or within a phrase: never the end of a sentence."""

BEFORE_NUMBER = word_set(
    "no nos nr nrn n° nº num núm núms p pp pg pgs pág págs s f ff art arts artt art° abs sec secs "
    "sect ch chap cap caps fig figs abb tab tbl eq eqs vol vols bd bde ed eds aufl ausg kap lit "
    "ziff ziffs rn rz rdnr anm fn ex exs app anh anl appx par pars para paras párr párrs párrf inc "
    "tel tfno tlf fax ext mob ca approx c v vv vs l ll lin z zz str ste apt bldg rm piso pt pts "
    "jan feb mar apr jun jul aug sep sept oct okt nov dec dez ene abr ago dic mär jän "
    "mon tue tues wed thu thur thurs fri sat sun mo di mi do sa so lun mié jue vie sáb dom "
    "int nit km cm mm kg mg ml min mins max sek std stdn hrs hs h aprox min máx mín est bl col "
    "verf az dok top u ver rev nov § gl jg hs ms mt mk cra cl cll calle av avda "
)
"""What a number follows: not an end before one."""

MAY_END = word_set(
    # English
    "etc inc ltd co corp bros llc plc jr sr esq al ph.d phd m.d b.a m.a b.sc m.sc ll.m u.s e.u u.k "
    "u.s.a u.n d.c a.m p.m am pm a.d b.c b.c.e c.e dept univ assn assoc blvd ave rd hwy "
    "ibid op cit govt i.v "
    # German
    "usw u.a usf u.ä o.ä u.s.w u.v.m i.a dgl desgl ff str n.chr v.chr gmbh ges abt std jh jhd jhdt "
    "mio mrd tsd mill tägl mtl jährl urspr allg bes eig eigtl entspr ehem verb wiss techn "
    # Spanish
    "s.a s.l s.r.l ee.uu cía c.v dpto depto admón"
)
"""What may stand last: an end only before a word that opens sentences."""

MONTHS = word_set(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "januar jänner februar feber märz mai juni juli oktober dezember jän mär okt dez "
    "enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre "
    "diciembre ene abr ago dic"
)

ORDINAL_NOUNS = MONTHS | word_set(
    "jahrhundert jahrhunderts jahrtausend jh jhd jhdt auflage ausgabe kapitel abschnitt absatz "
    "teil band klasse platz rang stock stockwerk obergeschoss "
    "untergeschoss geschoss etage og ug quartal halbjahr semester "
    "lebensjahr lebensmonat schuljahr geburtstag tag monat jahr woche mal runde liga bundesliga "
    "senat kammer zivilsenat strafsenat änderung änderungsgesetz novelle stufe grad ordnung "
    "instanz weltkrieg armee division lesung sitzung sitzungstag spieltag minute halbzeit "
    "bezirk arrondissement internationale internationalen"
)
"""German nouns before which a number with a full stop is an ordinal."""

ORDINAL_LEADS = word_set(
    "am der die das dem den des vom zum zur im ins bis ab seit beim jeder jede jedes jeden jedem "
    "dieser diese diesem diesen dieses ihr ihre ihrem ihren ihrer sein seine seinem seinen seiner "
    "unser unsere unserem unseren mein meine meinem meinen ein eine einem einen einer zweiten und "
    "kein keine ersten dritten nächsten mittwoch montag dienstag donnerstag freitag samstag "
    "sonnabend sonntag"
)
"""German words after which a number with a full stop is an ordinal."""

OPENERS = word_set(
    # English
    "the this that these those it its it's he she they we you i there here how what when where why "
    "who whom whose which if in on at as after before but and or so however for from a an my our "
    "your his her their did do does is are was were can could will would should must to with no "
    "not yes some many most all both each every other others another also then thus therefore "
    "while although because since please let once until unless under over during despite "
    "moreover furthermore additionally meanwhile instead nevertheless otherwise overall finally "
    "first second third next today now only even such any few several one two three "
    "they're we're you're he's she's that's there's i'm i've don't "
    # German
    "der die das den dem des ein eine einer einem einen er sie es wir ihr ich du man dies diese "
    "dieser dieses diesen diesem jede jeder jedes auch aber und oder doch wenn weil da dann danach "
    "denn damit dabei dazu daher deshalb darum dort hier heute gestern morgen im am an auf aus bei "
    "beim mit nach seit von vom vor zu zum zur zudem außerdem für durch gegen ohne um über unter "
    "zwischen wer was wann wo wie warum welche welcher welches ist sind war waren hat haben kann "
    "können soll sollte sollten muss müssen darf dürfen wird werden nein ja nicht alle viele "
    "einige manche mehrere ihre seine unsere unser jedoch allerdings schließlich ferner weiter "
    "zuerst später nun so sonst trotzdem obwohl während bevor nachdem sobald falls bitte nur noch "
    "solche keine kein beide beides etwa rund "
    # Spanish
    "el la los las un una unos unas este esta esto estos estas ese esa eso esos esas aquel aquella "
    "ella ellos ellas él yo tú nosotros usted ustedes se su sus mi mis tu tus pero y o si sí no "
    "cuando cuándo donde dónde como cómo qué que quién cuál por para con sin en de del al a ante "
    "desde hasta entre sobre según también además así luego entonces hay es son fue era eran ha "
    "han muy más todo toda todos todas cada otro otra otros otras aunque mientras porque pues "
    "después antes ahora hoy ayer lo le les nos me te"
)
"""Words that, capitalised, open sentences and hardly ever follow an abbreviation."""

SUBJECTS = word_set(
    "it this they he she we you there these those es sie wir dies dieser diese él ella ellos "
    "ellas esto nosotros"
)
"""Words that start a sentence even where it starts in lower case."""

SURNAME_LIKE = word_set(
    "no do will may so an in on is al de la las los del der die das dem den van von zu te le les "
    "su he she her two young man con tu mi si y o a"
)
"""Openers that may also stand within a name, so no opener after an initial."""

ORDINARY = word_set(
    "no art ex est max min co sat sun mar mon fig ms par do so sa mi di dom col top rev fax mob "
    "app ext sec inc lit tab cap pt ed km cm mm kg mg ml h int std hrs"
)
"""Members of BEFORE_NUMBER that are words of their own or units: before anything but a number
their full stop ends the sentence like any other."""

FILE_ENDINGS = word_set("com net org edu gov de es eu uk io js ts py md txt html pdf info ai app")
"""After a full stop without white space: part of a name, not a new sentence."""

GOES_ON = word_set(
    "the a an of to in on at for and or by with from as is are was were that which who "
    "der die das den dem des ein eine einer einem einen und oder von vom zu zum zur im in am an "
    "auf für mit bei nach ist sind war wird dass "
    "el la los las un una unos unas de del y o a al en con por para que se su"
)
"""Small words that no line ends with unless it goes on."""
