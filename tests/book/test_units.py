"""Where the parts of a chapter's units stand on its page."""

import pytest
from docutils.nodes import container, literal_block, paragraph, raw, section, title

from bertology_utils.book.folding import CARD, FIGURE, LIVE, UNDECIDED
from bertology_utils.book.units import FOLDED, MORE, MOST, ROWS, SHORT, arrange


def cell(*parts, text=""):
    inside = [literal_block(text, text)] if text else []
    return container("", *inside, classes=["cell", *(f"tag_{part}" for part in parts)])


def arranged(*children):
    unit = section("", title("", "Does it?"), *children)
    arrange(None, unit)
    return unit.children[1:]


def folds(children):
    return [k for k, child in enumerate(children) if child.tagname == "raw" and "<details" in child.astext()]


def test_a_figure_stands_beside_question_and_answer():
    question, live, figure, note, numbers, card = (
        paragraph("", "Short."), cell(LIVE), cell("hide-input", FIGURE), paragraph("", "And so."), cell(FOLDED), cell(CARD),
    )  # fmt: skip
    unit, below = arranged(question, live, figure, note, numbers, card)
    words, picture = unit.children
    assert words.children == [question, live, note] and picture.children == [figure, numbers] and below is card


def test_a_long_question_has_the_page_s_width():
    long = paragraph("", "x" * SHORT)
    first, unit, _ = arranged(long, cell(LIVE), cell(FIGURE), cell(CARD))
    assert first is long and len(unit.children[0].children) == 1


def test_several_things_folded_under_a_figure_are_one_fold():
    numbers = [cell(FOLDED), cell(FOLDED)]
    unit, _ = arranged(cell(FIGURE), *numbers, cell(CARD))
    picture = unit.children[1].children
    assert folds(picture) == [1] and picture[2:4] == numbers


def test_two_claims_under_one_heading_keep_their_cards_apart():
    first, second = cell(CARD), cell(CARD)
    made = arranged(cell(FIGURE), first, cell(FIGURE), second)
    assert [child["classes"][0] for child in made] == ["unit", "cell", "unit", "cell"] and made[1::2] == [first, second]


def test_what_such_a_claim_shows_unfolded_stays_in_sight():
    question, points, card = paragraph("", "Does it?"), cell("hide-input"), cell(CARD, UNDECIDED)
    run = paragraph("", "What follows.")
    *seen, opening, under, _ = arranged(question, points, run, card)
    assert seen == [question, points, card] and "What was run" in opening.astext() and under is run


def test_steps_in_code_come_last():
    step, between, figure, card = cell(), paragraph("", "Then."), cell(FIGURE), cell(CARD)
    unit, below, opening, *steps, _ = arranged(paragraph("", "Take it apart."), step, between, figure, card)
    assert below is card and "<details" in opening.astext() and steps[1:] == [step]
    assert unit.children[0].children == [between]


@pytest.mark.parametrize("lines, cut", [(ROWS, False), (ROWS + MORE, False), (ROWS + MORE + 1, True)])
def test_a_long_answer_is_cut_and_nothing_of_it_lost(lines, cut):
    text = "".join(f"line {k}\n" for k in range(lines))
    live = cell(LIVE, text=text)
    arranged(live, cell(FIGURE), cell(CARD))
    blocks = list(live.findall(literal_block))
    assert len(blocks) == 1 + cut and "".join(b.astext() for b in blocks) == text
    assert blocks[0].astext().count("\n") == (ROWS if cut else lines)


@pytest.mark.parametrize("answers, shown", [(3, 2 + 3), (ROWS, 2 + ROWS), (MOST, MOST)])
def test_a_cut_answer_ends_after_an_item_that_has_been_answered(answers, shown):
    """Also where that item alone is longer than what is shown of others, unless it is very long."""
    text = "".join(f"item {k}\n" + answers * "  answer\n" for k in range(4))
    live = cell(LIVE, text="preamble\n" + text)
    arranged(live, cell(FIGURE), cell(CARD))
    seen, more = live.findall(literal_block)
    assert seen.astext().count("\n") == shown and more.astext().startswith("  answer" if answers == MOST else "item 1")


AGREEMENT, NEGATION, MALFORMED = "syn.agreement.goldberg2019", "syn.negation.ettinger2019", "syn.malformed.ettinger2019"


