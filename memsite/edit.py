"""Text and Edit -> text: the four operations of EditMemory, as pure functions.

An edit changes the characters it was asked to change and nothing else: front matter, byte order
mark, line ends and a missing final line end stay. Inserted text takes the line end of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Literal, TypeAlias, get_args

from memsite.errors import (
    BadArgument,
    BadEncoding,
    MatchCount,
    SectionAmbiguous,
    SectionNotFound,
    WikiLinkRequired,
)
from memsite.markdown import parse
from memsite.markdown.sections import Section, body_start, sections, wikilinks
from memsite.note import Finding
from memsite.wording import plural

Operation: TypeAlias = Literal["append", "prepend", "find_replace", "replace_section"]

BOM = "\ufeff"
_CONVERT = "Convert it, naming the encoding it has: iconv -f ENCODING -t UTF-8 FILE."
_LINE_END = re.compile(r"\r?\n")
_LINE_REST = re.compile(r"(?:[ \t]|\r(?!\n))*")
_FIRST_BLANK_LINES = re.compile(r"(?:[ \t]*\r?\n)*")
_LEVEL = re.compile(r"(#{1,6})[ \t]+(.+)")
_DATE_KEY = re.compile(
    r"^(?:modified|updated)[ \t]*:(?P<gap>[ \t]*)(?P<quote>[\"']?)(?P<value>[^\"'#|>&*\[{!\r\n]*?)(?P=quote)"
    r"(?=[ \t]*(?:[ \t]\#[^\r\n]*)?\r?$)",
    re.MULTILINE,
)
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d"
    r"(?:(?P<t>[Tt ])\d\d:\d\d(?P<seconds>:\d\d(?P<part>\.\d+)?)?[ ]?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to be done to the text of a note.

    `expected_count` is how often `find` must stand there; 0 asks that it does not stand there at all.
    `section` is a heading's exact text, `## Text` or `Parent/Text`; `nth` (from 1) picks one of several.
    """

    operation: Operation
    text: str
    find: str | None = None
    expected_count: int | None = None
    section: str | None = None
    nth: int | None = None
    tight: bool = False
    """append, prepend: no blank line between old and new text, so that list items stay together."""
    own_text_only: bool = False
    """replace_section: keep the sub-sections."""
    whole_file: bool = False
    """find_replace: search the front matter as well; several matches then need `expected_count`."""
    allow_unlinked: bool = False
    """Lifts the rule that new text and result hold a WikiLink."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The text after an edit, in how many places it changed, and what there is to say about it."""

    text: str
    count: int
    remarks: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def apply(text: str, edit: Edit, *, now: datetime | None = None) -> Edited:
    """Do `edit` to the text of a whole file, front matter included.

    A `modified:` or `updated:` key that is there already gets the time `now` if anything changed.
    Raises MatchCount (E008), SectionNotFound (E009), SectionAmbiguous (E010), WikiLinkRequired (E007),
    BadEncoding (E012) for new text that is no Unicode, and BadArgument (E019).
    """
    if edit.operation not in get_args(Operation):
        raise BadArgument(
            f"There is no operation '{edit.operation}'.", hint=f"One of {', '.join(get_args(Operation))}."
        )
    encode(edit.text)
    edited = _OPERATIONS[edit.operation](text, edit)
    if edited.text == text:
        return edited
    if not edit.allow_unlinked:
        _require_links(text, edit, edited)
    if now is None:
        return edited
    return Edited(with_time(edited.text, now), edited.count, edited.remarks, edited.findings)


def apply_to_bytes(content: bytes, edit: Edit, *, now: datetime | None = None) -> tuple[bytes, Edited]:
    """As `apply`, on the bytes of a file. Raises BadEncoding (E012) where either side is not UTF-8."""
    edited = apply(decode(content), edit, now=now)
    return encode(edited.text), edited


def decode(content: bytes) -> str:
    """The text of a file, byte order mark included. Raises BadEncoding (E012)."""
    if content.count(0) * 3 > len(content) or content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadEncoding("The file is not UTF-8.", hint=_CONVERT)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadEncoding(
            f"The file is not UTF-8: first bad byte at offset {error.start}.",
            hint=_CONVERT,
            offset=error.start,
        ) from None


