"""Shapes of credentials: one row a kind, with the letters that must be in a text for it to be there.

The letters are looked for with `in`, which is some hundred times faster than a pattern; most notes
hold none of them. A pattern's group `value` is the secret itself, without one it is the whole match.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

REDACTED = "█"
"""Stands around the kind of what was blacked out; no secret holds it."""

Confidence = Literal["high", "medium", "low"]
"""`high` and `medium` stop a build, `low` is only reported."""


def no_placeholder(value: str) -> bool:
    """For kinds whose prefix alone is proof, but for the stand-ins of documentation."""
    return not _STAND_IN.search(value)


def looks_random(value: str) -> bool:
    """Whether `value` can be a generated or chosen secret rather than a word, a name or a placeholder."""
    return not _PLACEHOLDER.search(value) and _classes(value) >= 2 and len(set(value)) >= 6


def looks_long_and_random(value: str) -> bool:
    """As `looks_random`, for places where ordinary identifiers stand as well."""
    return looks_random(value) and len(value) >= 16 and _has_digit(value) and not _NAME.fullmatch(value)


_PLACEHOLDER = re.compile(
    r"x{4,}|\*{3,}|\.{3}|…|0{8}|1{8}|12345|abcdef|your|example|sample|placeholder|change|redacted|dummy|fake|"
    r"█|<|>|\$\{|\{\{|%\(|\$\(|^\$|^env|process\.env|os\.environ|getenv|insert|replace|todo|secret_?here|"
    r"^(?:none|null|true|false|undefined|string|password|passwd|secret|token)$",
    re.IGNORECASE,
)
_STAND_IN = re.compile(r"[xX]{6}|EXAMPLE|\*{3}|\.{3}|[A-Z_]*YOUR_|<|>|█")
_NAME = re.compile(r"[A-Za-z]+(?:[-_./:][A-Za-z]+)*\d{0,2}")
"""Words joined by separators: an identifier or a path."""


_WEAK_IN_URL = frozenset(
    {
        "pass",
        "password",
        "passwd",
        "secret",
        "postgres",
        "root",
        "user",
        "test",
        "guest",
        "port",
        "pwd",
        "admin",
    }
)
_CALL = re.compile(
    r"[(){}\[\]]|::|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|^/|^~|^https?:|^[a-z]+://|\.(?:md|py|ts|js|json|ya?ml|toml|txt)$"
)


def _dense(value: str) -> bool:
    """Whether letters and digits are mixed as in a random string, not as in `claude-3-5-sonnet-20241022`."""
    longest = max(len(run) for run in re.split(r"[^A-Za-z0-9]+", value))
    changes = len(re.findall(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])", value))
    return longest >= 12 and changes >= 3


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _classes(value: str) -> int:
    kinds = (str.islower, str.isupper, str.isdigit, lambda char: not char.isalnum())
    return sum(any(map(kind, value)) for kind in kinds)


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A kind of secret."""

    kind: str
    needs: tuple[str, ...]
    """One of these is in every text that holds the kind; for kinds in context, in lower case."""
    shape: re.Pattern[str]
    confidence: Confidence = "high"
    plausible: Callable[[str], bool] = no_placeholder
    before: re.Pattern[str] | None = None
    """What must stand right before the match: cheaper to look for there than in the whole text."""


def _p(
    kind: str,
    needs: str,
    shape: str,
    confidence: Confidence = "high",
    plausible: Callable[[str], bool] = no_placeholder,
) -> Pattern:
    return Pattern(kind, tuple(needs.split()), re.compile(shape), confidence, plausible)


_START = r"(?<![A-Za-z0-9_+-])"
_LONE = r"(?<![A-Za-z0-9_/+-])"
"""As `_START`, for shapes that may turn up inside a run of Base64."""
_END = r"(?![A-Za-z0-9_])"
_ASSIGN = r"[\"'`*]{0,3}\s{0,3}(?::=|=>|=|:)\s{0,3}[\"'`*]{0,3}"

LEAST = 15
"""Characters of the shortest token among `PREFIXED`; none of them holds a blank, a quote or a bracket."""

