"""Claims below the passage that they are made from: carried by it, or turned round.

A passage with its language; below it claims that it carries (`+`) and claims that it does not
(`-`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Pair(NamedTuple):
    """One claim and its passage."""

    language: str
    chunk: str
    claim: str
    is_carried: bool


def _read(text: str) -> Iterator[Pair]:
    language = chunk = ""
    for line in map(str.strip, text.strip().splitlines()):
        if line.startswith(("+ ", "- ")):
            yield Pair(language, chunk, line[2:], line[0] == "+")
        else:
            language, _, chunk = line.partition(": ")


PAIRS = tuple(
    _read(
        """
    en: The museum is closed on Mondays.
        + The museum is not open on Mondays.
        - The museum is open on Mondays.
    en: Refunds are never paid.
        - Refunds are always paid.
        - Refunds are paid.
    en: Refunds are paid within a month.
        - Refunds are never paid.
    en: Dogs are not allowed in the park.
        + Dogs are forbidden in the park.
    en: Dogs are forbidden in the park.
        + Dogs aren't allowed in the park.
        - Dogs are allowed in the park.
    en: Dogs must be kept on a lead.
        - Dogs may be kept on a lead.
    en: Members may bring a guest.
        - Members must bring a guest.
    en: Members must not bring guests.
        + Members can't bring guests.
        - Members don't have to bring guests.
    en: Entry is possible with a ticket.
        - Entry is possible without a ticket.
    en: Entry is possible without a ticket.
        - Entry is possible with a ticket.
    en: Prices rose in 2023.
        - Prices fell in 2023.
        + Prices increased in 2023.
    en: Prices fell in 2022. Prices rose in 2023.
        - Prices fell in 2023.
        + Prices rose in 2023.
    en: Children under 12 pay nothing.
        - Children over 12 pay nothing.
    en: All rooms have a bath.
        + Some rooms have a bath.
    en: Some rooms have a bath.
        - All rooms have a bath.
    en: None of the rooms has a bath.
        - All of the rooms have a bath.
    en: Everybody may vote.
        - Nobody may vote.
    en: Breakfast is included in the price.
        - Breakfast is not included in the price.
        - Breakfast is excluded from the price.
    en: Breakfast is excluded from the price.
        + Breakfast is not included in the price.
    en: The request was rejected by the board.
        + The request was not approved by the board.
        - The request was approved by the board.
    en: The train is faster than the bus.
        - The train is slower than the bus.
    en: The shop is open every day except Sunday.
        - The shop is open on Sunday.
    en: The card isn't refundable.
        - The card is refundable.
    en: The card is non-refundable.
        - The card is refundable.
        + The card is not refundable.
    en: The practice is illegal.
        - The practice is legal.
        + The practice isn't legal.
    en: Students pay no fee.
        + Students do not pay a fee.
        - Students pay a fee.
    en: Dogs are allowed in the garden, but cats are not.
        - Cats are allowed in the garden.
        + Dogs are allowed in the garden.
    en: The fee is not refundable. It is due on 5 March 2024.
        + The fee is due on 5 March 2024.
    en: Only members may vote.
        + Members may vote.
    en: Members may vote.
        - Only members may vote.
    en: The minimum age is 18 years.
        - The maximum age is 18 years.
    en: The first applicant wins.
        - The last applicant wins.
    en: The left lane is closed.
        + The left lane isn't open.
    en: The vaccine is not unsafe.
        + The vaccine is safe.
    en: No one was hurt in the accident.
        + Nobody was hurt in the accident.
        - Someone was hurt in the accident.
    en: The service is no longer available.
        - The service is available.
    de: Das Museum ist montags geschlossen.
        + Das Museum ist montags nicht geöffnet.
        - Das Museum ist montags geöffnet.
    de: Hunde sind im Park nicht erlaubt.
        + Hunde sind im Park verboten.
        - Hunde sind im Park erlaubt.
    de: Die Gebühr wird nicht erstattet.
        - Die Gebühr wird erstattet.
    de: Die Gebühr wird erstattet.
        - Die Gebühr wird nicht erstattet.
    de: Die Gebühr wird nie erstattet.
        - Die Gebühr wird immer erstattet.
    de: Der Antrag wurde abgelehnt.
        - Der Antrag wurde genehmigt.
        + Der Antrag wurde nicht genehmigt.
    de: Der Eintritt ist mit Ausweis frei.
        - Der Eintritt ist ohne Ausweis frei.
    de: Mitglieder müssen abstimmen.
        - Mitglieder dürfen abstimmen.
    de: Mitglieder müssen nicht abstimmen.
        - Mitglieder müssen abstimmen.
    de: Kinder unter 12 Jahren zahlen nichts.
        - Kinder über 12 Jahren zahlen nichts.
    de: Die Preise sind 2023 gestiegen.
        - Die Preise sind 2023 gesunken.
    de: Die Preise stiegen 2023.
        + Die Preise sind 2023 gestiegen.
    de: Alle Mitglieder haben abgestimmt.
        - Keine Mitglieder haben abgestimmt.
    de: Einige Mitglieder haben abgestimmt.
        - Alle Mitglieder haben abgestimmt.
    de: Das Frühstück ist inbegriffen.
        - Das Frühstück ist nicht inbegriffen.
    de: Der Laden ist täglich außer sonntags offen.
        - Der Laden ist sonntags offen.
    de: Die Karte ist ungültig.
        - Die Karte ist gültig.
        + Die Karte ist nicht gültig.
    de: Plan A ist billiger als Plan B.
        - Plan A ist teurer als Plan B.
    de: Die Sitzung ist vor der Wahl.
        - Die Sitzung ist nach der Wahl.
    de: Niemand darf den Saal betreten.
        - Jeder darf den Saal betreten.
    de: Die Jahresgebühr beträgt 40 EUR.
        + Die Gebühr pro Jahr beträgt 40 EUR.
    de: Die Auszahlung erfolgt frühestens im März.
        - Die Auszahlung erfolgt spätestens im März.
    fr: Le musée est fermé le lundi.
        + Le musée n'est pas ouvert le lundi.
        - Le musée est ouvert le lundi.
    fr: Les chiens sont interdits dans le parc.
        - Les chiens sont autorisés dans le parc.
        + Les chiens ne sont pas autorisés dans le parc.
    fr: Les frais ne sont pas remboursés.
        - Les frais sont remboursés.
    fr: Les frais sont remboursés.
        - Les frais ne sont jamais remboursés.
    fr: La demande a été refusée.
        - La demande a été approuvée.
    fr: L'entrée est gratuite avec une carte.
        - L'entrée est gratuite sans carte.
    fr: Les prix ont augmenté en 2023.
        - Les prix ont diminué en 2023.
    fr: Les membres doivent voter.
        - Les membres peuvent voter.
    fr: Tous les membres ont voté.
        - Aucun membre n'a voté.
    fr: Certains membres ont voté.
        - Tous les membres ont voté.
    fr: La réunion a lieu avant le vote.
        - La réunion a lieu après le vote.
    fr: L'entrée est gratuite sauf le dimanche.
        - L'entrée est gratuite le dimanche.
    fr: Le plan A est moins cher que le plan B.
        - Le plan A est plus cher que le plan B.
    es: El museo está cerrado los lunes.
        + El museo no está abierto los lunes.
        - El museo está abierto los lunes.
    es: No se permiten perros en el parque.
        - Se permiten perros en el parque.
    es: Los perros están prohibidos en el parque.
        + Los perros no están permitidos en el parque.
    es: La tasa no se devuelve.
        - La tasa se devuelve.
    es: La tasa nunca se devuelve.
        - La tasa siempre se devuelve.
    es: La solicitud fue rechazada.
        - La solicitud fue aprobada.
    es: La entrada es gratuita con tarjeta.
        - La entrada es gratuita sin tarjeta.
    es: Los precios subieron en 2023.
        - Los precios bajaron en 2023.
    es: Los miembros deben votar.
        - Los miembros pueden votar.
    es: Nadie puede entrar en la sala.
        - Todos pueden entrar en la sala.
    es: Algunos miembros votaron.
        - Todos los miembros votaron.
    es: La reunión es antes de la votación.
        - La reunión es después de la votación.
    es: La entrada es gratis excepto los domingos.
        - La entrada es gratis los domingos.
    it: Il museo è chiuso il lunedì.
        + Il museo non è aperto il lunedì.
        - Il museo è aperto il lunedì.
    it: I cani sono vietati nel parco.
        - I cani sono permessi nel parco.
        + I cani non sono ammessi nel parco.
    it: La tassa non è rimborsata.
        - La tassa è rimborsata.
    it: La domanda è stata respinta.
        - La domanda è stata approvata.
    it: L'ingresso è gratuito con tessera.
        - L'ingresso è gratuito senza tessera.
    it: I prezzi sono saliti nel 2023.
        - I prezzi sono scesi nel 2023.
    it: I membri devono votare.
        - I membri possono votare.
    it: Alcuni membri hanno votato.
        - Tutti i membri hanno votato.
    it: La riunione è prima del voto.
        - La riunione è dopo il voto.
    it: L'ingresso è gratuito tranne la domenica.
        - L'ingresso è gratuito la domenica.
    it: Nessuno può entrare.
        - Tutti possono entrare.
    pt: O museu está fechado às segundas.
        + O museu não está aberto às segundas.
        - O museu está aberto às segundas.
    pt: Os cães são proibidos no parque.
        - Os cães são permitidos no parque.
    pt: A taxa não é devolvida.
        - A taxa é devolvida.
    pt: O pedido foi rejeitado.
        - O pedido foi aprovado.
    pt: A entrada é gratuita com cartão.
        - A entrada é gratuita sem cartão.
    pt: Os preços subiram em 2023.
        - Os preços desceram em 2023.
    pt: Os membros devem votar.
        - Os membros podem votar.
    pt: Alguns membros votaram.
        - Todos os membros votaram.
    pt: A reunião é antes da votação.
        - A reunião é depois da votação.
    pt: A entrada é grátis exceto aos domingos.
        - A entrada é grátis aos domingos.
    pt: Ninguém pode entrar na sala.
        - Todos podem entrar na sala.
    nl: Het museum is op maandag gesloten.
        + Het museum is op maandag niet open.
        - Het museum is op maandag open.
    nl: Honden zijn in het park verboden.
        - Honden zijn in het park toegestaan.
    nl: De kosten worden niet vergoed.
        - De kosten worden vergoed.
    nl: De toegang is gratis met een kaart.
        - De toegang is gratis zonder kaart.
    pl: Opłata nie jest zwracana.
        - Opłata jest zwracana.
    pl: Wniosek został odrzucony.
        - Wniosek został zatwierdzony.
    pl: Psy są zabronione w parku.
        - Psy są dozwolone w parku.
    ru: Сбор не возвращается.
        - Сбор возвращается.
    ru: Сбор возвращается в мае.
        - Сбор не возвращается в мае.
    sv: Avgiften betalas inte tillbaka.
        - Avgiften betalas tillbaka.
    el: Το τέλος δεν επιστρέφεται.
        - Το τέλος επιστρέφεται.
    ar: لا يسمح بدخول الكلاب.
        - يسمح بدخول الكلاب.
    hi: शुल्क वापस नहीं किया जाता है।
        - शुल्क वापस किया जाता है।
    ja: 入場は有料ではありません。
        - 入場は有料です。
    zh: 该药物未获批准。
        - 该药物获批准。
    zh: 会员不得投票。
        - 会员可以投票。
    en: The office is open from Monday to Friday. Appointments are not required.
        + You do not need an appointment.
        - An appointment is required.
    en: The office is open from Monday to Friday. It is closed on public holidays.
        - The office is open on public holidays.
        + The office is closed on public holidays.
    en: If you miss the deadline, you lose your claim.
        + Whoever misses the deadline loses the claim.
    en: If you do not pay within 14 days, a late fee of 5 EUR is charged.
        + A late fee of 5 EUR is charged if you don't pay within 14 days.
        + Late payment costs a fee of 5 EUR.
    en: Cancellation is free of charge up to 24 hours before arrival.
        + You can cancel free of charge until 24 hours before arrival.
        - You can cancel free of charge after arrival.
    en: The warranty does not cover water damage.
        + Water damage is not covered by the warranty.
        + Water damage is excluded from the warranty.
        - The warranty covers water damage.
    en: The warranty excludes water damage.
        + The warranty does not cover water damage.
        - Water damage is covered by the warranty.
    en: Pensioners pay half. Students pay nothing.
        + Students do not pay.
    en: Neither parent needs to be present.
        + No parent has to be present.
    en: The permit is valid for two years unless it is revoked.
        + The permit is valid for two years.
    en: The shop is open every day except Sunday.
        + The shop is closed on Sunday.
    en: The tenant may not sublet the flat without consent.
        + The tenant may sublet the flat only with consent.
    en: There is no limit on the number of guests.
        - The number of guests is limited.
    en: Passengers without a valid ticket pay a fine of 60 EUR.
        - Passengers with a valid ticket pay a fine of 60 EUR.
        + The fine for passengers without a valid ticket is 60 EUR.
    en: Claude can't browse the internet.
        + Claude is unable to browse the internet.
    en: Nothing was found in the cellar.
        - Something was found in the cellar.
    en: The tenant shall not sublet the flat.
        - The tenant may sublet the flat.
        + Subletting the flat is prohibited.
    en: The committee failed to reach an agreement.
        + The committee did not reach an agreement.
        - The committee reached an agreement.
    en: There is no limit on the number of guests.
        + The number of guests is unlimited.
    en: Sales were up 5 % in May.
        + Sales rose by 5 % in May.
        - Sales fell by 5 % in May.
    en: It is safe to drink the water.
        - The water is unsafe to drink.
    en: The bridge was built after the war.
        - The bridge was built before the war.
    en: Employees leave at five.
        - Employees arrive at five.
    en: Bring an ID card. Photocopies are not accepted.
        - Photocopies are accepted.
    en: The court dismissed the appeal.
        - The court allowed the appeal.
    en: The council voted against the plan.
        - The council voted for the plan.
    en: The committee supports the plan.
        - The committee opposes the plan.
    en: Alcohol is prohibited on board.
        - Alcohol is permitted on board.
    en: At least two witnesses must sign.
        - At most two witnesses must sign.
    en: No more than two guests may stay.
        + At most two guests may stay.
        - At least two guests may stay.
    en: The hotel has 3 stars and a pool.
        - The hotel has a pool but no sauna.
    en: Use the front door.
        - Don't use the front door.
    en: Most members voted for the plan.
        - All members voted for the plan.
    en: Few members voted.
        - Many members voted.
    en: The rule applies to adults only.
        - The rule applies to children only.
    en: The rule applies only to adults.
        + The rule applies to adults only.
    en: The earliest date is 3 May 2024.
        - The latest date is 3 May 2024.
    en: The door is locked at night.
        - The door is unlocked at night.
    de: Ein Termin ist nicht erforderlich.
        + Sie brauchen keinen Termin.
        - Ein Termin ist erforderlich.
    de: Die Garantie deckt keine Wasserschäden ab.
        + Wasserschäden sind von der Garantie nicht gedeckt.
        - Die Garantie deckt Wasserschäden ab.
    de: Die Versicherung zahlt nur bei Unfällen.
        + Die Versicherung zahlt bei Unfällen.
    de: Die Versicherung zahlt bei Unfällen.
        - Die Versicherung zahlt nur bei Unfällen.
    de: Die Frist endet am 3. Mai 2024.
        - Die Frist beginnt am 3. Mai 2024.
    de: Fahrgäste ohne gültigen Fahrschein zahlen 60 EUR.
        - Fahrgäste mit gültigem Fahrschein zahlen 60 EUR.
    de: Untermiete ist nur mit Zustimmung zulässig.
        - Untermiete ist ohne Zustimmung zulässig.
    de: Untermiete ist unzulässig.
        - Untermiete ist zulässig.
        + Untermiete ist nicht zulässig.
    de: Der Antrag kann kostenlos gestellt werden.
        - Der Antrag kann nicht kostenlos gestellt werden.
    de: Studierende zahlen keinen Beitrag.
        - Studierende zahlen einen Beitrag.
    de: Das Amt ist mittwochs geschlossen, sonst von 8 bis 12 Uhr geöffnet.
        - Das Amt ist mittwochs geöffnet.
        + Das Amt ist mittwochs geschlossen.
    fr: Aucun rendez-vous n'est nécessaire.
        + Un rendez-vous n'est pas nécessaire.
        - Un rendez-vous est nécessaire.
    fr: La garantie ne couvre pas les dégâts des eaux.
        - La garantie couvre les dégâts des eaux.
    fr: L'assurance ne paie qu'en cas d'accident.
        + L'assurance paie en cas d'accident.
    fr: Il ne pleut plus.
        - Il pleut.
    fr: Les voyageurs sans billet paient 60 EUR.
        - Les voyageurs avec billet paient 60 EUR.
    es: No se necesita cita.
        - Se necesita cita.
    es: La garantía no cubre los daños por agua.
        - La garantía cubre los daños por agua.
        + Los daños por agua no están cubiertos por la garantía.
    it: La garanzia non copre i danni da acqua.
        - La garanzia copre i danni da acqua.
    it: Nessun appuntamento è necessario.
        + Non è necessario alcun appuntamento.
    pt: A garantia não cobre danos por água.
        - A garantia cobre danos por água.
    pt: Nenhuma marcação é necessária.
        + Não é necessária nenhuma marcação.
"""
    )
)

PRICE = tuple(
    _read(
        """
    en: Applications must not be sent before 3 May 2024.
        + Applications must be sent after 3 May 2024.
    en: Applications must be sent before 3 May 2024.
        - Applications must be sent after 3 May 2024.
    en: Bring an ID card. Photocopies are not accepted.
        + Bring an ID card, not a photocopy.
"""
    )
)
"""Right claims that are rejected all the same: what the rule costs, so that a change is seen."""
