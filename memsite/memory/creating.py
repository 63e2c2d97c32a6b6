"""Making a note: an entry with its index row, or a topic with its line in MEMORY.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, TypeAlias
from unicodedata import category, normalize

from memsite.edit import Edit, apply_to_bytes, encode
from memsite.errors import BadArgument, NoStore
from memsite.memory.answers import Written
from memsite.memory.integrity import MEMORY_FILE, note_problems, store_problems
from memsite.memory.writing import index_name, note_at, read_index, row_like, unified
from memsite.note import address_of
from memsite.stores.disk import checksum_of
from memsite.stores.files import Change, WritableStore

if TYPE_CHECKING:
    from memsite.memory import Memory
    from memsite.stores import Store

NewKind: TypeAlias = Literal["tip", "compact", "topic"]
PREFIXES: Mapping[str, str] = {"tip": "TIP", "compact": "MEM"}
TOPIC_TYPES = ("user", "feedback", "project", "reference")
_LONGEST_NAME = 80
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NewNote:
    """What a new note shall be. `type` and `description` are for topics."""

    kind: NewKind
    title: str
    text: str = ""
    tags: tuple[str, ...] = ()
    type: str | None = None
    description: str = ""


def new_note(
    memory: Memory, wanted: NewNote, *, store_name: str | None, dry_run: bool, now: datetime
) -> Written:
    """Make the note; never takes a name that is in use.

    Raises BadArgument (E019) for a title that makes no name, NoStore (E001) where no store fits,
    IndexUnreadable (E014) before anything is written.
    """
    wanted = _checked(wanted)
    store = _store_for(memory, wanted, store_name)
    with memory.open_for_writing(store, dry_run=dry_run) as writable:
        path, content, changes, rows = _plan(store, writable, wanted, now)
        tx = None
        if not dry_run:
            tx = writable.commit(
                "new", changes, now=now, addresses=[address_of(store.name, path)], rows=rows
            ).tx
        remarks = (*writable.recovered, *_remarks(store, wanted, changes))
    note = note_at(memory, store, path, content)
    problems = note_problems(store, note, content, config=memory.config.check)
    if not dry_run:
        problems += store_problems(memory, store)
    return Written(
        operation="new",
        address=note.address,
        store=store.name,
        path=f"{store.prefix}{path}",
        old_checksum=None,
        new_checksum=checksum_of(content),
        changed=True,
        dry_run=dry_run,
        diff="".join(_diffs(changes)),
        tx=tx,
        remarks=remarks,
        problems=problems,
        appeared=problems,
    )


def _checked(wanted: NewNote) -> NewNote:
    title = " ".join("".join(" " if category(char)[0] == "C" else char for char in wanted.title).split())
    if not title.strip(". "):
        raise BadArgument("A title needs more than dots and blanks.", hint="Give another title.")
    if wanted.kind not in (*PREFIXES, "topic"):
        raise BadArgument(f"There is no kind of note '{wanted.kind}'.", hint="One of tip, compact, topic.")
    if wanted.type is not None and wanted.kind == "topic" and wanted.type not in TOPIC_TYPES:
        raise BadArgument(f"There is no type '{wanted.type}'.", hint=f"One of {', '.join(TOPIC_TYPES)}.")
    if wanted.kind in PREFIXES and (wanted.type or wanted.description):
        raise BadArgument(f"A {wanted.kind} has no type and no description.", hint="They are for a topic.")
    given = (tag for tags in wanted.tags for tag in tags.split(","))
    tags = [" ".join(tag.strip().lstrip("#").split()) for tag in given]
    encode(wanted.text + wanted.title)
    return NewNote(
        wanted.kind,
        title,
        wanted.text,
        tuple(dict.fromkeys(tag for tag in tags if tag)),
        wanted.type,
        " ".join(wanted.description.split()),
    )


def _store_for(memory: Memory, wanted: NewNote, name: str | None) -> Store:
    if name is not None:
        store = memory.store(name)
        if wanted.kind in PREFIXES and store.kind != "workflow":
            raise BadArgument(f"A {wanted.kind} belongs in a workflow store; '{name}' is not one.")
        return store
    kind = "workflow" if wanted.kind in PREFIXES else "system"
    fitting = sorted(
        (each for each in memory.stores if each.kind == kind), key=lambda s: index_name(s) is None
    )
    if not fitting:
        place = ".workflow/memory" if kind == "workflow" else ".claude/memory"
        raise NoStore(
            f"There is no {kind} store to put it in.",
            hint=f"Begin one: `mkdir -p {place}`.",
        )
    return fitting[0]


def _plan(
    store: Store, writable: WritableStore, wanted: NewNote, now: datetime
) -> tuple[str, bytes, list[Change], list[Mapping[str, object]]]:
    """The new file first, then what names it: no index ever names a file that is not there."""
    taken = {_folded(path) for path in _names(writable)}
    if wanted.kind in PREFIXES:
        return _plan_entry(store, writable, wanted, taken=taken, now=now)
    name = _topic_name(wanted.title)
    path = f"{name}.md"
    if _folded(path) in taken:
        raise BadArgument(f"'{path}' exists already.", hint="Edit it, or give another title.")
    content = encode(_topic_text(wanted))
    changes = [Change(path, None, content)]
    rows: list[Mapping[str, object]] = []
    if store.kind == "system":
        changes.append(_memory_line(writable, wanted, path))
        rows.append({"line": _line(wanted, path), "added": True})
    return path, content, changes, rows


def _names(writable: WritableStore) -> list[str]:
    return [each.name for each in writable.root.iterdir()]


def _folded(name: str) -> str:
    return normalize("NFC", name).casefold()


def _plan_entry(
    store: Store, writable: WritableStore, wanted: NewNote, *, taken: set[str], now: datetime
) -> tuple[str, bytes, list[Change], list[Mapping[str, object]]]:
    from memsite.stores.index_file import add_row, rebuild

    index = index_name(store)
    found = read_index(writable, index) if index is not None else None
    known = found[1].rows if found else ()
    entry_id = _next_id(PREFIXES[wanted.kind], now, taken | {_folded(f"{row.id}.md") for row in known})
    path = f"{entry_id}.md"
    content = encode(_entry_text(wanted, entry_id, now))
    changes = [Change(path, None, content)]
    row = _index_row(wanted, entry_id, now, [row.value for row in known if isinstance(row.value, dict)])
    if found is not None and index is not None:
        held, present = found
        changes.append(Change(index, held, encode(add_row(present.text, row))))
        return path, content, changes, [{"id": entry_id, "added": True}]
    if index is not None and not any(name.startswith(("mem-", "tip-")) for name in taken):
        changes.append(Change(index, None, encode(rebuild([row]))))
    return path, content, changes, []


def _next_id(prefix: str, now: datetime, taken: Iterable[str]) -> str:
    day = f"{prefix}-{now.astimezone(UTC):%Y%m%d}-"
    numbers = (re.match(re.escape(day.lower()) + r"(\d+)", name) for name in taken)
    # Times such as `MEM-20260315-143022` are no numbers to go on from.
    used = [int(found[1]) for found in numbers if found and len(found[1]) < 6]
    return f"{day}{max(used, default=0) + 1:03d}"


def _index_row(
    wanted: NewNote, entry_id: str, now: datetime, known: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    """A row like the last one of the index; its date is a day alone where that one's is."""
    sample: Mapping[str, object] = known[-1] if known else {}
    moment = now.astimezone(UTC)
    day = len(str(sample.get("date", ""))) == 10
    return row_like(
        sample,
        id=entry_id,
        type=wanted.kind,
        date=f"{moment:%Y-%m-%d}" if day else f"{moment:%Y-%m-%dT%H:%M:%SZ}",
        title=wanted.title,
        tags=wanted.tags,
        file=f"{entry_id}.md",
    )


