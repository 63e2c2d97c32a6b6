"""Made-up secrets and personal details. They are put together here, so that no file of ours holds one."""

from __future__ import annotations

import random
import string

LOWER_HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
LOWER = string.ascii_lowercase + string.digits
WORD = string.ascii_letters + string.digits
BASE64 = WORD + "+/"


def made(length: int, alphabet: str = WORD, *, seed: int = 1) -> str:
    """Random characters, each kind of the alphabet among them; the same for a seed on every machine."""
    chance = random.Random(f"{length}{alphabet}{seed}")
    return "".join(chance.choice(alphabet) for _ in range(length))


def uuid(seed: int = 1) -> str:
    digits = made(32, LOWER_HEX, seed=seed)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


SECRETS: dict[str, tuple[str, str]] = {
    "aws id": ("aws_access_key_id = {}", "AKIA" + made(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
    "aws key": ("AWS_SECRET_ACCESS_KEY={}", made(40, BASE64)),
    "github classic": ("export GITHUB_TOKEN={}", "ghp_" + made(36)),
    "github fine": ("token: {}", "github_pat_" + made(22) + "_" + made(59)),
    "github app": ("use {} for the app", "ghs_" + made(36)),
    "gitlab": ("glab auth login --token {}", "glpat-" + made(20)),
    "gitlab deploy": ("docker login -p {}", "gldt-" + made(20)),
    "slack bot": (
        "SLACK={}",
        "xoxb-" + made(12, string.digits) + "-" + made(12, string.digits) + "-" + made(24),
    ),
    "slack hook": (
        "curl https://{}",
        "hooks.slack.com/services/T" + made(8, UPPER) + "/B" + made(8, UPPER) + "/" + made(24),
    ),
    "stripe": ("stripe.api_key = '{}'", "sk_live_" + made(24)),
    "stripe restricted": ("key {}", "rk_test_" + made(24)),
    "openai project": ("OPENAI_API_KEY={}", "sk-proj-" + made(74)),
    "openai old": ("key: {}", "sk-" + made(20) + "T3BlbkFJ" + made(20)),
    "anthropic": ("ANTHROPIC_API_KEY={}", "sk-ant-api03-" + made(93) + "AA"),
    "openrouter": ("{}", "sk-or-v1-" + made(64, LOWER_HEX)),
    "google key": ("maps: {}", "AIza" + made(35)),
    "google oauth": ("client_secret: {}", "GOCSPX-" + made(28)),
    "google access": ("Authorization: Bearer {}", "ya29." + made(60)),
    "ssh key": (
        "{}",
        "-----BEGIN OPENSSH PRIVATE "
        + "KEY-----\n"
        + made(64, BASE64)
        + "\n-----END OPENSSH PRIVATE KEY-----",
    ),
    "rsa key": (
        "{}",
        "-----BEGIN RSA PRIVATE " + "KEY-----\n" + made(64, BASE64) + "\n-----END RSA PRIVATE KEY-----",
    ),
    "jwt": ("cookie {}", "eyJ" + made(33) + ".eyJ" + made(40) + "." + made(43)),
    "npm": ("//registry.npmjs.org/:_authToken={}", "npm_" + made(36)),
    "pypi": ("password = {}", "pypi-AgEIcHlwaS5vcmc" + made(60)),
    "rubygems": ("{}", "rubygems_" + made(48, LOWER_HEX)),
    "sendgrid": ("SENDGRID={}", "SG." + made(22) + "." + made(43)),
    "mailgun": ("mailgun: {}", "key-" + made(32, LOWER_HEX)),
    "mailchimp": ("{}", made(32, LOWER_HEX) + "-us12"),
    "twilio": ("TWILIO={}", "SK" + made(32, LOWER_HEX)),
    "telegram": ("bot {}", made(9, "123456789") + ":AA" + made(33)),
    "discord": ("bot: {}", "M" + made(23) + "." + made(6) + "." + made(27)),
    "discord hook": ("https://{}", "discord.com/api/webhooks/" + made(18, "123456789") + "/" + made(68)),
    "digitalocean": ("{}", "dop_v1_" + made(64, LOWER_HEX)),
    "databricks": ("{}", "dapi" + made(32, LOWER_HEX)),
    "hugging face": ("HF_TOKEN={}", "hf_" + made(34, string.ascii_letters)),
    "replicate": ("{}", "r8_" + made(37)),
    "groq": ("{}", "gsk_" + made(52)),
    "shopify": ("{}", "shpat_" + made(32, LOWER_HEX)),
    "atlassian": ("{}", "ATATT3xFfGF0" + made(60)),
    "linear": ("{}", "lin_api_" + made(40)),
    "notion": ("NOTION={}", "secret_" + made(43)),
    "airtable": ("{}", "pat" + made(14) + "." + made(64, LOWER_HEX)),
    "figma": ("{}", "figd_" + made(40)),
    "planetscale": ("{}", "pscale_tkn_" + made(43)),
    "new relic": ("{}", "NRAK-" + made(27, UPPER)),
    "grafana": ("{}", "glsa_" + made(32) + "_" + made(8, LOWER_HEX)),
    "vault": ("VAULT_TOKEN={}", "hvs." + made(24)),
    "doppler": ("{}", "dp.pt." + made(43)),
    "age": ("{}", "AGE-SECRET-KEY-1" + made(58, UPPER)),
    "azure storage": ("DefaultEndpointsProtocol=https;AccountName=x;AccountKey={}", made(86, BASE64) + "=="),
    "supabase": ("{}", "sbp_" + made(40, LOWER_HEX)),
    "url": ("postgres://app:{}@db.internal:5432/x", "kT9" + made(10)),
    "password in yaml": ("db:\n  password: {}", "Tr0ub4dor&3x!"),
    "password in prose": ("The admin password is {}.", "gr33nHorse77"),
    "netrc": ("machine ftp.example.org\nlogin me\npassword {}", "s3cr3tPizza"),
    "wifi": ("WPA key: {}", "blue9Kettle4Run"),
    "basic header": ("Authorization: Basic {}", "YWRtaW46aHVudGVy" + "MkFiYzEyMw=="),
    "django": ("SECRET_KEY = 'django-insecure-{}'", made(50, "abcdefghijklmnop0123456789!@#%^&*(-_=+)")),
    "generic key": ("acme_api_key: {}", made(32)),
    "mapbox": ("{}", "sk.eyJ1Ijoi" + made(60) + "." + made(22)),
    "okta": ("OKTA_API_TOKEN={}", "00" + made(40)),
    "circleci": ("{}", "CCIPAT_" + made(22) + "_" + made(40, LOWER_HEX)),
    "buildkite": ("{}", "bkua_" + made(40, LOWER_HEX)),
    "algolia": ("ALGOLIA_ADMIN_KEY={}", made(32, LOWER_HEX)),
    "datadog": ("DD_API_KEY={}", made(32, LOWER_HEX)),
    "pinecone": ("PINECONE={}", "pcsk_" + made(6) + "_" + made(63)),
    "cohere": ("COHERE_API_KEY={}", made(40)),
    "snyk": ("SNYK_TOKEN={}", uuid()),
    "sonar": ("{}", "sqp_" + made(40, LOWER_HEX)),
    "firebase fcm": ("{}", "AAAA" + made(7) + ":APA91b" + made(134)),
    "contentful": ("{}", "CFPAT-" + made(43)),
    "teams hook": (
        "https://{}",
        "acme.webhook.office.com/webhookb2/"
        + uuid()
        + "@"
        + uuid(2)
        + "/IncomingWebhook/"
        + made(32, LOWER_HEX)
        + "/"
        + uuid(3),
    ),
    "zapier": ("https://{}", "hooks.zapier.com/hooks/catch/1234567/" + made(7) + "/"),
    "mongodb": ("mongodb+srv://svc:{}@cluster0.ab1cd.mongodb.net/x", made(16)),
    "redis": ("redis://:{}@cache:6379", made(20)),
    "jdbc": ("jdbc:postgresql://db/x?user=a&password={}", made(14)),
    "k8s": ("apiVersion: v1\nkind: Secret\ndata:\n  password: {}", "UzNjcjN0UGFzc3cwcmQ="),
    "htpasswd": ("admin:{}", "$apr1$" + made(8) + "$" + made(22)),
    "launchdarkly": ("{}", "sdk-" + uuid()),
    "typeform": ("{}", "tfp_" + made(44)),
    "easypost": ("{}", "EZAK" + made(54)),
    "duffel": ("{}", "duffel_live_" + made(43)),
    "alibaba": ("ALIBABA id {}", "LTAI" + made(20)),
    "adafruit": ("{}", "aio_" + made(28)),
    "auth0": ("AUTH0_CLIENT_SECRET={}", made(64)),
    "fastly": ("FASTLY_API_TOKEN={}", made(32)),
    "cloudflare": ("CLOUDFLARE_API_TOKEN={}", made(40)),
    "gcp sa": (
        '"private_key": "{}"',
        "-----BEGIN PRIVATE " + "KEY-----\\n" + made(64, BASE64) + "\\n-----END PRIVATE KEY-----\\n",
    ),
    "wireguard": ("[Interface]\nPrivateKey = {}", made(43, BASE64) + "="),
    "1password secret key": (
        "{}",
        "A3-"
        + made(6, UPPER)
        + "-"
        + made(6, UPPER)
        + "-"
        + made(5, UPPER)
        + "-"
        + made(5, UPPER)
        + "-"
        + made(5, UPPER),
    ),
    "adobe": ("client secret {}", "p8e-" + made(32, LOWER)),
    "artifactory": ('curl -H "X-JFrog-Art-Api: {}" https://a.example', "AKCp" + made(69)),
    "artifactory ref": ("{}", "cmVmd" + made(59)),
    "authress": (
        "{}",
        "sc_" + made(10, LOWER) + "." + made(5, LOWER) + ".acc-" + made(12, LOWER) + "." + made(60),
    ),
    "bedrock": ("AWS_BEARER_TOKEN_BEDROCK={}", "ABSK" + made(120)),
    "clickhouse": ("clickhouse secret {}", "4b1d" + made(38)),
    "clojars": ("{}", "CLOJARS_" + made(60, LOWER)),
    "codecov": ("CODECOV_TOKEN: {}", uuid(9)),
    "coinbase": ("COINBASE_API_SECRET={}", made(64, LOWER)),
    "confluent": ("confluent api secret: {}", made(64)),
    "datadog app": ("DATADOG_APP_KEY={}", made(40, LOWER_HEX)),
    "defined net": ("{}", "dnkey-" + made(26) + "-" + made(52)),
    "drone": ("export DRONE_TOKEN={}", made(32)),
    "dynatrace": ("{}", "dt0c01." + made(24, UPPER) + "." + made(64, UPPER)),
    "etsy": ("etsy api key = {}", made(24, LOWER)),
    "flutterwave": ("{}", "FLWSECK_TEST-" + made(32, "abcdefgh0123456789") + "-X"),
    "frameio": ("{}", "fio-u-" + made(64)),
    "freemius": ("'secret_key' => '{}'", "sk_" + made(29)),
    "gitlab runner reg": ("{}", "GR1348941" + made(20)),
    "gitlab ff": ("{}", "glffct-" + made(20)),
    "gitlab cookie": ("Cookie: _gitlab_session={}", made(32, LOWER)),
    "gocardless": ("gocardless: {}", "live_" + made(40)),
    "grafana api": ("{}", "eyJrIjoi" + made(84)),
    "harness": ("{}", "pat." + made(22) + "." + made(24) + "." + made(20)),
    "hubspot": ("HUBSPOT_API_KEY={}", uuid(4).upper()),
    "hf org": ("{}", "api_org_" + made(34, string.ascii_letters)),
    "infracost": ("infracost configure set api_key {}", "ico-" + made(32)),
    "intercom": ('INTERCOM_ACCESS_TOKEN="{}"', made(60)),
    "intra42": ("{}", "s-s4t2ud-" + made(64, LOWER_HEX)),
    "kraken": ("kraken private key: {}", made(86, BASE64) + "=="),
    "lob": ("LOB_KEY={}", "live_" + made(35, LOWER_HEX)),
    "mattermost": ("mattermost token: {}", made(26, LOWER)),
    "maxmind": ("{}", made(6) + "_" + made(29) + "_mmk"),
    "nuget": ('<add key="ClearTextPassword" value="{}" />', "pQ7" + made(12)),
    "octopus": ("{}", "API-" + made(26, UPPER)),
    "openshift": ("oc login --token={}", "sha256~" + made(43)),
    "prefect": ("{}", "pnu_" + made(36)),
    "readme": ("{}", "rdme_" + made(70, LOWER)),
    "scalingo": ("{}", "tk-us-" + made(48)),
    "sendbird": ("Api-Token: {}", made(40, LOWER_HEX)),
    "settlemint": ("{}", "sm_pat_" + made(16)),
    "shippo": ("{}", "shippo_live_" + made(40, LOWER_HEX)),
    "sidekiq": (
        "bundle config --global https://{}@gems.contribsys.com/",
        "a1" + made(6, LOWER_HEX) + ":" + made(8, LOWER_HEX),
    ),
    "sourcegraph": ("{}", "sgp_" + made(40, LOWER_HEX)),
    "sumologic": ("SUMO_ACCESS_KEY={}", made(64)),
    "yandex": ("{}", "AQVN" + made(38)),
    "zendesk": ("ZENDESK_API_TOKEN={}", made(40)),
}
"""Kind: the line it stands in, and the secret itself."""

PERSONAL: dict[str, str] = {
    "home": "/home/marta/work/api.log",
    "mac home": "/Users/jonas.k/Library",
    "windows home": "C:\\Users\\Petra\\Desktop",
    "windows home, slashes": "C:/Users/Petra/Desktop",
    "wsl": "/mnt/c/Users/Petra/x",
    "file url": "file:///home/marta/x.txt",
    "project folder": "-home-marta-work-api",
    "mac project folder": "-Users-jonas-src",
    "mail": "marta.klein@firma-klein.de",
    "mailto": "mailto:jonas@posteo.net",
    "plus mail": "jonas+lists@gmail.com",
    "private net": "192.168.178.23",
    "ten net": "10.42.7.119",
    "public address": "84.112.33.201",
    "ipv6": "2a02:908:1980:a3c0::12f",
    "private v6": "fd12:3456:789a:1::1",
    "internal host": "build7.corp",
    "intranet": "jira.firma.intranet",
    "lan": "nas.home.lan",
    "card": "4539 1488 0343 6467",
    "iban": "DE89 3704 0044 0532 0130 00",
    "phone": "+49 30 901820417",
}

TRAPS: tuple[str, ...] = (
    "a::b std::vec::Vec",
    "foo@2x.png",
    "user@example.com",
    "noreply@github.com",
    "git@github.com:owner/repo.git",
    "version 1.2.3.4",
    "127.0.0.1:8080 and 0.0.0.0",
    "192.0.2.17 203.0.113.5 2001:db8::1",
    "/home/user/project and /Users/<name>/x",
    "the /home/ folder and $HOME",
    "12:30:45 and 10:20",
    "deadbeef and d41d8cd98f00b204e9800998ecf8427e",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "API_KEY=your-api-key-here",
    "password: ${DB_PASSWORD}",
    "password: <your password>",
    "token = os.environ['TOKEN']",
    "api_key = config.get_api_key(name)",
    "secret: changeme",
    "the token: a string that identifies the user",
    "postgres://user:password@localhost/db",
    "https://example.com/a?token=abc",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AKIAIOSFODNN7EXAMPLE",
    "sk-learn-contrib-and-other-names",
    "key: some-long-kebab-case-identifier-name",
    "accessTokenLifetimeInSeconds: 3600",
    "npm_config_registry and pypi-server",
    "MEM-20260318-001 and TIP-20260318-143022",
    "model: claude-3-5-sonnet-20241022",
    "--token-limit=200000",
    '"NextToken": "OzL223pDKy9116O/02KXRqFIEAwxjy7Qw"',
    "next_page_token: AAAAKgAAAAEAAAAAAAAAA2QJKNtidV3Kx9",
    "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestDatabaseSecret-a1b2c3",
    '"ClientToken": "d5c090f5-8a0f-49c7-8281-72c79681"',
    "LockToken: 1eb5ec48-77ab-4cde-91f0-ee9b90aa12c7",
    "see https://docs.example.net/open?id=3&token=doccnyDAGXemFOBj9GwEdiDiQmg",
    "alternative solutions before switching to PSK ciphers.",
    "Basic authentication and Bearer tokens are supported",
)
"""What must not be taken for either."""