def encode(text: str) -> bytes:
    """Raises BadEncoding (E012) for text that came from bytes which were not UTF-8."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadEncoding("The new text is not valid UTF-8.", hint="Convert it first.") from None


def line_end(text: str) -> str:
    """The line end that most lines of `text` have; a line feed when there is none."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


# The operations ------------------------------------------------------------------------------


def append(text: str, edit: Edit) -> Edited:
    return Edited(_join_end(text, body_start(text), _new_text(text, edit), edit), 1)


def prepend(text: str, edit: Edit) -> Edited:
    start, end = body_start(text), line_end(text)
    addition = _new_text(text, edit)
    place = _first_line(text, start)
    if place == len(text):
        return Edited(_join_end(text, start, addition, edit), 1)
    gap = end if edit.tight else end * 2
    return Edited(text[:place] + addition + gap + text[place:], 1)


def find_replace(text: str, edit: Edit) -> Edited:
    if not edit.find:
        raise BadArgument("find_replace needs the text to find.", hint="Give it with --find-text (findText).")
    start = 0 if edit.whole_file else body_start(text)
    literal = r"\r?\n".join(re.escape(part) for part in _LINE_END.split(edit.find))
    places = [match.span() for match in re.compile(literal).finditer(text, start)]
    _require_count(len(places), edit)
    addition = _LINE_END.sub(lambda _: line_end(text), edit.text)
    pieces, done = [], 0
    for begin, end in places:
        pieces += [text[done:begin], addition]
        done = end
    changed = "".join([*pieces, text[done:]])
    return Edited(changed, len(places), findings=_nested_links(text, places, addition))


def replace_section(text: str, edit: Edit) -> Edited:
    outline = sections(text)
    section = choose_section(text, edit, outline)
    inner = [each for each in outline if section.start < each.start < section.end]
    stop = inner[0].start if inner and edit.own_text_only else section.end
    addition = _LINE_END.sub(lambda _: line_end(text), _trimmed(_without_heading(edit.text, section)))
    before, after, end = text[: section.body_start], text[stop:], line_end(text)
    if not before.endswith("\n"):
        before += end
    remarks = [f"removes section {each.heading.text}" for each in inner if not edit.own_text_only]
    remarks += [f"adds section {name}" for name in _added_sections(addition, section)]
    changed = before + _between(addition, text, after, end)
    kept = [each.heading.text for each in outline if each.start >= stop]
    if kept and [each.heading.text for each in sections(changed)][-len(kept) :] != kept:
        remarks.append(f"hides section {kept[0]}: the new text leaves a block open")
    return Edited(changed, 1, tuple(remarks))


_OPERATIONS: dict[str, Callable[[str, Edit], Edited]] = {
    "append": append,
    "prepend": prepend,
    "find_replace": find_replace,
    "replace_section": replace_section,
}


def _new_text(text: str, edit: Edit) -> str:
    addition = _trimmed(edit.text)
    if not addition.strip():
        raise BadArgument("There is nothing to add: the new text is empty.", hint="Give some text.")
    return _LINE_END.sub(lambda _: line_end(text), addition)


def _trimmed(addition: str) -> str:
    """New text without byte order mark and without blank lines at its ends."""
    whole = addition.removeprefix(BOM)
    first = _first_line(whole, 0)
    return whole[first : max(first, _last_line(whole))]


def _first_line(text: str, start: int) -> int:
    """Where the first line begins that is not blank, from the line start `start` on; else the end."""
    blank = _FIRST_BLANK_LINES.match(text, start)
    place = blank.end() if blank else start
    return place if text[place:].strip(" \t") else len(text)


def _last_line(text: str) -> int:
    """Where the last line ends that is not blank, without its line end."""
    rest = _LINE_REST.match(text, len(text.rstrip(" \t\r\n")))
    return rest.end() if rest else len(text)


def _join_end(text: str, start: int, addition: str, edit: Edit) -> str:
    """`addition` after the last line of the body that begins at `start`, and one final line end."""
    end = line_end(text)
    if _first_line(text, start) == len(text):
        head = text[:start]
        if head in ("", BOM):
            return head + addition + end
        return head + ("" if head.endswith("\n") else end) + end + addition + end
    head = text[: _last_line(text)]
    rest = _LINE_END.match(text, len(head))
    return head + (rest.group() if rest else end) + ("" if edit.tight else end) + addition + end