def _entry_text(wanted: NewNote, entry_id: str, now: datetime) -> str:
    fields = [f"id: {entry_id}", f"type: {wanted.kind}", f"title: {_quoted(wanted.title)}"]
    fields.append(f"date: {now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}")
    return _framed(fields, wanted)


def _topic_text(wanted: NewNote) -> str:
    fields = [f"title: {_quoted(wanted.title)}"]
    if wanted.description:
        fields.append(f"description: {_quoted(wanted.description)}")
    if wanted.type:
        fields.append(f"type: {wanted.type}")
    return _framed(fields, wanted)


def _framed(fields: list[str], wanted: NewNote) -> str:
    tags = [f"tags: [{', '.join(map(_quoted, wanted.tags))}]"] if wanted.tags else []
    text = wanted.text.removeprefix("\ufeff").replace("\r\n", "\n").strip("\n")
    return "\n".join(["---", *fields, *tags, "---", "", *([text, ""] if text.strip() else [])])


def _quoted(text: str) -> str:
    """`text` as a YAML scalar that no reader takes for anything but text."""
    return json.dumps(text, ensure_ascii=False)


def _topic_name(title: str) -> str:
    """A file name that every system can store: letters, digits and dashes."""
    from memsite.markdown import slug

    name = slug(title)
    while len(name) > _LONGEST_NAME or len(name.encode()) > 2 * _LONGEST_NAME:
        name = name[:-1]
    name = name.strip("-.") or "note"
    return f"{name}-note" if _DEVICE.fullmatch(name) or _folded(f"{name}.md") == "memory.md" else name


def _line(wanted: NewNote, path: str) -> str:
    shown = re.sub(r"([\[\]\\*_`<])", r"\\\1", wanted.title)
    return f"- [{shown}]({path})" + (f" — {wanted.description}" if wanted.description else "")


def _memory_line(writable: WritableStore, wanted: NewNote, path: str) -> Change:
    """MEMORY.md with a line for the topic at its end, close to the list that stands there."""
    held = writable.read(MEMORY_FILE)
    line = _line(wanted, path)
    if held is None:
        return Change(MEMORY_FILE, None, encode(f"# Memory\n\n{line}\n"))
    last = held.content.rstrip().rsplit(b"\n", 1)[-1].lstrip()
    tight = last.startswith((b"- ", b"* ", b"+ "))
    edit = Edit("append", line, tight=tight, allow_unlinked=True)
    return Change(MEMORY_FILE, held, apply_to_bytes(held.content, edit)[0])


def _remarks(store: Store, wanted: NewNote, changes: Sequence[Change]) -> tuple[str, ...]:
    from memsite.markdown import wikilinks

    found = []
    if wanted.kind in PREFIXES and len(changes) == 1:
        found.append("the store has no index of its own; no row was made")
    if store.settings.require_wikilink and not wikilinks(wanted.text):
        found.append("the new note holds no [[WikiLink]]: nothing leads on from it")
    return tuple(found)


def _diffs(changes: Sequence[Change]) -> Iterable[str]:
    return (unified(each.path, each.old.content if each.old else b"", each.new or b"") for each in changes)
