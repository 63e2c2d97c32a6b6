"""All that the bytes of a note say: parsed, and looked through for what they hide or give away."""

from __future__ import annotations

from dataclasses import replace

from memsite.note import Document


def understood(content: bytes) -> Document:
    """The document of `content` with every finding that depends on the bytes alone."""
    from memsite.check import unseen
    from memsite.leaks import leak_findings
    from memsite.markdown import parse

    document = parse(content)
    return replace(document, findings=(*document.findings, *unseen(content), *leak_findings(content)))
