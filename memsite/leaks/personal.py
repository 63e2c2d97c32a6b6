"""Personal data: home folders, e-mail addresses, hosts and numbers that belong to somebody."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network

_NOBODY = frozenset(
    "user users username you your yourname youruser me myuser name alice bob example someone "
    "node runner vscode ubuntu root app shared public default admin guest xxx foo u x circleci "
    "travis jovyan coder linuxbrew".split()
)
_HOME = re.compile(
    r"(?<![\w.~])(?:file://|/mnt/[a-z]|\\\\wsl(?:\$|\.localhost)\\{1,2}[\w.-]+|[A-Za-z]:)?"
    r"(?:/(?:home|Users|export/home)/|\\{1,2}(?:Users|home)\\{1,2}|(?<=:)/Users/)(?P<name>[\w.@+-]+)(?![\w<{$])"
)
_PROJECT_FOLDER = re.compile(
    r"(?<![\w-])(?:[A-Z]-)?-(?:home|Users)-(?P<name>[A-Za-z][A-Za-z0-9]*)(?=-)|(?<![\w-])[A-Z]--Users-(?P<drive>[A-Za-z0-9]+)(?=-)"
)
_EMAIL = re.compile(
    r"(?<![\w.+@/%=-])[A-Za-z0-9][\w.+-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}(?![\w@-]|\.\w|:[\w/~])"
)
_IPV4 = re.compile(r"\d(?<![\w.-].)\d{0,2}\.(?:\d{1,3}\.){2}\d{1,3}(?![\w-]|\.\d)")
_IPV6 = re.compile(
    r"[0-9A-Fa-f](?<![\w:.].)[0-9A-Fa-f]{0,3}:(?:[0-9A-Fa-f]{1,4}:){1,6}(?::|[0-9A-Fa-f]{1,4}|:[0-9A-Fa-f]{1,4})(?::?[0-9A-Fa-f]{1,4}){0,5}(?![\w:])"
)
_HOST = re.compile(
    r"(?<![\w.@-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,5}(?:internal|intranet|corp|lan|home\.arpa)(?![\w-]|\.\w)",
    re.IGNORECASE,
)
_CARD = re.compile(r"\d(?<![\w.-].)\d{3}[ -](?:\d{4}[ -]){2}\d{4}(?![\w-])")
_IBAN = re.compile(r"[A-Z](?<![\w-].)[A-Z]\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?![\w-])")
_PHONE = re.compile(
    r"(?<![\w+.=/-])\+[1-9]\d{0,2}[ ./-]?(?:\(\d{1,4}\)[ ./-]?)?\d{2,4}(?:[ ./-]?\d{2,4}){2,4}(?![\w-])"
)

_HARMLESS_NETS = tuple(
    map(
        IPv4Network,
        ("0.0.0.0/8", "127.0.0.0/8", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"),
    )
)
_KNOWN_HOSTS = frozenset(
    {"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "1.2.3.4", "4.3.2.1", "169.254.169.254"}
)
_HARMLESS_NETS6 = tuple(map(IPv6Network, ("::/127", "2001:db8::/32", "3fff::/20", "ff00::/8", "fe80::/10")))
_EXAMPLE_DOMAINS = re.compile(
    r"(?:^|\.)(?:example(?:\.[a-z]+)?|test|invalid|localhost|local|domain\.(?:com|tld)|company\.com|email\.com|acme\.com|corp\.com|yourdomain\.\w+|anthropic\.com|users\.noreply\.github\.com)$",
    re.IGNORECASE,
)
_ROLES = re.compile(
    r"(?:no-?reply|do-?not-?reply|git|support|info|hello|contact|security|user|username|you|name|email|"
    r"me|foo|bar|test|admin|example|abuse|postmaster|noc)(?:\+.*)?$",
    re.IGNORECASE,
)
_FILE_ENDINGS = frozenset(
    "png jpg jpeg gif svg webp avif ico md py js mjs ts tsx jsx css scss html json yaml yml toml txt "
    "sh rs go java rb pdf zip gz service ini conf cfg env log db".split()
)


@dataclass(frozen=True, slots=True, eq=False)
class Detail:
    """A kind of personal data. `needs`: one of these is in every text that holds it."""

    kind: str
    needs: tuple[str, ...]
    shape: re.Pattern[str]
    is_private: Callable[[re.Match[str]], bool]


def _home(match: re.Match[str]) -> bool:
    name = match["name"].rstrip(".").lower()
    return name not in _NOBODY and name.rpartition(".")[2] not in _FILE_ENDINGS


def _folder(match: re.Match[str]) -> bool:
    return (match["name"] or match["drive"]).lower() not in _NOBODY


def _email(match: re.Match[str]) -> bool:
    local, _, domain = match.group().rpartition("@")
    return (
        not _EXAMPLE_DOMAINS.search(domain)
        and not _ROLES.match(local)
        and domain.rpartition(".")[2].lower() not in _FILE_ENDINGS
    )


def _ipv4(match: re.Match[str]) -> bool:
    try:
        address = IPv4Address(match.group())
    except AddressValueError:
        return False
    if match.group() in _KNOWN_HOSTS or max(address.packed) < 10:
        return False  # four small numbers are a version or a section
    return not any(address in net for net in _HARMLESS_NETS)


def _ipv6(match: re.Match[str]) -> bool:
    text = match.group()
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return False
    # `a::b` is a path in a program; an address has a longer group with a digit in it.
    written = any(len(group) >= 3 and not group.isalpha() for group in text.split(":"))
    return written and not any(address in net for net in _HARMLESS_NETS6)


def _card(match: re.Match[str]) -> bool:
    digits = [int(char) for char in reversed(match.group()) if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) if place % 2 else digit for place, digit in enumerate(digits)]
    return sum(doubled) % 10 == 0 and len(set(digits)) > 3


def _iban(match: re.Match[str]) -> bool:
    bare = match.group().replace(" ", "")
    return int("".join(str(int(char, 36)) for char in bare[4:] + bare[:4])) % 97 == 1


def _always(match: re.Match[str]) -> bool:
    return True


def _phone(match: re.Match[str]) -> bool:
    digits = [char for char in match.group() if char.isdigit()]
    return 9 <= len(digits) <= 15 and len(set(digits)) > 3 and "555" not in match.group()


DETAILS: tuple[Detail, ...] = (
    Detail("home-path", ("/home/", "/Users/", "Users\\", "\\home\\"), _HOME, _home),
    Detail("project-folder", ("-home-", "-Users-"), _PROJECT_FOLDER, _folder),
    Detail("e-mail-address", ("@",), _EMAIL, _email),
    Detail("ip-address", (".",), _IPV4, _ipv4),
    Detail("ip-address", ("::", ":0", ":1", ":2", ":a", ":f"), _IPV6, _ipv6),
    Detail("private-host", (".internal", ".intranet", ".corp", ".lan", ".home.arpa"), _HOST, _always),
    Detail("card-number", (" ", "-"), _CARD, _card),
    Detail("bank-account", ("DE", "FR", "GB", "NL", "ES", "IT", "CH", "AT", "BE", "PL"), _IBAN, _iban),
    Detail("phone-number", ("+",), _PHONE, _phone),
)


def shorten_homes(text: str) -> str:
    """`text` with home folders as `~`: `/home/alice/notes` becomes `~/notes`, also inside file URLs."""
    if any(need in text for need in DETAILS[0].needs):
        text = _HOME.sub(lambda match: "~" if _home(match) else match.group(), text)
    if any(need in text for need in DETAILS[1].needs):
        text = _PROJECT_FOLDER.sub(lambda match: "-~" if _folder(match) else match.group(), text)
    return text