PREFIXED: tuple[Pattern, ...] = (
    _p("aws-access-key", "AKIA ASIA ABIA ACCA", rf"{_START}(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}}{_END}"),
    _p("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_START}gh[opusr]_[A-Za-z0-9]{{36,251}}{_END}"),
    _p("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,244}"),
    _p(
        "gitlab-token",
        "glpat- gldt- glrt- glptt- glft- glcbt- glsoat- glimt- glagent- gloas-",
        rf"{_START}gl(?:pat|dt|rt|ptt|ft|cbt|soat|imt|agent|oas)-[A-Za-z0-9_.-]{{20,}}",
    ),
    _p("slack-token", "xox", rf"{_START}xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{{10,}}"),
    _p("slack-token", "xapp-", rf"{_START}xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{{32,}}"),
    _p(
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{6,}/[A-Za-z0-9]{6,}/[A-Za-z0-9]{16,}",
    ),
    _p(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_",
        rf"{_START}[rs]k_(?:live|test|prod)_[A-Za-z0-9]{{16,}}",
    ),
    _p("webhook-secret", "whsec_", rf"{_START}whsec_[A-Za-z0-9+/=]{{24,}}"),
    _p("anthropic-key", "sk-ant-", r"sk-ant-[a-z0-9]{3,8}-[A-Za-z0-9_-]{24,}"),
    _p("openai-key", "sk-", rf"{_START}sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{{20,}}"),
    _p("openai-key", "sk-", rf"{_START}sk-(?:or-v1-|lf-)?[A-Za-z0-9]{{32,}}{_END}", "high", looks_random),
    _p("google-api-key", "AIza", rf"{_START}AIza[A-Za-z0-9_-]{{35}}{_END}"),
    _p("google-oauth-secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    _p("google-oauth-token", "ya29.", rf"{_START}ya29\.[A-Za-z0-9_-]{{30,}}"),
    _p(
        "json-web-token",
        "eyJ",
        rf"{_START}eyJ[A-Za-z0-9_-]{{8,}}\.eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{10,}}",
    ),
    _p("1password-key", "A3-", rf"{_START}A3-[A-Z0-9]{{6}}(?:-[A-Z0-9]{{5,11}}){{4,5}}{_END}"),
    _p("adobe-secret", "p8e-", rf"{_START}p8e-[A-Za-z0-9_-]{{32}}{_END}"),
    _p("artifactory-key", "AKCp cmVmd", rf"{_LONE}(?:AKCp[A-Za-z0-9]{{69}}|cmVmd[A-Za-z0-9]{{59}}){_END}"),
    _p(
        "authress-key",
        ".acc-",
        rf"{_START}(?:sc|ext|scauth|authress)_[a-z0-9]{{5,30}}\.[a-z0-9]{{4,6}}\.acc[_-][a-z0-9-]{{10,32}}\.[A-Za-z0-9+/_=-]{{30,120}}",
    ),
    _p(
        "bedrock-key",
        "ABSK bedrock-api-key-",
        rf"{_LONE}(?:ABSK[A-Za-z0-9+/]{{100,}}|bedrock-api-key-[A-Za-z0-9+/=]{{40,}})",
    ),
    _p("clickhouse-key", "4b1d", rf"{_LONE}4b1d[A-Za-z0-9]{{38}}{_END}", "high", looks_long_and_random),
    _p("clojars-token", "CLOJARS_", r"CLOJARS_[A-Za-z0-9]{60}"),
    _p("dnkey", "dnkey-", r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    _p("dynatrace-token", "dt0", r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _p("flutterwave-key", "FLWSECK", r"FLWSECK(?:_TEST)?-[a-z0-9]{12,}"),
    _p("frameio-token", "fio-u-", r"fio-u-[A-Za-z0-9_=-]{64}"),
    _p("gitlab-token", "GR1348941", r"GR1348941[A-Za-z0-9_-]{20}"),
    _p("gitlab-cookie", "_gitlab_session=", r"_gitlab_session=(?P<value>[0-9a-z]{32})"),
    _p("grafana-token", "eyJrIjoi", rf"{_LONE}eyJrIjoi[A-Za-z0-9]{{60,}}={{0,3}}"),
    _p(
        "harness-key",
        "pat. sat.",
        rf"{_START}[ps]at\.[A-Za-z0-9_-]{{22}}\.[A-Za-z0-9]{{24}}\.[A-Za-z0-9]{{20}}{_END}",
    ),
    _p("huggingface-token", "api_org_", rf"{_START}api_org_[A-Za-z]{{34}}{_END}"),
    _p("infracost-key", "ico-", rf"{_START}ico-[A-Za-z0-9]{{32}}{_END}"),
    _p("intra42-secret", "s-s4t2", r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
    _p("langfuse-key", "sk-lf-", rf"{_START}sk-lf-[a-f0-9]{{8}}(?:-[a-f0-9]{{4}}){{3}}-[a-f0-9]{{12}}"),
    _p("maxmind-key", "_mmk", rf"{_START}[A-Za-z0-9]{{6}}_[A-Za-z0-9]{{29}}_mmk{_END}"),
    _p("octopus-key", "API-", rf"{_START}API-[A-Z0-9]{{26}}{_END}", "high", looks_random),
    _p("openshift-token", "sha256~", r"sha256~[A-Za-z0-9_-]{43}"),
    _p("prefect-key", "pnu_", rf"{_START}pnu_[A-Za-z0-9]{{36}}{_END}"),
    _p("readme-key", "rdme_", r"rdme_[a-z0-9]{70}"),
    _p("scalingo-token", "tk-us-", rf"{_START}tk-us-[A-Za-z0-9_-]{{48}}"),
    _p("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", rf"{_START}sm_[aps]at_[A-Za-z0-9]{{16}}{_END}"),
    _p("shippo-token", "shippo_", r"shippo_(?:live|test)_[a-fA-F0-9]{40}"),
    _p("sourcegraph-token", "sgp_", rf"{_START}sgp_(?:(?:[a-fA-F0-9]{{16}}|local)_)?[a-fA-F0-9]{{40}}{_END}"),
    _p("yandex-key", "AQVN", rf"{_LONE}AQVN[A-Za-z0-9_-]{{35,38}}{_END}"),
    _p("gitlab-token", "glffct- glsat-", rf"{_START}gl(?:ffct|sat)-[A-Za-z0-9_-]{{20,}}"),
    _p("npm-token", "npm_", rf"{_START}npm_[A-Za-z0-9]{{36}}{_END}"),
    _p("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,}"),
    _p("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _p("crates-token", "cio", rf"{_LONE}cio[A-Za-z0-9]{{32}}{_END}", "high", looks_long_and_random),
    _p("sendgrid-key", "SG.", rf"{_START}SG\.[A-Za-z0-9_-]{{16,32}}\.[A-Za-z0-9_-]{{16,64}}"),
    _p("mailgun-key", "key-", rf"{_START}key-[a-f0-9]{{32}}{_END}"),
    _p("mailchimp-key", "-us", rf"{_START}[a-f0-9]{{32}}-us\d{{1,2}}{_END}"),
    _p("brevo-key", "xkeysib- xsmtpsib-", r"x(?:keysib|smtpsib)-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _p("resend-key", "re_", rf"{_START}re_[A-Za-z0-9]{{8}}_[A-Za-z0-9]{{24}}{_END}"),
    _p("twilio-key", "SK", rf"{_START}SK[a-f0-9]{{32}}{_END}"),
    _p("telegram-bot-token", ":AA", rf"{_START}\d{{8,10}}:AA[A-Za-z0-9_-]{{32,34}}{_END}"),
    _p(
        "discord-bot-token",
        ".",
        rf"[MNO](?<![A-Za-z0-9_/+-].)[A-Za-z0-9_-]{{23,27}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,40}}{_END}",
    ),
    _p("discord-webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{15,}/[A-Za-z0-9_-]{40,}"),
    _p("heroku-key", "HRKU-", r"HRKU-[A-Za-z0-9_-]{36,}"),
    _p("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", rf"{_START}do[opr]_v1_[a-f0-9]{{64}}"),
    _p("databricks-token", "dapi", rf"{_START}dapi[a-f0-9]{{32}}(?:-\d)?{_END}"),
    _p("huggingface-token", "hf_", rf"{_START}hf_[A-Za-z0-9]{{30,40}}{_END}"),
    _p("replicate-token", "r8_", rf"{_START}r8_[A-Za-z0-9]{{37,40}}{_END}"),
    _p("groq-key", "gsk_", rf"{_START}gsk_[A-Za-z0-9]{{48,56}}{_END}"),
    _p("perplexity-key", "pplx-", rf"{_START}pplx-[A-Za-z0-9]{{40,56}}{_END}"),
    _p("xai-key", "xai-", rf"{_START}xai-[A-Za-z0-9]{{70,90}}{_END}"),
    _p("tavily-key", "tvly-", rf"{_START}tvly-(?:dev-|prod-)?[A-Za-z0-9]{{28,40}}{_END}"),
    _p("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    _p("shopify-token", "shp", rf"{_START}shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}"),
    _p(
        "square-token",
        "sq0 EAAA",
        rf"{_LONE}(?:sq0[a-z]{{3}}-[A-Za-z0-9_-]{{22,43}}|EAAA[A-Za-z0-9_-]{{60}}){_END}",
    ),
    _p("atlassian-token", "ATATT3 ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=-]{40,}"),
    _p("linear-key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _p(
        "notion-token",
        "ntn_ secret_",
        rf"{_START}(?:ntn_[A-Za-z0-9]{{40,50}}|secret_[A-Za-z0-9]{{43}}){_END}",
    ),
    _p("airtable-token", "pat", rf"{_START}pat[A-Za-z0-9]{{14}}\.[a-f0-9]{{64}}"),
    _p("figma-token", "figd_", r"figd_[A-Za-z0-9_-]{36,}"),
    _p("postman-key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _p("dropbox-token", "sl.", rf"{_START}sl\.(?:u\.)?[A-Za-z0-9_-]{{100,}}"),
    _p("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}"),
    _p(
        "new-relic-key",
        "NRAK- NRJS- NRII- NRAA- NRRA-",
        rf"{_START}NR(?:AK|JS|II|AA|RA)-[A-Za-z0-9_-]{{19,40}}",
    ),
    _p("new-relic-key", "NRAL", rf"{_START}[a-f0-9]{{36}}NRAL"),
    _p(
        "grafana-token",
        "glsa_ glc_",
        rf"{_START}(?:glsa_[A-Za-z0-9]{{32}}_[a-fA-F0-9]{{8}}|glc_[A-Za-z0-9+/=]{{32,}})",
    ),
    _p("sentry-token", "sntrys_ sntryu_", r"sntry(?:s_eyJ[A-Za-z0-9+/=_]{40,}|u_[a-f0-9]{64})"),
    _p("posthog-key", "phx_ phc_", rf"{_START}ph[xc]_[A-Za-z0-9]{{40,}}"),
    _p("vault-token", "hvs. hvb. hvr.", rf"{_START}hv[sbr]\.[A-Za-z0-9_-]{{24,}}"),
    _p("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    _p("pulumi-token", "pul-", rf"{_START}pul-[a-f0-9]{{40}}{_END}"),
    _p(
        "doppler-token",
        "dp.",
        rf"{_START}dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{{40,44}}",
    ),
    _p("age-key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    _p("1password-token", "ops_eyJ", rf"{_START}ops_eyJ[A-Za-z0-9+/=_-]{{100,}}"),
    _p(
        "azure-key",
        "AccountKey= SharedAccessKey=",
        r"(?i:(?:AccountKey|SharedAccessKey)=)(?P<value>[A-Za-z0-9+/]{40,}={0,2})",
    ),
    _p("mapbox-token", "sk.eyJ", rf"{_START}sk\.eyJ[A-Za-z0-9_-]{{20,}}\.[A-Za-z0-9_-]{{20,}}"),
    _p("circleci-token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    _p("buildkite-token", "bkua_", rf"{_START}bkua_[a-f0-9]{{40}}"),
    _p("pinecone-key", "pcsk_", rf"{_START}pcsk_[A-Za-z0-9]{{5,6}}_[A-Za-z0-9]{{50,}}"),
    _p("sonar-token", "sqp_ squ_ sqa_", rf"{_START}sq[pua]_[a-f0-9]{{40}}"),
    _p("firebase-key", ":APA91b", r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{100,}"),
    _p("contentful-token", "CFPAT-", r"CFPAT-[A-Za-z0-9_-]{43}"),
    _p("teams-webhook", ".webhook.office.com/", r"webhook\.office\.com/webhookb2/[^\s)>\"']{80,}"),
    _p("zapier-webhook", "hooks.zapier.com/", r"hooks\.zapier\.com/hooks/catch/\d+/[A-Za-z0-9]{5,}"),
    _p(
        "launchdarkly-key",
        "sdk- api-",
        rf"{_START}(?:sdk|api)-[a-f0-9]{{8}}(?:-[a-f0-9]{{4}}){{3}}-[a-f0-9]{{12}}",
    ),
    _p("typeform-token", "tfp_", rf"{_START}tfp_[A-Za-z0-9_-]{{40,}}"),
    _p("easypost-key", "EZAK EZTK", rf"{_START}EZ[AT]K[A-Za-z0-9]{{54}}"),
    _p("alibaba-key", "LTAI", rf"{_LONE}LTAI[A-Za-z0-9]{{16,24}}{_END}"),
    _p("adafruit-key", "aio_", rf"{_START}aio_[A-Za-z0-9]{{28}}{_END}"),
    _p("azure-client-secret", "Q~", rf"{_START}[A-Za-z0-9_~.-]{{3}}\dQ~[A-Za-z0-9_~.-]{{31,34}}"),
    _p("azure-sas", "sig=", r"[?&]sig=(?P<value>[A-Za-z0-9%+/]{43,}(?:%3[dD]|=)?)"),
    _p("docker-token", "dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,}"),
    _p("supabase-key", "sbp_ sb_secret_", rf"{_START}(?:sbp_[a-f0-9]{{40}}|sb_secret_[A-Za-z0-9_-]{{20,}})"),
    _p(
        "vercel-token",
        "vcp_ vercel_blob_rw_",
        rf"{_START}(?:vcp_[A-Za-z0-9]{{24,}}|vercel_blob_rw_[A-Za-z0-9]{{16,}}_[A-Za-z0-9]{{24,}})",
    ),
    _p("netlify-token", "nfp_ nfc_ nfo_", rf"{_START}nf[pco]_[A-Za-z0-9]{{36,40}}{_END}"),
    _p("fly-token", "fm1_ fm2_ fo1_", rf"{_START}f[mo][12]_[A-Za-z0-9+/=_-]{{40,}}"),
    _p("render-key", "rnd_", rf"{_START}rnd_[A-Za-z0-9]{{28,}}{_END}"),
    _p("tailscale-key", "tskey-", r"tskey-[a-z]+-[A-Za-z0-9]{6,}-?[A-Za-z0-9-]{16,}"),
    _p("cloudflare-key", "v1.0-", rf"{_START}v1\.0-[a-f0-9]{{24}}-[a-f0-9]{{100,}}"),
    _p("plaid-token", "access-", r"access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f-]{27}"),
    _p("facebook-token", "EAA", rf"{_LONE}EAA[A-Za-z0-9]{{80,}}"),
    _p(
        "twitter-bearer",
        "AAAAAAAAAAAAAAAAAAAAA",
        rf"{_LONE}A{{21,26}}[B-Zb-z0-9][A-Za-z0-9]{{0,60}}%[A-Za-z0-9%]{{30,}}",
    ),
    _p("bitcoin-key", "xprv", rf"{_START}xprv[A-HJ-NP-Za-km-z1-9]{{100,}}"),
)

BLOCKS: tuple[Pattern, ...] = (
    _p("django-secret-key", "django-insecure-", r"django-insecure-(?P<value>[^\s\"'`]{30,})"),
    _p(
        "password-hash",
        "$2 $6$ $argon2 $apr1$",
        r"\$(?:apr1\$[A-Za-z0-9./]{8}\$[A-Za-z0-9./]{22}|2[aby]\$\d\d\$[A-Za-z0-9./]{53}|6\$(?:rounds=\d+\$)?[A-Za-z0-9./]{4,16}\$[A-Za-z0-9./]{86}|argon2id?\$v=\d+\$[^\s$]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+)",
        "medium",
    ),
    _p(
        "private-key",
        "-----BEGIN",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[^-]{16,}"
        r"(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    _p("private-key", "PuTTY-User-Key-File", r"PuTTY-User-Key-File-\d:[^\n]*\n(?:[^\n]+\n?){3,60}"),
    _p(
        "wireguard-key",
        "PrivateKey PresharedKey",
        r"(?:PrivateKey|PresharedKey)\s*=\s*(?P<value>[A-Za-z0-9+/]{43}=)",
    ),
)
"""Kinds whose shape goes over blanks, brackets and lines."""

_NO_PLACE = "".join(
    f"(?<!{word}{sign})"
    for word in (
        "next",
        "page",
        "lock",
        "idempotency",
        "continuation",
        "pagination",
        "sync",
        "request",
        "client",
    )
    for sign in ("", "[_-]")
)
"""Before `token`: these name a place in a list, not a right."""

IN_CONTEXT: tuple[Pattern, ...] = (
    _p(
        "nuget-password",
        "password",
        r"<add key=\"(?:ClearText)?Password\"\s+value=\"(?P<value>[^\"\s]{6,})\"",
        "medium",
        lambda value: not _PLACEHOLDER.search(value),
    ),
    _p(
        "live-key",
        "live_ test_",
        rf"{_START}(?:live|test)_[A-Za-z0-9_-]{{35,}}",
        "medium",
        lambda value: looks_long_and_random(value) and _dense(value),
    ),
    _p(
        "live-key",
        "_live_ _secret_",
        r"[a-z]{2,16}_(?:live|secret)_[A-Za-z0-9_-]{24,}",
        "high",
        lambda value: looks_long_and_random(value) and _dense(value),
    ),
    _p(
        "password-in-url",
        "://",
        r"://[^\s/@:\"'`<>()\[\]]{0,64}:(?P<value>[^\s/@:\"'`<>\[\]]{4,100})@[A-Za-z0-9\[]",
        "high",
        lambda value: not _PLACEHOLDER.search(value) and value.lower() not in _WEAK_IN_URL,
    ),
    _p(
        "bearer-token",
        "bearer ",
        r"(?i:\bbearer)\s+(?P<value>[A-Za-z0-9_.~+/-]{20,}=*)",
        "medium",
        looks_long_and_random,
    ),
    _p(
        "basic-auth",
        "basic ",
        r"(?i:\bauthorization)\W{1,4}(?i:basic)\s+(?P<value>[A-Za-z0-9+/]{12,}=*)",
        "medium",
        looks_random,
    ),
    _p(
        "aws-secret-key",
        "secret",
        rf"(?i:aws|secret)[A-Za-z_ -]{{0,24}}(?i:key){_ASSIGN}"
        r"(?P<value>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])",
        "high",
        looks_long_and_random,
    ),
    _p(
        "password",
        "passw passphrase passcode pwd",
        rf"(?i:(?:passwo?r?d|passphrase|passcode|pwd)s?(?![A-Za-z])){_ASSIGN}(?P<value>[^\s\"'`,;|<>()\[\]{{}}*]{{6,80}})",
        "medium",
        lambda value: looks_random(value) and not _CALL.search(value) and not _NAME.fullmatch(value),
    ),
    _p(
        "password",
        "passw",
        r"(?i:\bpassword)\s(?i:is|was|to)\s[\"'`*]{0,3}"
        r"(?P<value>[^\s\"'`,;|<>()\[\]{}*]{5,80}[^\s\"'`,;|<>()\[\]{}*.!?:])",
        "medium",
        lambda value: looks_random(value) and _has_digit(value) and not _NAME.fullmatch(value),
    ),
    _p(
        "password",
        "password",
        r"(?m:^)\s*(?:machine\s+\S+\s+)?login\s+\S+\s+password\s+(?P<value>\S{4,})",
        "medium",
        lambda value: not _PLACEHOLDER.search(value),
    ),
    _p(
        "wifi-key",
        "psk wpa wifi wi-fi wlan",
        r"(?i:\b(?:psk|(?:wpa[23]?|wi-?fi|wlan)[ _-](?:key|psk|pass(?:word|phrase)?|pw))\b)"
        rf"(?:{_ASSIGN}|\s+(?:is\s+)?[\"'`]?)(?P<value>[^\s\"'`,;|<>()]{{8,63}})",
        "medium",
        lambda value: looks_random(value) and (_has_digit(value) or _classes(value) > 2),
    ),
    Pattern(
        "api-key",
        ("key", "token", "secret", "credential", "_pass", "_auth"),
        re.compile(
            r"[:=][>=]?\s{0,3}[\"'`*]{0,3}(?P<value>[A-Za-z0-9_.~+!@#$%^=-][A-Za-z0-9_.~+/!@#$%^=-]{15,199})"
        ),
        "medium",
        lambda value: looks_long_and_random(value) and not _CALL.search(value) and _dense(value),
        re.compile(
            r"(?:(?i:(?:api|app|access|auth|secret|license|signing|encryption|admin|private|master)[ _-]?key|"
            r"(?<!:)secret|(?<![?&])" + _NO_PLACE + r"token|credential)s?|"
            r"[A-Z0-9]_(?:KEY|PASS|AUTH))[\"'`*]{0,3}\s{0,3}:?$"
        ),
    ),
)
