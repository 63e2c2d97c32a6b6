"""What notes hold beside CommonMark and WikiLinks: tags, marks, callouts, tasks, block ids, relations.

Inline rules leave tokens; core rules run between block and inline parsing, where a line of text can
still be taken off a paragraph without upsetting anything that depends on positions.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.parser_inline import RuleFuncInlineType
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_EMOJI = "\u200d\ufe0f\u2190-\u2bff\U0001f000-\U0001faff"
_TAG = re.compile(rf"#([\w{_EMOJI}][\w/\-{_EMOJI}]{{0,199}})")
_MARK = re.compile(r"==(?=[^\s=])(.{1,1000}?)(?<=[^\s=])==(?!=)", re.DOTALL)
_CALLOUT = re.compile(r"\[!([\w -]{1,40})\]([+-]?)[ \t]*([^\n]*)(?:\n|\Z)")
_TASK = re.compile(r"\[([ xX/<>!?*\-])\][ \t]+")
# Glued to CJK text it counts too: there no blank stands between words, and tools write it so.
_BLOCK_ID = re.compile(
    r"(?:^|[ \t\n]|(?<=[\u3000-\u9fff\uac00-\ud7a3\uff00-\uffef]))\^([A-Za-z0-9][A-Za-z0-9-]{0,99})[ \t]*\Z"
)
_RELATION = re.compile(r"([A-Za-z][\w -]{0,40}?)[ \t]+(?=\[\[)")
_REMARK = re.compile(
    r"(?:[ \t]*(?:,|;|and|or|&)?[ \t]*\[\[[^\[\]\n]*\]\])*"
    r"[ \t]*(?:\([^\n]*\))?[.;,]?(?:[ \t]+[#^]\S+)*[ \t]*(?:\n|\Z)"
)
_MANY_BRACKETS = 500


def syntax_plugin(md: MarkdownIt) -> None:
    md.inline.ruler.before("emphasis", "tag", _tag)
    md.inline.ruler.before("emphasis", "mark", _mark)
    md.core.ruler.after("block", "callouts", _callouts)
    md.core.ruler.after("callouts", "tasks", _tasks)
    md.core.ruler.after("tasks", "block_ids", _block_ids)
    for rule in md.inline.ruler.__rules__:
        if rule.name == "math_inline":
            md.inline.ruler.at(rule.name, _from_the_start(rule.fn))
        if rule.name in ("link", "image", "footnote_inline"):
            md.inline.ruler.at(rule.name, _within_budget(rule.fn))


def _from_the_start(rule: RuleFuncInlineType) -> RuleFuncInlineType:
    """`rule`, which looks at the character before it: at the start of a text it takes the last one for that,
    so that `$x$ is 5` would be no formula."""

    def from_the_start(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
        if state.pos or state.src[:1] != "$":
            return rule(state, silent)
        source = state.src
        state.src = f"{source}\n"
        try:
            return rule(state, silent)
        finally:
            state.src = source

    return from_the_start


def _within_budget(rule: RuleFuncInlineType) -> RuleFuncInlineType:
    """`rule`, but for a text with so many brackets that looking for the partner of each one would
    take quadratic time; there a bracket is text unless its partner is near. Tells where it began."""

    def budgeted(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
        start = state.pos
        if state.src[start] not in "[!^":
            return False
        brackets = state.env.setdefault("brackets", {})
        source = state.src
        if id(source) not in brackets:
            brackets[id(source)] = source.count("[")
        if brackets[id(source)] > _MANY_BRACKETS and not _NEAR_PARTNER.match(source, start):
            return False
        count = len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent:
            for token in state.tokens[count:]:
                if token.type in ("link_open", "image"):
                    token.meta["pos"] = start
                    break
        return True

    return budgeted


_NEAR_PARTNER = re.compile(r"[!^]?\[[^\[\]]{0,1000}\]")


def _tag(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    start = state.pos
    if state.src[start] != "#" or state.linkLevel:  # what leads to a tag cannot stand in a link
        return False
    if start and not (state.src[start - 1].isspace() or state.src[start - 1] in "(（,，、"):
        return False
    found = _TAG.match(state.src, start)
    if found is None:
        return False
    name = found[1].rstrip("/-")
    if not name or name.isdigit():
        return False
    if not silent:
        token = state.push("tag", "", 0)
        token.content = name
    state.pos = start + 1 + len(name)
    return True


def _mark(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    found = _MARK.match(state.src, state.pos) if state.src.startswith("==", state.pos) else None
    if found is None:
        return False
    end = state.posMax
    if found.end() > end:
        return False
    if not silent:
        state.push("mark_open", "mark", 1)
        state.pos, state.posMax = found.start(1), found.end(1)
        state.md.inline.tokenize(state)
        state.posMax = end
        state.push("mark_close", "mark", -1)
    state.pos = found.end()
    return True


def _callouts(state: StateCore) -> None:
    """`> [!note]- Title` makes a box of its quote: a `div`, or `details` when it folds."""
    opened: list[tuple[int, Token | None]] = []
    made: list[Token] = []
    for index, token in enumerate(state.tokens):
        if token.type == "blockquote_open":
            callout = _callout_title(state.tokens, index)
            opened.append((index, token if callout else None))
            if callout:
                _open_callout(token, callout)
                made += [token, *_title_tokens(token, callout)]
                continue
        elif token.type == "blockquote_close" and opened:
            _, start = opened.pop()
            if start is not None:
                made.append(Token("callout_body_close", "div", -1, block=True))
                token.type, token.tag = "callout_close", start.tag
        made.append(token)
    state.tokens = _without_empty_paragraphs(made)


def _callout_title(tokens: list[Token], index: int) -> re.Match[str] | None:
    if index + 2 >= len(tokens) or tokens[index + 1].type != "paragraph_open":
        return None
    return _CALLOUT.match(tokens[index + 2].content)


def _open_callout(token: Token, callout: re.Match[str]) -> None:
    kind = callout[1].strip().lower()
    token.type = "callout_open"
    token.tag = "details" if callout[2] else "div"
    token.meta = {"kind": kind, "open": callout[2] != "-", "title": callout[3].strip(), "match": callout}


def _title_tokens(quote: Token, callout: re.Match[str]) -> list[Token]:
    tag = "summary" if quote.tag == "details" else "p"
    title = Token(
        "inline", "", 0, content=quote.meta["title"] or quote.meta["kind"].capitalize(), children=[]
    )
    title.map = quote.map
    return [
        Token("callout_title_open", tag, 1, block=True),
        title,
        Token("callout_title_close", tag, -1, block=True),
        Token("callout_body_open", "div", 1, block=True),
    ]


def _without_empty_paragraphs(tokens: list[Token]) -> list[Token]:
    """Takes the title line off the paragraph that held it, and the paragraph with it when it is bare."""
    kept: list[Token] = []
    skip = 0
    for index, token in enumerate(tokens):
        if skip:
            skip -= 1
            continue
        if token.type == "paragraph_open" and kept and kept[-1].type == "callout_body_open":
            text = tokens[index + 1]
            found = _CALLOUT.match(text.content)
            if found and text.map:
                text.content = text.content[found.end() :]
                text.map = [text.map[0] + 1, text.map[1]]
                if not text.content.strip():
                    skip = 2
                    continue
        kept.append(token)
    return kept


def _tasks(state: StateCore) -> None:
    """`- [ ] text` is a task; its list gets a class so that the bullet can go."""
    lists: list[Token] = []
    tokens = state.tokens
    for index, token in enumerate(tokens):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append(token)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif (
            token.type == "list_item_open" and index + 2 < len(tokens) and tokens[index + 2].type == "inline"
        ):
            text = tokens[index + 2]
            if found := _TASK.match(text.content):
                token.meta["task"] = found[1]
                lists[-1].meta["tasks"] = True
                text.content = text.content[found.end() :]


def _block_ids(state: StateCore) -> None:
    """`text ^id` names the block it ends; a line `^id` of its own names the block before it."""
    if "^" not in state.src:
        return
    tokens = state.tokens
    drop: set[int] = set()
    for index, token in enumerate(tokens):
        if token.type != "inline" or not (found := _BLOCK_ID.search(token.content)):
            continue
        token.content = token.content[: found.start()].rstrip()
        owner = _owner(tokens, index, alone=not token.content)
        if owner is None:
            continue
        owner.meta["block"] = found[1]
        if not token.content and tokens[index - 1].type == "paragraph_open":
            drop.update((index - 1, index, index + 1))
    if drop:
        state.tokens = [token for index, token in enumerate(tokens) if index not in drop]


def _owner(tokens: list[Token], index: int, *, alone: bool) -> Token | None:
    """The token that gets the id: the block around the text, the list item of a tight list, or for
    an id that stands alone the block before it."""
    opening = tokens[index - 1]
    if not alone:
        return tokens[index - 2] if opening.hidden and tokens[index - 2].type == "list_item_open" else opening
    depth = 0
    for token in reversed(tokens[: index - 1]):
        depth -= token.nesting
        if token.nesting >= 0 and depth <= 0:
            return token if depth == 0 and token.type != "inline" else None
    return None


def relation_of(text: str, start: int, end: int) -> str | None:
    """The type of a typed relation: what stands before the link (`text[start:end]`) at the start of a
    list item, when only more links and a remark in parentheses follow. Anything else is a sentence."""
    found = _RELATION.match(text)
    is_alone = found and found.end() == start and _REMARK.match(text, end)
    return found[1] if found and is_alone else None