def _between(addition: str, text: str, after: str, end: str) -> str:
    """What stands between a heading and `after`, a blank line around the new text."""
    if after:
        return (end + addition + end + end if addition else end) + after
    last = end if text.endswith("\n") else ""
    return end + addition + last if addition else ""


def _require_count(count: int, edit: Edit) -> None:
    expected = edit.expected_count
    if expected is None and (count == 1 or (count and not edit.whole_file)):
        return
    if expected is not None and expected == count:
        return
    wanted = expected if expected is not None else "a count" if count else "at least 1"
    raise MatchCount(
        f"The text to find occurs {plural(count, 'time')}, expected {wanted}.",
        hint="Nothing was changed. Read the note again and give the text exactly, or another count.",
        found=count,
        expected=expected,
    )


def _nested_links(text: str, places: Sequence[tuple[int, int]], addition: str) -> tuple[Finding, ...]:
    """W007 where a replacement that brings brackets stands inside the brackets of a link."""
    if "[[" not in addition:
        return ()
    findings, shift = [], 0
    for begin, end in places:
        line_start, line_stop = text.rfind("\n", 0, begin) + 1, (text + "\n").find("\n", end)
        opened = text.rfind("[[", line_start, begin)
        closed = text.find("]]", end, line_stop)
        if opened >= 0 and closed >= 0 and "]]" not in text[opened:begin]:
            whole = text[opened : closed + 2]
            line = text.count("\n", 0, begin) + 1 + shift
            hint = f"To replace the link itself, find '{whole}'."
            message = "the replaced text stands inside a link, which now has nested brackets"
            findings.append(Finding("W007", line, opened - line_start + 1, message, hint))
        shift += addition.count("\n") - text.count("\n", begin, end)
    return tuple(findings)


# Sections ------------------------------------------------------------------------------------


def choose_section(text: str, edit: Edit, outline: Sequence[Section]) -> Section:
    """The one section that `edit.section` names.

    Raises SectionNotFound (E009) or SectionAmbiguous (E010) with the line numbers of all that fit.
    """
    name = (edit.section or "").strip()
    if not name:
        raise BadArgument(
            "replace_section needs the name of the section.",
            hint="Give the text of its heading with --section-name (sectionName).",
        )
    fits = find_sections(name, outline)
    if not fits:
        raise _no_section(text, name, outline)
    if edit.nth is not None:
        if 1 <= edit.nth <= len(fits):
            return fits[edit.nth - 1]
        raise SectionNotFound(f"There is no section '{name}' number {edit.nth}; there are {len(fits)}.")
    if len(fits) > 1:
        lines = ", ".join(f"{_outline_path(each)} line {each.heading.line}" for each in fits)
        raise SectionAmbiguous(
            f"{len(fits)} sections are called '{name}': {lines}.",
            hint="Give 'Parent/Name', or its number: --nth.",
            lines=[each.heading.line for each in fits],
            candidates=[_outline_path(each) for each in fits],
        )
    return fits[0]


def find_sections(name: str, outline: Sequence[Section]) -> list[Section]:
    """All sections that `name` fits: by visible text, else heading source, else path, else `## Text`."""
    for fits in (_is_called, _is_written, _is_at):
        found = [each for each in outline if fits(each, name)]
        if found:
            return found
    level = _LEVEL.fullmatch(name)
    if not level:
        return []
    depth, rest = len(level[1]), level[2].strip()
    return find_sections(rest, [each for each in outline if each.heading.level == depth])


def _is_called(section: Section, name: str) -> bool:
    return section.heading.text == name


def _is_written(section: Section, name: str) -> bool:
    return section.source == name


def _is_at(section: Section, name: str) -> bool:
    """Whether `name` is the path of the section from any of its parents on."""
    parents = section.parents
    paths = ("/".join((*parents[start:], section.heading.text)) for start in range(len(parents)))
    return name in paths


def _outline_path(section: Section) -> str:
    return "/".join((*section.parents[-1:], section.heading.text))


