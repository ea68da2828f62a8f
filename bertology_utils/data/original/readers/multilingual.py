"""Text in many languages: Tatoeba (artetxe2019laser), XQuAD's paragraphs (artetxe2019), the treebanks of PUD (zeman2017).

Languages go by their two-letter code where they have one: ``de``, not ``deu``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bertology_utils.data.items import Sentence, Translation
from bertology_utils.data.original.conllu import Block, blocks, sentence
from bertology_utils.data.original.reading import Files, ReaderError, lines, reader
from bertology_utils.data.text import words

# ISO 639-3 (or a member of a macrolanguage) to ISO 639-1, for the languages of the Tatoeba set that have such a code.
_CODES = """
    afr=af amh=am ara=ar aze=az bel=be ben=bn bos=bs bre=br bul=bg cat=ca ces=cs cha=ch cmn=zh cor=kw cym=cy
    dan=da deu=de ell=el eng=en epo=eo est=et eus=eu fao=fo fin=fi fra=fr fry=fy gla=gd gle=ga glg=gl heb=he
    hin=hi hrv=hr hun=hu hye=hy ido=io ile=ie ina=ia ind=id isl=is ita=it jav=jv jpn=ja kat=ka kaz=kk khm=km
    kor=ko kur=ku lat=la lit=lt lvs=lv mal=ml mar=mr mkd=mk mon=mn nld=nl nno=nn nob=nb oci=oc pes=fa pol=pl
    por=pt ron=ro rus=ru slk=sk slv=sl spa=es sqi=sq srp=sr swe=sv swh=sw tam=ta tat=tt tel=te tgl=tl tha=th
    tuk=tk tur=tr uig=ug ukr=uk urd=ur uzb=uz vie=vi xho=xh yid=yi zsm=ms"""
TWO_LETTERS = dict(pair.split("=") for pair in _CODES.split())


@reader("tatoeba_laser", "translations")
def tatoeba(files: Files) -> Iterator[Translation]:
    """Up to 1,000 sentences a language with their English translations; `condition` is the other language's code.

    Scripts without spaces are not segmented: Chinese characters are words of their own, else a word ends at a space.
    """
    for name in files.names("data/tatoeba/v1/tatoeba.*-eng.eng"):
        code = name.rsplit("/", 1)[1].split(".")[1].removesuffix("-eng")
        language = TWO_LETTERS.get(code, code)
        for number, other, text in files.together(name.removesuffix("eng") + code, name, blank=True):
            id_ = f"{language}/{number}"
            yield Translation(
                id=id_,
                condition=language,
                sentences={
                    "en": Sentence(id=f"{id_}/en", condition="en", words=words(text)),
                    language: Sentence(id=f"{id_}/{language}", condition=language, words=words(other)),
                },
            )


def pud_blocks(files: Files) -> Iterator[tuple[str, Block]]:
    """(language code, block) of each of the eight treebanks."""
    for name in files.names("*/*_pud-ud-test.conllu"):
        language = name.rsplit("/", 1)[1].split("_")[0]
        yield from ((language, block) for block in blocks(files[name]))


@reader("ud_pud_multilingual", "multilingual_treebank")
def pud(files: Files) -> Iterator[Sentence]:
    """The same 1,000 sentences in each of eight languages; `meta["parallel"]` joins translations."""
    for language, block in pud_blocks(files):
        one = sentence(block, condition=language, meta={"parallel": block.id})
        yield replace(one, id=f"{language}/{block.id}")


@reader("ud_pud_multilingual", "translations")
def pud_translations(files: Files) -> Iterator[Translation]:
    """Each sentence in the eight languages and in English, whose text stands beside six of the treebanks."""
    together: dict[str, dict[str, Sentence]] = {}
    english: dict[str, str] = {}
    for language, block in pud_blocks(files):
        together.setdefault(block.id, {})[language] = sentence(block, condition=language)
        if "text_en" in block.comments:
            english.setdefault(block.id, block.comments["text_en"])
    for id_, sentences in together.items():
        if id_ not in english:
            files.left_out("sentences without their English text")
            continue
        sentences["en"] = Sentence(id=id_, condition="en", words=words(english[id_]))
        yield Translation(id=id_, sentences=sentences)


@reader("xquad_paragraphs", "translations")
def xquad(files: Files) -> Iterator[Translation]:
    """The first third of the words of 240 paragraphs, each in all twelve languages.

    A whole paragraph is longer than the rows of a small model. Sentences are not told apart, since they begin and end elsewhere
    in a translation; where a third ends, what two languages say may differ by some words.
    """
    ids = [line for _, line in lines(files["ids.txt"])]
    said: dict[str, list[str]] = {}
    for name in files.names("??.txt"):
        path = files[name]
        said[name[:2]] = [line.removeprefix("\ufeff") for _, line in lines(path)]
        if len(said[name[:2]]) != len(ids):
            raise ReaderError(path, len(ids), f"{len(said[name[:2]])} paragraphs for {len(ids)} names")
    for k, id_ in enumerate(ids):
        sentences = {}
        for code, paragraphs in said.items():
            whole = words(paragraphs[k])
            sentences[code] = Sentence(id=f"{id_}/{code}", condition=code, words=whole[: max(len(whole) // 3, 1)])
        yield Translation(id=id_, sentences=sentences)
