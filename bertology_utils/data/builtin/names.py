"""Given names and the country or language they sound like, real ones and invented ones (Poerner 2019).

An invented name is a beginning and an ending typical of its language, put together blindly. A few of the results may be
borne by someone; as a whole, a right guess comes from the sound (the pieces), not from having read about a person.
"""

from __future__ import annotations

from ..items import Cloze
from . import builder, draw

# language: (country, real given names, stems and endings of invented ones)
NAMES = {
    "Italian": (
        "Italy",
        "Giovanni Giuseppe Lorenzo Matteo Alessandro Giulia Chiara Paolo Luca Marcello Roberto",
        "Bart Gian Fior Mont Cesar Lav Rom Tors",
        "ello ucci ino accio etta izio",
    ),
    "Spanish": (
        "Spain",
        "Javier Carlos Diego Miguel Pedro Juan Pablo Carmen Dolores Esteban Rodrigo Jorge",
        "Mend Alv Ram Sal Hern Bel Gutier Ort",
        "ez ito ito illa undo uela",
    ),
    "French": (
        "France",
        "Pierre Jacques Jean Louis François Antoine Mathieu Sylvie Amélie Guillaume Étienne Benoît",
        "Beaum Delac Champ Roch Laf Mar Gaut Fonten",
        "eau oine ette ier ieux ault",
    ),
    "German": (
        "Germany",
        "Hans Wolfgang Günther Dieter Jürgen Helmut Ulrich Friedrich Heinrich Gertrud Klaus Ludwig",
        "Wulf Brand Eber Sieg Hild Rein Gott Lind",
        "hardt linde bert mann hold rich",
    ),
    "Russian": (
        "Russia",
        "Vladimir Dmitri Sergei Ivan Boris Igor Natasha Olga Svetlana Mikhail Yuri Anastasia",
        "Bor Vlad Mirosl Kazim Ostr Lyub Rad Zhel",
        "ovsky enko imir ovna ushka ichev",
    ),
    "Japanese": (
        "Japan",
        "Hiroshi Takeshi Kenji Yuki Akira Haruki Keiko Yoko Satoshi Naoko Kazuo Masao",
        "Tak Yosh Kaz Har Mor Shin Nak Fuj",
        "ishiro amoto emitsu ikawa otaro umiko",
    ),
    "Polish": (
        "Poland",
        "Stanisław Kazimierz Zbigniew Wojciech Agnieszka Tadeusz Jerzy Grzegorz Bogdan Jadwiga Paweł",
        "Wiel Kaczm Grz Jab Kow Lew Szcz Wró",
        "owicz ewski arek ysław niewska czyk",
    ),
    "Greek": (
        "Greece",
        "Nikos Giorgos Dimitris Kostas Yannis Stavros Eleni Spyros Manolis Vasilis Christos Katerina",
        "Papad Theod Kar Anag Mich Stam Dem Xen",
        "opoulos akis oros antis ides ophon",
    ),
    "Irish": (
        "Ireland",
        "Seamus Sean Siobhan Liam Aoife Eoin Brendan Niamh Cormac Declan Padraig Fergus",
        "O'Dal O'Ruar McDer O'Keev McGil Con Fionn O'Shaugh",
        "naghan nessy lough more murry lachlan",
    ),
    "Arabic": (
        "Egypt",
        "Ahmed Mohammed Hassan Mustafa Omar Fatima Khalid Ibrahim Youssef Abdullah Tariq Hussein",
        "Abd Khal Mahm Sal Faq Nas Haf Rash",
        "ullah eem ouddin iya ajid imah",
    ),
}
LANGUAGE_TEMPLATES = (
    "The native language of {n} is [MASK].",
    "{n} is a common [MASK] name.",
    "{n} speaks [MASK] at home.",
)
COUNTRY_TEMPLATES = ("{n} was born in [MASK].", "{n} comes from [MASK].")


def invented(language: str) -> list[str]:
    """All invented names of a language: each stem with each ending, real names left out."""
    _, real, stems, endings = NAMES[language]
    return sorted({stem + ending for stem in stems.split() for ending in endings.split()} - set(real.split()))


@builder("name_origin")
def name_origin(n: int, seed: int) -> list[Cloze]:
    """Cloze items whose answer is the language or the country a name comes from; real and invented names in turn.

    ``meta["answer"]`` says which of the two is asked; languages come round in turn, so a constant guess is right for
    one item in ten (poerner2019).
    """
    random_ = draw.rng("name_origin", seed)
    pools = {
        (language, made): draw.some(names, len(names), random_)
        for language, entry in NAMES.items()
        for made, names in ((False, entry[1].split()), (True, invented(language)))
    }
    languages = list(NAMES)
    items: list[Cloze] = []
    for i in range(n):
        turn, which = divmod(i, len(languages))
        language, made = languages[which], bool(turn % 2)
        pool = pools[language, made]
        round_, place = divmod(turn // 2, len(pool))
        templates = LANGUAGE_TEMPLATES + COUNTRY_TEMPLATES
        if round_ >= len(templates):
            break  # the shortest list of names is used up with every template
        t = (round_ + place) % len(templates)
        answer = language if t < len(LANGUAGE_TEMPLATES) else NAMES[language][0]
        items.append(
            Cloze(
                id=f"name_origin-{pool[place]}-{t}",
                condition="invented" if made else "real",
                text=templates[t].replace("{n}", pool[place]),
                answers=(answer,),
                meta={
                    "name": pool[place],
                    "invented": made,
                    "language": language,
                    "answer": "language" if answer == language else "country",
                },
            )
        )
    return items
