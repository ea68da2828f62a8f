"""Given names and the country or language they sound like, real ones and invented ones (Poerner 2019).

An invented name is a beginning and an ending typical of its language, put together blindly. A few of the results may be
borne by someone; as a whole, a right guess comes from the sound (the pieces), not from having read about a person.
"""

from __future__ import annotations

from bertology_utils.data.items import Cloze

from . import builder, draw

WORDS = draw.table("words.yaml")["names"]
# language: (country, real given names, stems and endings of invented ones)
NAMES = WORDS["names"]
LANGUAGE_TEMPLATES = WORDS["language_templates"]
COUNTRY_TEMPLATES = WORDS["country_templates"]


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