def _no_section(text: str, name: str, outline: Sequence[Section]) -> SectionNotFound:
    names = list(dict.fromkeys(each.heading.text for each in outline))
    folded = {each.casefold(): each for each in names}
    bare = _LEVEL.sub(r"\2", name).rpartition("/")[2].casefold()
    near = [each for key, each in folded.items() if key == bare or (bare and key.startswith(bare))]
    near += [folded[key] for key in get_close_matches(bare, folded, n=3) if folded[key] not in near]
    hidden = _hidden_heading(text, bare, {each.heading.line for each in outline})
    if hidden:
        hint = f"Line {hidden} stands inside a quote, list, code or comment: not the top level."
    elif near:
        hint = "Did you mean " + " or ".join(f"'{each}'" for each in near[:3]) + "?"
    else:
        shown = ", ".join(f"'{each}'" for each in names[:8])
        hint = f"Headings: {shown}." if names else "The note has no headings."
    return SectionNotFound(f"There is no section '{name}'.", hint=hint, near=near[:3], sections=names)


def _hidden_heading(text: str, folded_name: str, top: Container[int]) -> int | None:
    """The line of something that looks like the heading but stands where headings do not count."""
    for number, line in enumerate(text.split("\n"), 1):
        level = _LEVEL.fullmatch(line.strip().lstrip(">-*+ \t"))
        if number not in top and level and level[2].rstrip("# \t").casefold() == folded_name:
            return number
    return None


def _without_heading(addition: str, section: Section) -> str:
    """New text without a first heading that says the same as the one that stays."""
    trimmed = _trimmed(addition)
    outline = sections(trimmed)
    if not outline or outline[0].start != 0:
        return addition
    first = outline[0]
    same = first.heading.text == section.heading.text and first.heading.level == section.heading.level
    return trimmed[first.body_start :] if same else addition


def _added_sections(addition: str, section: Section) -> list[str]:
    return [each.heading.text for each in sections(addition) if each.heading.level <= section.heading.level]


# Rules ---------------------------------------------------------------------------------------


def _require_links(text: str, edit: Edit, edited: Edited) -> None:
    """An edit brings a link and leaves a link, so that it never cuts a note off the graph (E007)."""
    if not wikilinks(edit.text):
        raise _no_link("The new text holds no [[WikiLink]] outside code.", text)
    # A replacement inside a link leaves nested brackets: asked for, done, and reported as W007.
    if not edited.findings and not wikilinks(edited.text):
        raise _no_link("The note would be left without a [[WikiLink]].", text)


def known_concepts(text: str, *, limit: int = 3) -> list[str]:
    """The first few things that the note already links to, whole notes before parts of notes."""
    targets = dict.fromkeys(link.target for link in wikilinks(text))
    return sorted(targets, key=lambda target: "#" in target)[:limit]


def _no_link(message: str, text: str) -> WikiLinkRequired:
    known = known_concepts(text)
    shown = ", ".join(f"[[{each}]]" for each in known)
    such = f"Name a concept, such as {shown}" if known else "Add [[a concept]]"
    return WikiLinkRequired(
        message, hint=f"{such}; --allow-unlinked lifts the rule for one edit.", concepts=known
    )


def with_time(text: str, now: datetime) -> str:
    """`text` with `now` as value of a `modified:` or `updated:` key that its front matter has already.

    The new value is UTC and has the shape and quotes of the old one. A block that is not valid YAML stays.
    """
    start = body_start(text)
    block = text[:start]
    if not _DATE_KEY.search(block) or not parse(block.encode("utf-8", "replace")).front_matter_ok:
        return text
    return _DATE_KEY.sub(lambda key: _timed(key, now.astimezone(UTC)), block) + text[start:]


def _timed(key: re.Match[str], now: datetime) -> str:
    begin, end = key.span("value")
    whole, offset = key.group(), key.start()
    gap = "" if key["gap"] else " "
    return whole[: begin - offset] + gap + _moment_like(key["value"], now) + whole[end - offset :]


def _moment_like(old: str, now: datetime) -> str:
    shape = _MOMENT.fullmatch(old.strip())
    if shape is None:
        return now.strftime("%Y-%m-%dT%H:%M:%SZ")
    if not shape["t"]:
        return now.strftime("%Y-%m-%d")
    clock = "%H:%M" if not shape["seconds"] else "%H:%M:%S"
    part = f".{now.microsecond:06d}"[: len(shape["part"])] if shape["part"] else ""
    zone = {None: "", "Z": "Z"}.get(shape["zone"], "+00:00")
    return now.strftime(f"%Y-%m-%d{shape['t']}{clock}") + part + zone
