"""The table of rules: what can be wrong with a memory, how much it matters, how to mend it.

One source for `check --explain`, the documentation, SARIF and the pages of the site.
"""

from __future__ import annotations

from dataclasses import dataclass

from memsite.note import Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of problem. The texts are Markdown."""

    code: str
    name: str
    severity: Severity
    """Unless the configuration says otherwise."""
    meaning: str
    """One line, no final stop."""
    explanation: str
    """Why it matters and what exactly is looked at."""
    fix: str
    example: str
    """A piece of memory that breaks the rule."""


RULES: tuple[Rule, ...] = (
    Rule(
        "W001",
        "index-mismatch",
        "warning",
        "The index and the files of a store disagree",
        "A workflow store keeps `memory-index.json` beside its notes. A note without a row is not"
        " found by tools that read the index; a row without a file promises a memory that is "
        "gone. Also reported: two rows with one id or for one file, a row whose path leaves the store, "
        "a row that cannot be read. Files that only look like a memory (other case, a conflicted copy) are "
        "named as information. Files of any other name, sub-folders and editor backups are left "
        "alone.",
        "`memsite repair --dry-run` shows the rows it would add and drop, `memsite repair` writes"
        " them. No note file is deleted.",
        '`{"entries": [{"id": "MEM-20260318-001", "file": "MEM-20260318-001.md"}]}` in a folder '
        "that holds only `TIP-20260319-001.md`",
    ),
    Rule(
        "W002",
        "missing-topic",
        "warning",
        "MEMORY.md refers to a topic file that is not there",
        "An agent reads MEMORY.md first and opens the topic files it links to. A link to a file "
        "that is gone wastes that step and hides what the topic said. Links inside code and HTML "
        "comments do not count.",
        "Restore the file (`memsite undo`, or from version control), or correct the line in MEMORY.md.",
        "`- [Build](build.md) — how to build`, and no `build.md` beside MEMORY.md",
    ),
    Rule(
        "W003",
        "memory-too-long",
        "warning",
        "MEMORY.md is longer than what an agent loads",
        "The host loads the first 200 lines or 25,000 bytes of MEMORY.md, whichever comes first, "
        "and drops the rest without a word. The problem stands at the first line that falls off "
        "and names the headings and links that are lost with it. Lines are counted by line feeds,"
        " the size in bytes. Topic files have no limit.",
        "Move details into topic files and leave one line for each in MEMORY.md: `memsite edit "
        'MEMORY --operation replace_section --section-name NAME --content "See [[topic]]"`. The limits are '
        "`memory_lines` and `memory_bytes` under `[check]`.",
        "A MEMORY.md of 240 lines: lines 201 to 240 are never seen",
    ),
    Rule(
        "W004",
        "unlisted-topic",
        "info",
        "No link leads from MEMORY.md to this topic file",
        "A topic is reached when MEMORY.md links to it, or when a topic that is reached does. A "
        "name that is only mentioned in the text is said so: an agent may still find it.",
        "Add a line `- [Title](file.md) — what it is good for` to MEMORY.md.",
        "`lonely.md` beside a MEMORY.md that never links to it",
    ),
    Rule(
        "W005",
        "missing-note",
        "warning",
        "A link that can only mean a note or file leads nowhere",
        "A link with `.md`, a path, a heading or an entry id cannot be a mere concept. When its "
        "target is not in the memory the reader meets a dead end. A plain `[[name]]` without a "
        "note is a concept and no fault.",
        "Correct the target, restore the note, or write the note: `memsite new`.",
        "`[setup](guides/setup.md)`, and no such file",
    ),
    Rule(
        "W006",
        "ambiguous-link",
        "warning",
        "Several notes fit the link equally well",
        "The name fits more than one note and neither the store, the folder nor the distance "
        "decides. The site links to the best guess's list; an edit through that name is refused.",
        "Write the path: `[[projects/a/notes]]`.",
        "`[[notes]]` with `projects/a/notes.md` and `projects/b/notes.md`",
    ),
    Rule(
        "W007",
        "malformed-link",
        "warning",
        "Nested, empty or broken link brackets",
        "`[[]]`, `[[|x]]`, `[[[x]]]`, `[[[[x]]]]` and a link cut by a line end are shown as text."
        " A run of three or more brackets is nearly always the scar of a replacement inside a "
        "link.",
        "Write the link anew, for example `memsite edit NOTE --operation find_replace "
        '--find-text "[[[[x]]]]" '
        '--content "[[x]]"`.',
        "`[[[[machine learning]]]]`",
    ),
    Rule(
        "W008",
        "missing-heading",
        "warning",
        "The heading or block that a link names is not in the note",
        "The note is there, the `#heading` or `^block` is not. The link leads to the top of the "
        "page instead.",
        "Use the heading as it is now: `memsite view NOTE` shows it.",
        "`[[guide#Set-up]]` when the heading is `## Installation`",
    ),
    Rule(
        "W009",
        "duplicate-title",
        "info",
        "Two notes of one store have the same title, id or alias",
        "A link by that name cannot tell them apart, and neither can a reader of a list.",
        "Give one of them another title, or merge them.",
        "Two notes with `title: Deployment`",
    ),
    Rule(
        "W010",
        "bad-front-matter",
        "warning",
        "The front matter cannot be read as it was meant",
        "Invalid YAML, a key twice, a date that does not exist, a block that is never closed. The"
        " note is loaded and shown all the same; what could be read line by line is used.",
        "Quote values that hold `: ` or begin with a special character, close the block with `---`.",
        "`description: Notes: first part`",
    ),
    Rule(
        "W011",
        "orphan-note",
        "info",
        "Nothing links to the note, and it links to nothing",
        "Neither a person nor an agent reaches it by following links; the graph does not show it. A note "
        "without any text is named here too, linked or not: it leads nobody further.",
        "Link it: one `[[concept]]` in its text is enough.",
        "A note of plain text that no other note names",
    ),
    Rule(
        "W012",
        "hidden-characters",
        "warning",
        "Characters that an agent reads and a person does not see",
        "Tag characters, direction overrides, control characters, zero-width text and runs of "
        "variation selectors can carry text or turn its order. Tag characters are decoded in the "
        "message. Lawful uses are not reported: joiners inside emoji and in the scripts that need"
        " them, direction marks beside right-to-left text, flags, a byte order mark at the start."
        " HTML comments that hold text, hidden elements and links whose text names another host "
        "are structural ways to the same end.",
        "Look at the place with `memsite view NOTE --raw | cat -A` and delete what nobody put "
        "there on purpose.",
        "`hello` followed by U+E0069 U+E0067 U+E006E U+E006F U+E0072 U+E0065",
    ),
    Rule(
        "W013",
        "secret",
        "warning",
        "Looks like a key, token or password",
        "Known shapes of credentials in text, code, front matter, addresses and file names. "
        "`build` refuses to publish them (E017) unless told to redact. Only the kind and the "
        "first characters are ever printed.",
        "Revoke the secret, then remove it. `memsite leaks allow` accepts a value that is harmless.",
        "`export GITHUB_TOKEN=ghp_…`",
    ),
    Rule(
        "W014",
        "personal-data",
        "info",
        "A home path, e-mail address or private host",
        "Harmless at home, not on a public page. Home paths are shortened to `~` in everything "
        "that is built. Example domains, no-reply addresses and documentation networks are not "
        "reported.",
        "Replace it by a placeholder, or accept it: `[check] ignore`.",
        "`/home/alice/work/api.log`",
    ),
    Rule(
        "W015",
        "name-collision",
        "warning",
        "Two notes differ only in case, normal form or punctuation",
        "On a disk that does not tell case apart, or after a copy to one, they become one file; "
        "their pages need artificial addresses to stay apart.",
        "Rename one of them.",
        "`Guide.md` and `guide.md`",
    ),
    Rule(
        "W016",
        "bad-encoding",
        "warning",
        "The file is not valid UTF-8 text",
        "Bytes that are not UTF-8, NUL bytes, UTF-16 or a binary file named `.md`. The note is "
        "shown with replacement characters where that makes sense; edits are refused.",
        "Convert the file: `iconv -f latin1 -t utf-8 OLD > NEW`.",
        "A file saved as Latin-1",
    ),
    Rule(
        "W017",
        "stale-note",
        "info",
        "The note speaks of project files that no longer exist, or is old",
        "Paths in code spans are compared with the project's files when these are known. "
        "`stale_days` sets an age by note type.",
        "Read it again, correct it, or retire it with `status: deprecated`.",
        "`src/api/client.py` after that module was split",
    ),
    Rule(
        "W018",
        "duplicate-note",
        "info",
        "Nearly the same text as another note",
        "Two versions of one memory contradict each other sooner or later, and both take room.",
        "Keep one and link to it.",
        "`TIP-20260318-001.md` and a topic file with the same three paragraphs",
    ),
)

BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES}
BY_NAME: dict[str, Rule] = {rule.name: rule for rule in RULES}


def find_rule(word: str) -> Rule | None:
    """The rule of a code (`W003`, `w003`) or name (`memory-too-long`)."""
    return BY_CODE.get(word.upper()) or BY_NAME.get(word.lower())


def documentation() -> str:
    """All rules as one Markdown document; each rule is a section named by its code."""
    return "# Rules\n\n" + "\n".join(explain(rule) for rule in RULES)


def explain(rule: Rule) -> str:
    """The documentation of one rule as Markdown."""
    return (
        f"## {rule.code} {rule.name}\n\n{rule.meaning}. Severity: {rule.severity}.\n\n{rule.explanation}\n\n"
        f"**What to do.** {rule.fix}\n\n**Example.** {rule.example}\n"
    )