def card(claim, *parts):
    made = cell(CARD, *parts)
    made.append(raw("", f'<section class="claim-card" id="{claim}"></section>', format="html"))
    return made


def page(*units):
    tree = section("", *(section("", title("", "Does it?"), *unit) for unit in units))
    arrange(None, tree)
    return [unit.children[1:] for unit in tree.children]


def drawn(node):
    return [text.astext().count("<svg") for text in node.findall(raw)].count(1)


def linked(node):
    return [text.astext() for text in node.findall(raw) if "method-link" in text.astext()]


def test_a_method_is_drawn_under_the_question_that_first_needs_it_and_linked_afterwards():
    one, other, third = (
        [paragraph("", "Short."), cell(LIVE), cell(FIGURE), card(id)] for id in (AGREEMENT, MALFORMED, NEGATION)
    )
    first, another, same = page(one, other, third)
    assert [drawn(unit[0]) for unit in (first, another, same)] == [1, 1, 0]
    words, _, drawing = first[0].children
    assert words[0] is one[0] and 'id="method-minimal_pair"' in drawing.astext() and not linked(first[0])
    assert "#method-minimal_pair" in linked(third[0])[0] and not linked(other[0])


def chapter(*units):
    """A chapter of such units, then a last section without claims; its sections."""
    whole = section("", title("", "Syntax"), *(section("", title("", "Does it?"), *unit) for unit in units))
    whole += section("", title("", "Exercise"), cell(text="1 + 1"))
    arrange(None, whole)
    return whole.children[1:]


def test_claims_that_nobody_decided_have_lines_in_one_table_after_the_last_claim_and_their_units_in_a_fold():
    question, items, rest = (
        paragraph("", "Does it?"),
        cell(FOLDED),
        [paragraph("", "Short."), cell(FIGURE), card(NEGATION)],
    )
    decided, gathered, exercise = chapter([question, items, card(AGREEMENT, UNDECIDED)], rest)
    _, lines, opening, units, _ = gathered.children
    assert rest[-1] in decided.children and exercise.children[0].astext() == "Exercise"
    assert f'<tr id="{AGREEMENT}">' in lines.astext() and lines.astext().count("<tr id=") == 1
    assert "<details" in opening.astext() and units.children[0].children[1:] == [question, items]


def test_a_chapter_whose_claims_are_decided_has_no_such_table():
    assert len(chapter([paragraph("", "Short."), cell(FIGURE), card(NEGATION)])) == 2


def test_a_claim_that_nobody_decided_leaves_the_drawing_to_the_next():
    question = paragraph("", "Does it?")
    decided, *_ = chapter(
        [question, cell(FOLDED), card(AGREEMENT, UNDECIDED)], [paragraph("", "Short."), cell(FIGURE), card(NEGATION)]
    )
    assert linked(question) and any(map(drawn, decided.children))


def test_a_method_of_undecided_claims_alone_is_drawn_in_their_fold():
    gathered, _ = chapter([paragraph("", "Does it?"), cell(FOLDED), card(AGREEMENT, UNDECIDED)])
    assert "<svg" in gathered.children[-2].children[0].children[-1].astext()


def test_steps_before_the_parts_of_a_chapter_are_folded_where_they_stand():
    words, step, output = paragraph("", "Two texts."), cell(), cell()
    whole = section(
        "", title("", "Tuning"), words, step, output, section("", title("", "Does it?"), paragraph("", "Short."))
    )
    arrange(None, whole)
    _, opening, *steps, _, part = whole.children
    assert "<details" in opening.astext() and steps == [words, step, output] and part.tagname == "section"


def test_a_claim_without_a_method_has_no_drawing():
    (unit,) = page([paragraph("", "Short."), cell(FIGURE), card("siz.table1")])
    assert not drawn(unit[0]) and not linked(unit[0])


def test_of_a_claim_that_varies_another_s_question_all_but_the_card_is_folded():
    first, brief = [cell(FIGURE), card(AGREEMENT)], [paragraph("", "Short."), cell(FIGURE), card(NEGATION, "brief")]
    unit, above, below, opening, folded_in, closing = arranged(*first, *brief)
    assert [above, below] == [first[1], brief[2]] and folds([opening]) == [0] and closing.astext() == "</details>"
    assert unit["classes"] == folded_in["classes"] == ["unit"] and "#method-minimal_pair" in linked(folded_in)[0]
