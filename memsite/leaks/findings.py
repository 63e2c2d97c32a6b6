"""What a note gives away, as findings: by its bytes alone, and by all that is known when it is checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memsite.leaks.scan import NOTHING_ALLOWED, AllowList, Engine, Leak, find, find_secrets, revealed
from memsite.markdown.encoding import encoding_of
from memsite.note import Document, Finding, IndexEntry, Source

_ACCEPT = "Replace it, or accept it: `[check] ignore`."
_REVOKE = "Revoke it, then remove it; `memsite leaks allow` for a value that is harmless."


def leak_findings(content: bytes) -> Iterator[Finding]:
    """What the bytes of a note give away, as W013 and W014; nothing of a value beyond its start."""
    text = content.decode(encoding_of(content), "replace")
    return _placed(text, find(text))


def _placed(text: str, leaks: tuple[Leak, ...]) -> Iterator[Finding]:
    line, counted = 1, 0
    for leak in leaks:
        line += text.count("\n", counted, leak.start)
        counted = leak.start
        yield leak_finding(leak, line, leak.start - text.rfind("\n", 0, leak.start))


def leak_finding(leak: Leak, line: int, column: int, *, where: str = "") -> Finding:
    """`leak` as a finding at a place; `where` says more of it."""
    hidden = ", in disguise" if leak.disguised else ""
    if leak.personal:
        return Finding("W014", line, column, f"personal data ({leak.kind}{hidden})", _ACCEPT)
    message = f"looks like a secret ({leak.kind}: {leak.hint}{hidden}){where}"
    return Finding("W013", line, column, message, _REVOKE, None if leak.stops else "info")


@dataclass(frozen=True, slots=True)
class Vetting:
    """Looks at a note as a build does: with both scanners, its name and its row of the index, and what
    is allowed. So that a check names what a build would refuse."""

    allow: AllowList = NOTHING_ALLOWED
    engine: Engine | None = None

    def __call__(self, source: Source, document: Document) -> Document:
        """`document` with all secrets of `source` among its findings."""
        known = any(finding.code == "W013" for finding in document.findings)
        text = source.content.decode(encoding_of(source.content), "replace")
        if not known and not self._alarmed(text):
            named = tuple(self._named(source))
            return replace(document, findings=(*document.findings, *named)) if named else document
        others = (finding for finding in document.findings if finding.code != "W013")
        secrets = _placed(text, find_secrets(text, allow=self.allow, engine=self.engine))
        return replace(document, findings=(*others, *self._named(source), *secrets))

    def _alarmed(self, text: str) -> bool:
        """Whether the second scanner finds something; what ours finds is among the findings."""
        if self.engine is None:
            return False
        return any(self.engine(text)) or any(self.engine(revealed(text)))

    def _named(self, source: Source) -> Iterator[Finding]:
        for leak in self._secrets(source.path):
            yield leak_finding(leak, 1, 1, where=" in the file name")
        for leak in self._secrets("\n".join(row_words(source.entry))):
            yield leak_finding(leak, 1, 1, where=" in the index")

    def _secrets(self, words: str) -> tuple[Leak, ...]:
        return find_secrets(words, allow=self.allow, engine=self.engine) if words else ()


def row_words(entry: IndexEntry | None) -> tuple[str, ...]:
    """The words of a row of the index that come on pages."""
    return (entry.title or "", entry.type or "", *entry.tags) if entry else ()
