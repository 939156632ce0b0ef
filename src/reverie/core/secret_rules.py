"""The table of secret shapes: one row for each token family, and the rules that read context.

Rules:

* A shape is a fixed beginning and enough opaque characters after it. Lengths leave room on both
  sides: a provider may make its tokens longer, and a value that was cut short is still one.
* Every repetition is bounded or runs over one class that the start is guarded against
  (`_B`), so that matching is linear in the text.
* `hints` are literals, one of which every match contains: a text without them never meets the
  pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

# The left and right edge of a token. Underscores are left out: Markdown puts them around words.
_B: Final = r"(?<![A-Za-z0-9])"
_E: Final = r"(?![A-Za-z0-9])"
_BASE64URL: Final = r"[A-Za-z0-9_-]"
_DOTTED: Final = r"(?:[A-Za-z0-9_=-]|\.(?=[A-Za-z0-9]))"  # a dot at its end is the sentence's


Found: TypeAlias = tuple[int, int, str]
"""Start and end of a secret, and the id of the rule that found it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret: its stable id and what it is; a shape if the value alone gives it away."""

    id: str
    description: str
    hints: tuple[str, ...] = ()
    pattern: str = ""
    """The first group, if there is one, is the secret; else the whole match."""
    digit: bool = False
    """The value must hold a digit: the shape alone could be words."""


def _token(
    id: str, description: str, prefix: str, body: str, *hints: str, digit: bool = False
) -> Rule:
    return Rule(id, description, hints or (prefix,), f"{_B}{prefix}{body}{_E}", digit)


TOKEN_RULES: Final[tuple[Rule, ...]] = (
    # clouds
    _token("aws-access-key", "AWS access key id", "(?:AKIA|ASIA|ABIA|ACCA)", "[A-Z0-9]{12,40}",
           "AKIA", "ASIA", "ABIA", "ACCA"),
    Rule("aws-secret-key", "AWS secret access key beside its key id", ("AKIA", "ASIA"),
         _B + r"A[KS]IA[A-Z0-9]{12,40}+[\s\S]{1,100}?(?<![A-Za-z0-9+/])(?=[a-z0-9+/]{0,39}[A-Z])"
         r"([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])", digit=True),
    _token("alibaba-access-key", "Alibaba Cloud access key id", "LTAI", "[A-Za-z0-9]{12,40}"),
    _token("tencent-secret-id", "Tencent Cloud secret id", "AKID", "[A-Za-z0-9]{28,40}"),
    _token("volcengine-access-key", "Volcengine access key id", "AKLT", "[A-Za-z0-9+/]{28,80}={0,2}"),
    _token("baidu-api-key", "Baidu Cloud API key", "bce-v3/ALTAK-", "[A-Za-z0-9/-]{16,120}"),
    _token("gcp-api-key", "Google Cloud API key", "AIza", f"{_BASE64URL}{{33,120}}"),
    _token("gcp-oauth-secret", "Google OAuth client secret", "GOCSPX-", f"{_BASE64URL}{{20,80}}"),
    _token("gcp-oauth-token", "Google OAuth access token", r"ya29\.", f"{_DOTTED}{{20,2048}}", "ya29."),
    Rule("azure-storage-key", "Azure storage account key", ("AccountKey=",),
         r"AccountKey=([A-Za-z0-9+/]{40,120}={0,2})"),
    Rule("azure-client-secret", "Azure client secret", ("Q~",),
         r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{30,36}"),
    Rule("azure-sas", "Azure shared access signature", ("sig=",),
         r"[?&;]sig=([A-Za-z0-9%+/]{40,200}={0,2})"),
    _token("digitalocean-token", "DigitalOcean token", "do[opr]_v1_", "[a-f0-9]{40,80}",
           "doo_v1_", "dop_v1_", "dor_v1_"),
    _token("databricks-token", "Databricks token", "dapi", "[a-f0-9]{32}(?:-[0-9])?"),
    _token("heroku-key", "Heroku API key", "HRKU-", f"{_BASE64URL}{{30,100}}"),
    _token("fly-token", "Fly.io token", "(?:fo1_|fm[12]_)", "[A-Za-z0-9_+/=-]{30,2048}",
           "fo1_", "fm1_", "fm2_"),
    _token("vault-token", "HashiCorp Vault token", r"hv[bsr]\.", f"{_BASE64URL}{{20,400}}",
           "hvb.", "hvs.", "hvr."),
    Rule("terraform-token", "Terraform Cloud token", (".atlasv1.",),
         rf"(?<![A-Za-z0-9])[A-Za-z0-9]{{10,20}}\.atlasv1\.{_BASE64URL}{{40,100}}"),
    _token("doppler-token", "Doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.",
           f"{_DOTTED}{{30,100}}", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
    _token("cloudflare-key", "Cloudflare origin CA key", r"v1\.0-",
           "[a-f0-9]{24}-[a-f0-9]{100,200}", "v1.0-"),
    _token("supabase-token", "Supabase token", "sb(?:p|_secret)_", f"{_BASE64URL}{{20,100}}",
           "sbp_", "sb_secret_"),
    _token("planetscale-token", "PlanetScale password or token", "pscale_(?:pw|tkn|oauth)_",
           f"{_DOTTED}{{24,100}}", "pscale_"),
    # models
    _token("anthropic-key", "Anthropic API key", "sk-ant-", f"{_BASE64URL}{{16,200}}"),
    _token("openrouter-key", "OpenRouter API key", "sk-or-v1-", "[a-f0-9]{32,80}"),
    _token("openai-key", "OpenAI API key, or another key of the same `sk-` form",
           "sk-(?:proj-|svcacct-|admin-|None-|lf-)?", r"(?:[A-Za-z0-9]|[_-](?=[A-Za-z0-9_-])){16,250}",
           "sk-", digit=True),
    _token("huggingface-token", "Hugging Face token", "(?:hf_|api_org_)", "[A-Za-z0-9]{24,60}",
           "hf_", "api_org_"),
    _token("groq-key", "Groq API key", "gsk_", "[A-Za-z0-9]{30,80}"),
    _token("xai-key", "xAI API key", "xai-", "[A-Za-z0-9]{40,100}"),
    _token("perplexity-key", "Perplexity API key", "pplx-", "[A-Za-z0-9]{30,80}"),
    _token("replicate-token", "Replicate token", "r8_", "[A-Za-z0-9]{30,60}"),
    _token("tavily-key", "Tavily API key", "tvly-", f"{_BASE64URL}{{20,60}}", digit=True),
    # code hosting, packages
    _token("github-token", "GitHub token", "gh[pousr]_", "[A-Za-z0-9]{20,255}",
           "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _token("github-pat", "GitHub fine-grained token", "github_pat_", "[A-Za-z0-9_]{22,255}"),
    _token("gitlab-token", "GitLab token", "gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas|ffct|wt)-",
           f"{_DOTTED}{{16,255}}", "gl"),
    _token("gitlab-runner-token", "GitLab runner registration token", "GR1348941", f"{_BASE64URL}{{20,80}}"),
    _token("atlassian-token", "Atlassian or Bitbucket token", "AT(?:ATT3|BB|CTT3)", "[A-Za-z0-9_=-]{24,250}",
           "ATATT3", "ATBB", "ATCTT3", digit=True),
    _token("npm-token", "npm access token", "npm_", "[A-Za-z0-9]{30,60}"),
    Rule("npm-auth", "npm registry password in an .npmrc", ("_authToken", "_auth", "_password"),
         r":_(?:authToken|auth|password)[\"']?[ \t]{0,3}[=:][ \t]{0,3}[\"']?([A-Za-z0-9+/_=-]{16,255})"),
    _token("pypi-token", "PyPI token", "pypi-", f"AgE{_BASE64URL}{{16,255}}"),
    _token("rubygems-key", "RubyGems API key", "rubygems_", "[a-f0-9]{40,60}"),
    _token("docker-token", "Docker Hub token", "dckr_(?:pat|oat)_", f"{_BASE64URL}{{20,80}}", "dckr_"),
    # chat and mail
    _token("slack-token", "Slack token", r"xox[abdeoprsc](?:-\d)?-", "[A-Za-z0-9-]{10,250}", "xox",
           digit=True),
    _token("slack-app-token", "Slack app token", r"xapp-\d-", "[A-Za-z0-9-]{16,250}", "xapp-"),
    Rule("slack-webhook", "Slack webhook address", ("hooks.slack.com/",),
         r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/]{20,150})"),
    Rule("discord-token", "Discord bot token", (".",),
         rf"(?<![A-Za-z0-9_.-])[MNO]{_BASE64URL}{{23,27}}\.{_BASE64URL}{{6}}"
         rf"\.{_BASE64URL}{{27,40}}(?![A-Za-z0-9_-])"),
    Rule("discord-webhook", "Discord webhook address", ("/api/webhooks/",),
         rf"/api/webhooks/\d{{10,25}}/({_BASE64URL}{{40,100}})"),
    Rule("telegram-token", "Telegram bot token", (":",),
         rf"(?<![A-Za-z0-9])(?:bot)?(\d{{8,10}}:(?=[a-z0-9_-]{{0,33}}[A-Z]){_BASE64URL}{{34,36}})"
         r"(?![A-Za-z0-9_-])"),
    _token("sendgrid-key", "SendGrid API key", r"SG\.",
           rf"{_BASE64URL}{{16,32}}\.{_BASE64URL}{{16,64}}", "SG."),
    _token("mailgun-key", "Mailgun API key", "key-", "[0-9a-f]{32}"),
    _token("brevo-key", "Brevo API key", "xkeysib-", "[a-f0-9]{40,80}-[A-Za-z0-9]{12,24}"),
    _token("twilio-key", "Twilio API key", "SK", "[0-9a-f]{32}"),
    # money, products
    _token("stripe-key", "Stripe secret or restricted key", "[sr]k_(?:live|test|prod)_",
           "[A-Za-z0-9]{10,250}", "k_live_", "k_test_", "k_prod_"),
    _token("stripe-webhook-secret", "Stripe webhook secret", "whsec_", "[A-Za-z0-9+/]{20,80}={0,2}"),
    _token("shopify-token", "Shopify token", "shp(?:at|ca|pa|ss)_", "[a-fA-F0-9]{32}",
           "shpat_", "shpca_", "shppa_", "shpss_"),
    _token("notion-token", "Notion token", "(?:ntn_|secret_)", "[A-Za-z0-9]{40,60}",
           "ntn_", "secret_", digit=True),
    _token("linear-key", "Linear API key", "lin_(?:api|oauth)_", "[A-Za-z0-9]{32,80}", "lin_"),
    _token("figma-token", "Figma token", "fig[dour]_", f"{_BASE64URL}{{30,80}}",
           "figd_", "figo_", "figu_", "figr_"),
    _token("postman-key", "Postman API key", "PMAK-", "[a-f0-9]{24}-[a-f0-9]{34}"),
    _token("grafana-token", "Grafana token", "(?:glsa_|glc_)", "[A-Za-z0-9_+/=-]{30,250}", "glsa_", "glc_"),
    _token("newrelic-key", "New Relic key", "NRAK-", "[A-Z0-9]{24,30}"),
    _token("sentry-token", "Sentry token", "sntry[su]_", "[A-Za-z0-9_+/=-]{40,400}", "sntrys_", "sntryu_"),
    _token("airtable-token", "Airtable token", r"pat[A-Za-z0-9]{14}\.", "[a-f0-9]{64}", "pat"),
    _token("age-key", "age secret key", "AGE-SECRET-KEY-1", "[A-Z0-9]{40,80}"),
    Rule("seed-phrase", "Recovery phrase of a wallet", ("phrase", "nemonic", "助记词"),
         r"(?:(?:[Ss]eed|[Rr]ecovery|[Bb]ackup) [Pp]hrase|[Mm]nemonic(?: [Pp]hrase)?|助记词)[*_`\"']{0,3}"
         r"(?: is|是|为)? ?[:=]?[ \n*_`\"']{1,5}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![A-Za-z])"),
    Rule("jwt", "JSON Web Token", ("eyJ",),
         rf"(?<![A-Za-z0-9_-])eyJ{_BASE64URL}{{8,}}+\.{_BASE64URL}{{8,}}+\.{_BASE64URL}{{8,}}+"),
)  # fmt: skip

# These are the library's: `secret_library` asks its detectors.
ARTIFACTORY: Final = Rule("artifactory-token", "Artifactory token or encrypted password")
CLOUDANT: Final = Rule("cloudant-key", "Cloudant password or API key")
MAILCHIMP: Final = Rule("mailchimp-key", "Mailchimp API key")
SOFTLAYER: Final = Rule("softlayer-key", "SoftLayer API key")
SQUARE: Final = Rule("square-secret", "Square OAuth secret")
LIBRARY_RULES: Final = (ARTIFACTORY, CLOUDANT, MAILCHIMP, SOFTLAYER, SQUARE)

# These need more than a shape: their code is in `secret_context`.
PRIVATE_KEY: Final = Rule("private-key", "Private key block (PEM, OpenSSH, PGP) with its body")
CONNECTION: Final = Rule(
    "connection-password", "Password inside an address, as in scheme://user:password@host"
)
AUTHORIZATION: Final = Rule(
    "authorization-header", "Credentials of an Authorization header, or after Bearer"
)
PASSWORD: Final = Rule("password", "A concrete value given to a password, in several languages")
ASSIGNMENT: Final = Rule(
    "secret-assignment", "A random-looking value given to a key, secret or token"
)

CONTEXT_RULES: Final = (PRIVATE_KEY, CONNECTION, AUTHORIZATION, PASSWORD, ASSIGNMENT)


@cache
def compiled(rule: Rule) -> re.Pattern[str]:
    """Compile a rule's pattern the first time a text holds one of its hints."""
    return re.compile(rule.pattern)
