"""The one Jinja2 environment: escapes everything, knows no undefined name, compiles a template once."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from memsite.config import Config
from memsite.markdown import visible
from memsite.pages.markup import add_filters, counted, number
from memsite.templates import templates_folder

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from jinja2.ext import Extension

_A_TEXT = re.compile(r"\{\{ t\.(\w+) \}\}")


@dataclass(frozen=True, slots=True)
class Templates:
    """Compiled templates and the words that they use."""

    environment: Environment
    texts: SimpleNamespace

    def count(self, amount: int, noun: str) -> str:
        """`amount` with a noun of the texts: `1 note`, `2 notes`."""
        return counted(amount, vars(self.texts)[f"count_{noun}"])

    def get(self, name: str) -> Template:
        return self.environment.get_template(name)


def templates_of(config: Config) -> Templates:
    """The templates of a configuration: files of its own folder first, then memsite's."""
    own = config.site.templates
    folder = (config.file.parent / own if config.file else Path(own)) if own else None
    return _loaded(str(folder) if folder else "")


@lru_cache(maxsize=8)
def _loaded(own: str) -> Templates:
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined

    shipped = str(templates_folder())
    folders = [own, shipped] if own else [shipped]
    # An own `note.html` extends the shipped one as `memsite/note.html`.
    named = PrefixLoader({"memsite": FileSystemLoader(shipped)})
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(folders), named]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made = Templates(environment, _texts(folders))
    environment.add_extension(_spelling_out(made.texts))
    environment.filters["visible"] = visible
    environment.filters["number"] = number
    add_filters(environment, made.texts)
    environment.globals["t"] = made.texts
    environment.globals["count"] = made.count
    return made


def _spelling_out(texts: SimpleNamespace) -> type[Extension]:
    """An extension that puts the words into the source of a template before it is compiled: they are
    the same on every page, and looking each up and escaping it is a third of a page's work."""
    from jinja2.ext import Extension

    class SpellingOut(Extension):
        def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
            return _A_TEXT.sub(lambda found: _word(found, texts), source)

    return SpellingOut


def _word(found: re.Match[str], texts: SimpleNamespace) -> str:
    """The escaped text that is named; the expression itself when it is none or would be read as one."""
    word = getattr(texts, found[1], None)
    return escape(word) if isinstance(word, str) and "{" not in word else found[0]


def _texts(folders: list[str]) -> SimpleNamespace:
    """The words of `texts.toml`: memsite's, then what an own file says otherwise."""
    words: dict[str, Any] = {}
    for folder in reversed(folders):
        path = Path(folder, "texts.toml")
        if path.is_file():
            words |= tomllib.loads(path.read_text(encoding="utf-8"))
    return SimpleNamespace(**words)
