"""The table of secret shapes: one row for each token family, and the rules that read context.

Rules:

* A shape is a fixed beginning and enough opaque characters after it. Lengths leave room on both
  sides: a provider may make its tokens longer, and a value that was cut short is still one.
* Every repetition is bounded or runs over one class that the start is guarded against
  (`LEFT_EDGE`), so that matching is linear in the text.
* `hints` are literals, one of which every match contains: a text without them never meets the
  pattern.
* A telling beginning (`ghp_`, `sk_live_`) is found glued to a word as well; a short or plain one
  (`SK`, `hf_`) needs an edge on both sides.
* What public lists know besides is in `secret_families`, in facts; `secret_matching` makes their patterns.
"""

# ruff: noqa: E501  # one row, one line

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

# The left and right edge of a token. Underscores are left out: Markdown puts them around words.
LEFT_EDGE: Final = r"(?<![A-Za-z0-9])"
RIGHT_EDGE: Final = r"(?![A-Za-z0-9])"
_BASE64URL: Final = r"[A-Za-z0-9_-]"
_MARKS: Final = frozenset("_-.:/~+")
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
    weak: bool = False
    """What follows must not be made of words."""
    begins: bool = False
    """The hints are how the tokens begin: only where one stands is the pattern tried."""


def is_strong(prefix: str) -> bool:
    """Tell whether a beginning is so telling that its token may be glued to words on both sides."""
    return len(prefix) >= 4 and not _MARKS.isdisjoint(prefix)


def _token(
    id: str, description: str, prefix: str, body: str, *hints: str, digit: bool = False
) -> Rule:
    hints = hints or (prefix,)
    left, right = ("", "") if all(map(is_strong, hints)) else (LEFT_EDGE, RIGHT_EDGE)
    return Rule(id, description, hints, f"{left}{prefix}{body}{right}", digit, begins=True)


_GITLAB: Final = ("pat", "dt", "ft", "soat", "rt", "rtr", "cbt", "imt", "ptt", "agent", "oas", "ffct", "wt")  # fmt: skip

TOKEN_RULES: Final[tuple[Rule, ...]] = (
    # clouds
    Rule("aws-access-key", "AWS access key id", ("AKIA", "ASIA", "ABIA", "ACCA"),
         r"(?:AKIA|ASIA|ABIA|(?<![A-Za-z0-9])ACCA)[A-Z0-9]{16,40}|(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,15}(?![A-Za-z0-9])"),
    _token("aws-bedrock-key", "Amazon Bedrock API key", "(?:ABSK(?=[A-Za-z0-9+/=]{60})|bedrock-api-key-)",
           "[A-Za-z0-9+/=]{30,400}", "ABSK", "bedrock-api-key-"),
    Rule("aws-secret-key", "AWS secret access key beside its key id", ("AKIA", "ASIA"),
         LEFT_EDGE + r"A[KS]IA[A-Z0-9]{12,40}+[\s\S]{1,100}?(?<![A-Za-z0-9+/])(?=[a-z0-9+/]{0,39}[A-Z])"
         r"([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])", digit=True),
    _token("alibaba-access-key", "Alibaba Cloud access key id", "LTAI", "[A-Za-z0-9]{12,40}"),
    Rule("alibaba-secret-key", "Alibaba Cloud secret beside its key id", ("LTAI",),
         LEFT_EDGE + r"LTAI[A-Za-z0-9]{12,40}+[^\0]{1,100}?(?<![A-Za-z0-9])(?=[a-z0-9]{0,29}[A-Z])([A-Za-z0-9]{30})(?![A-Za-z0-9])", digit=True),
    _token("tencent-secret-id", "Tencent Cloud secret id", "AKID", "[A-Za-z0-9]{28,40}"),
    _token("volcengine-access-key", "Volcengine access key id", "AKLT", "[A-Za-z0-9+/]{28,80}={0,2}"),
    _token("baidu-api-key", "Baidu Cloud API key", "bce-v3/ALTAK-", "[A-Za-z0-9/-]{16,120}"),
    _token("gcp-api-key", "Google Cloud API key", "AIza", f"{_BASE64URL}{{33,120}}"),
    _token("gcp-oauth-secret", "Google OAuth client secret", "GOCSPX-", f"{_BASE64URL}{{20,80}}"),
    _token("gcp-oauth-token", "Google OAuth access token", r"ya29\.", f"{_DOTTED}{{20,2048}}", "ya29."),
    _token("gcp-express-key", "Google Cloud key of the express mode", r"AQ\.Ab", f"{_BASE64URL}{{30,120}}", "AQ.Ab"),
    Rule("gcp-client-secret", "Google OAuth client secret beside its client id", (".apps.googleusercontent.com",),
         r"\.apps\.googleusercontent\.com[^\0]{1,60}?(?<![A-Za-z0-9_-])(?=[a-z0-9_-]{0,23}[A-Z])([A-Za-z0-9_-]{24})(?![A-Za-z0-9_-])", digit=True),
    Rule("azure-storage-key", "Azure storage account key", ("AccountKey=",),
         r"AccountKey=([A-Za-z0-9+/]{40,120}={0,2})"),
    Rule("azure-client-secret", "Azure client secret", ("Q~",),
         r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{30,36}"),
    Rule("azure-sas", "Azure shared access signature", ("sig=",),
         r"[?&;]sig=([A-Za-z0-9%+/]{40,200}={0,2})"),
    _token("digitalocean-token", "DigitalOcean token", "do[opr]_v1_", "[A-Fa-f0-9]{40,80}",
           "doo_v1_", "dop_v1_", "dor_v1_"),
    _token("databricks-token", "Databricks token", "dapi", "[a-fA-F0-9]{32}(?:-[0-9])?"),
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
    _token("supabase-token", "Supabase token", "sb(?:p_(?:v0_)?|_secret_)", f"{_BASE64URL}{{20,100}}",
           "sbp_", "sb_secret_", digit=True),
    _token("planetscale-token", "PlanetScale password or token", "pscale_(?:pw|tkn|oauth)_",
           f"{_DOTTED}{{24,100}}", "pscale_pw_", "pscale_tkn_", "pscale_oauth_"),
    # models
    _token("anthropic-key", "Anthropic API key", "sk-ant-", f"{_BASE64URL}{{16,200}}"),
    _token("openrouter-key", "OpenRouter API key", "sk-or-v1-", "[a-f0-9]{32,80}"),
    _token("openai-key", "OpenAI API key, or another key of the same `sk-` form",
           "sk-(?!ecdsa-|ssh-)(?:proj-|svcacct-|admin-|None-|lf-)?", r"(?:[A-Za-z0-9]|[_-](?=[A-Za-z0-9_-])){16,250}",
           "sk-", digit=True),
    _token("huggingface-token", "Hugging Face token", "(?:hf_|api_org_)", "[A-Za-z0-9]{24,60}",
           "hf_", "api_org_"),
    _token("groq-key", "Groq API key", "gsk_", "[A-Za-z0-9]{30,80}"),
    _token("xai-key", "xAI API key", "xai-", f"{_BASE64URL}{{40,100}}", digit=True),
    _token("perplexity-key", "Perplexity API key", "pplx-", "[A-Za-z0-9]{30,80}"),
    _token("replicate-token", "Replicate token", "r8_", f"{_BASE64URL}{{30,60}}", digit=True),
    _token("tavily-key", "Tavily API key", "tvly-", f"{_BASE64URL}{{20,60}}", digit=True),
    # code hosting, packages
    _token("github-token", "GitHub token", "gh[pousr]_", "(?:[A-Za-z0-9]|_(?=[A-Za-z0-9])){20,255}",
           "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _token("github-pat", "GitHub fine-grained token", "github_pat_", "[A-Za-z0-9_]{22,255}"),
    _token("gitlab-token", "GitLab token", "gl(?:pat|dt|ft|soat|rtr?|cbt|imt|ptt|agent|oas|ffct|wt)-",
           f"{_DOTTED}{{16,255}}", *(f"gl{kind}-" for kind in _GITLAB)),
    _token("gitlab-runner-token", "GitLab runner registration token", "GR1348941", f"{_BASE64URL}{{20,80}}"),
    _token("atlassian-token", "Atlassian or Bitbucket token", "AT(?:ATT3|BB|CTT3)", "[A-Za-z0-9_=-]{24,250}",
           "ATATT3", "ATBB", "ATCTT3", digit=True),
    _token("npm-token", "npm access token", "npm_", "[A-Za-z0-9]{30,60}"),
    Rule("npm-auth", "npm registry password in an .npmrc", ("_authToken", "_auth", "_password"),
         r":_(?:authToken|auth|password)[\"']?[ \t]{0,3}[=:][ \t]{0,3}[\"']?([A-Za-z0-9+/_=-]{16,255})"),
    _token("pypi-token", "PyPI token", "pypi-", f"AgE{_BASE64URL}{{16,255}}"),
    _token("rubygems-key", "RubyGems API key", "rubygems_", "[A-Za-z0-9]{40,60}"),
    _token("docker-token", "Docker Hub token", "dckr_(?:pat|oat)_", f"{_BASE64URL}{{20,80}}", "dckr_"),
    # chat and mail
    _token("slack-token", "Slack token", r"xox(?:e\.xox)?[abdeoprsc](?:[-.]\d)?-", "[A-Za-z0-9-]{10,250}",
           "xoxa-", "xoxb-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", digit=True),
    _token("slack-app-token", "Slack app token", r"xapp-\d-", "[A-Za-z0-9-]{16,250}", "xapp-"),
    Rule("slack-webhook", "Slack webhook address", ("hooks.slack.com/",),
         r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/]{20,150})"),
    Rule("discord-token", "Discord bot token", (".",),
         rf"(?<![A-Za-z0-9_.-])[MNO]{_BASE64URL}{{23,27}}\.{_BASE64URL}{{6}}"
         rf"\.{_BASE64URL}{{27,40}}(?![A-Za-z0-9_-])"),
    Rule("discord-webhook", "Discord webhook address", ("/api/webhooks/",),
         rf"/api/webhooks/\d{{10,25}}/({_BASE64URL}{{40,100}})"),
    Rule("telegram-token", "Telegram bot token", (":",),
         rf"(?<![A-Za-z0-9])(?:bot)?((?:\d{{8,10}}:(?=[a-z0-9_-]{{0,33}}[A-Z])|\d{{6,12}}:AA){_BASE64URL}{{33,36}})"
         r"(?![A-Za-z0-9_-])"),
    _token("sendgrid-key", "SendGrid API key", r"SG\.",
           rf"{_BASE64URL}{{16,32}}\.{_BASE64URL}{{16,64}}", "SG."),
    _token("mailgun-key", "Mailgun API key", "key-", "[0-9a-f]{32}"),
    _token("brevo-key", "Brevo API or mail key", "x(?:keysib|smtpsib)-", "[A-Za-z0-9-]{40,110}",
           "xkeysib-", "xsmtpsib-", digit=True),
    _token("twilio-key", "Twilio API key", "SK", "(?:[0-9a-f]{32}|[0-9A-F]{32})"),
    # money, products
    _token("stripe-key", "Stripe secret or restricted key", "[sr]k_(?:live|test|prod)_",
           "(?:[A-Za-z0-9]|[_-](?=[A-Za-z0-9])){10,250}", *(f"{one}k_{kind}_" for one in "sr" for kind in ("live", "test", "prod"))),
    _token("stripe-webhook-secret", "Stripe webhook secret", "whsec_", "[A-Za-z0-9+/]{20,80}={0,2}"),
    _token("shopify-token", "Shopify token", "shp(?:at|ca|pa|ss|tka|ua|rt|ct|ex)_", "[A-Za-z0-9_]{24,64}",
           *(f"shp{kind}_" for kind in ("at", "ca", "pa", "ss", "tka", "ua", "rt", "ct", "ex"))),
    _token("notion-token", "Notion token", "(?:ntn_|secret_)", "[A-Za-z0-9]{40,60}",
           "ntn_", "secret_", digit=True),
    _token("linear-key", "Linear API key", "lin_(?:api|oauth)_", "[A-Za-z0-9]{32,80}", "lin_"),
    _token("figma-token", "Figma token", "fig(?:[dpour]|[ou][rh])_", f"{_BASE64URL}{{30,80}}",
           "figd_", "figp_", "figo_", "figu_", "figr_", "figur_", "figor_", "figuh_", "figoh_"),
    _token("postman-key", "Postman API key", "PMA[KT]-", "[A-Za-z0-9-]{20,90}", "PMAK-", "PMAT-", digit=True),
    _token("grafana-token", "Grafana token", "(?:glsa_|glc_|eyJrIjoi)", "[A-Za-z0-9_+/=-]{30,400}",
           "glsa_", "glc_", "eyJrIjoi"),
    _token("newrelic-key", "New Relic key", "NR(?:AK|AA|RA|II|IQ|JS|BR)-", f"{_BASE64URL}{{17,60}}",
           "NRAK-", "NRAA-", "NRRA-", "NRII-", "NRIQ-", "NRJS-", "NRBR-", digit=True),
    Rule("newrelic-license", "New Relic license key", ("NRAL", "-NRMA"), r"(?<![A-Za-z0-9])[A-Za-z0-9]{30,48}(?:NRAL|-NRMA)(?![A-Za-z0-9])", digit=True),
    _token("sentry-token", "Sentry token", "sntry[su]_", "[A-Za-z0-9_+/=-]{40,400}", "sntrys_", "sntryu_"),
    _token("airtable-token", "Airtable token", r"pat[A-Za-z0-9]{14}\.", "[a-f0-9]{64}", "pat"),
    # more of today's services; what public lists know besides is in `secret_families`
    _token("google-refresh-token", "Google OAuth refresh token", "1//0", f"{_BASE64URL}{{30,120}}", digit=True),
    Rule("firebase-key", "Firebase messaging key", (":APA91b",), rf"AAAA{_BASE64URL}{{7}}:APA91b{_BASE64URL}{{100,180}}"),
    Rule("azure-key", "Azure key that carries its service's mark", ("AzCa", "AzFu", "AzSe", "+ACR", "+ASt", "+AMC",
         "+ABa", "ACDb", "AIoT", "APIM", "+ARm", "+AEh", "JQQJ9", "AZDO"),
         r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{33,80}(?:Az(?:Ca|Fu|Se)|\+A(?:CR|St|MC|Ba|Rm|Eh)|ACDb|AIoT|APIM|JQQJ9\d|AZDO)"
         r"[A-Za-z0-9+/]{4,60}={0,2}(?![A-Za-z0-9+/])", digit=True),
    Rule("azure-function-key", "Azure function key in an address", ("code=",),
         r"azurewebsites\.net/[^\s\"'<>]{0,200}[?&]code=([A-Za-z0-9_%+/=-]{30,120})"),
    _token("langsmith-key", "LangSmith API key", "ls(?:v2_(?:pt|sk)_|__)", "[A-Za-z0-9_]{24,80}", "lsv2_", "ls__", digit=True),
    _token("cerebras-key", "Cerebras API key", "csk-", "[A-Za-z0-9]{30,80}", digit=True),
    _token("fireworks-key", "Fireworks API key", "fw_", "[A-Za-z0-9]{22,60}", digit=True),
    _token("jina-key", "Jina API key", "jina_", f"{_BASE64URL}{{40,100}}"),
    _token("voyage-key", "Voyage AI key", "pa-", f"{_BASE64URL}{{40,60}}", digit=True),
    _token("e2b-key", "E2B API key", "e2b_", "[a-f0-9]{36,64}"),
    _token("firecrawl-key", "Firecrawl API key", "fc-", "[a-f0-9]{32}"),
    _token("wandb-key", "Weights & Biases key", "wandb_v1_", f"{_BASE64URL}{{30,120}}"),
    _token("runpod-key", "RunPod API key", "rpa_", "[A-Za-z0-9]{36,60}"),
    _token("helicone-key", "Helicone API key", "[pr]k-helicone-", "[A-Za-z0-9-]{16,80}",
           "pk-helicone-", "rk-helicone-", digit=True),
    _token("mem0-key", "Mem0 API key", "m0-", "[A-Za-z0-9]{36,60}", digit=True),
    _token("composio-key", "Composio key", "(?:ak_|comp_)", f"{_BASE64URL}{{20,60}}", "ak_", "comp_", digit=True),
    _token("vercel-token", "Vercel token", "vc[pcairk]_", "[A-Za-z0-9]{24,90}",
           "vcp_", "vcc_", "vca_", "vci_", "vcr_", "vck_", digit=True),
    _token("vercel-blob-token", "Vercel Blob token", "vercel_blob_rw_", "[A-Za-z0-9_]{20,90}"),
    _token("tailscale-key", "Tailscale key", "tskey-(?:[a-z]{2,12}-)?", "[A-Za-z0-9-]{16,80}", "tskey-"),
    _token("render-key", "Render API key", "rnd_", "[A-Za-z0-9]{28,60}", digit=True),
    _token("neon-key", "Neon API key", "napi_", "[a-z0-9]{40,80}"),
    _token("neon-password", "Neon database password", "npg_", "[A-Za-z0-9]{10,40}", digit=True),
    _token("xata-key", "Xata API key", "xau_", "[A-Za-z0-9]{30,60}"),
    _token("aiven-password", "Aiven password", "AVNS_", f"{_BASE64URL}{{16,40}}"),
    _token("mongodb-secret", "MongoDB Atlas service account secret", "mdb_sa_sk_", f"{_BASE64URL}{{30,80}}"),
    _token("cockroach-key", "CockroachDB Cloud key", "CCDB1_", "[A-Za-z0-9]{16,32}_[A-Za-z0-9]{30,60}"),
    _token("confluent-key", "Confluent Cloud secret", "cflt", "[A-Za-z0-9+/]{50,80}={0,2}", digit=True),
    _token("dbt-token", "dbt Cloud token", "dbt[cu]_", f"{_BASE64URL}{{30,90}}", "dbtc_", "dbtu_"),
    _token("prefect-token", "Prefect token", "pn[ub]_", "[A-Za-z0-9]{30,50}", "pnu_", "pnb_", digit=True),
    _token("retool-token", "Retool token", "retool_", "[A-Za-z0-9]{20,80}", digit=True),
    _token("circleci-token", "CircleCI token", "CCIP(?:AT|RJ)_", "[A-Za-z0-9]{16,32}_[A-Za-z0-9]{30,60}", "CCIPAT_", "CCIPRJ_"),
    _token("buildkite-token", "Buildkite token", "bk(?:ua|at|ct|pi|pat|ajt|ag)_", "[A-Za-z0-9_]{30,80}",
           "bkua_", "bkat_", "bkct_", "bkpi_", "bkpat_", "bkajt_", "bkag_", digit=True),
    _token("sonar-token", "SonarQube token", "sq(?:u|p|a|co)_", "[A-Za-z0-9]{36,70}", "squ_", "sqp_", "sqa_", "sqco_", digit=True),
    _token("crates-token", "crates.io token", "cio", "[A-Za-z0-9]{32}", digit=True),
    _token("nuget-key", "NuGet API key", "oy2", "[a-z0-9]{43}", digit=True),
    _token("snyk-token", "Snyk token", r"snyk_(?:uat|sat)\.[a-z0-9]{8}\.", f"{_DOTTED}{{40,250}}", "snyk_uat.", "snyk_sat."),
    _token("trello-token", "Trello token", "ATTA", "[a-f0-9]{60,80}"),
    _token("launchdarkly-key", "LaunchDarkly key", "(?:sdk|api|mob|rel)-",
           "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "sdk-", "api-", "mob-", "rel-"),
    _token("statsig-key", "Statsig secret key", "secret-", "[A-Za-z0-9]{36,60}", digit=True),
    _token("stytch-secret", "Stytch secret", "secret-(?:live|test)-", f"{_BASE64URL}{{30,60}}", "secret-live-", "secret-test-"),
    _token("honeycomb-key", "Honeycomb key", "hc[abm][il]k_", "[A-Za-z0-9]{40,80}", "hcaik_", "hcbik_", "hcamk_", "hcalk_", digit=True),
    _token("pagerduty-key", "PagerDuty key", "u[+]", f"{_BASE64URL}{{18}}", "u+", digit=True),
    _token("posthog-key", "PostHog personal key", "ph[xasr]_", "[A-Za-z0-9_-]{38,60}", "phx_", "pha_", "phs_", "phr_"),
    _token("resend-key", "Resend API key", "re_", "[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,32}", digit=True),
    _token("mailersend-key", "MailerSend key", r"mlsn\.", "[a-f0-9]{50,80}", "mlsn."),
    _token("onesignal-key", "OneSignal key", "os_v2_(?:app|org)_", "[a-z0-9]{80,130}", "os_v2_"),
    _token("pubnub-secret", "PubNub secret key", "sec-c-", f"{_BASE64URL}{{30,80}}"),
    Rule("ably-key", "Ably key", (":",),
         rf"(?<![A-Za-z0-9_.-])[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{6}}:{_BASE64URL}{{43}}(?![A-Za-z0-9_-])", digit=True),
    _token("paypal-token", "PayPal or Braintree access token", r"access_token\$(?:production|sandbox)\$",
           r"[a-z0-9]{10,24}\$[a-f0-9]{32}", "access_token$"),
    _token("facebook-token", "Facebook access token", "EAA", "[A-Za-z0-9]{80,400}", digit=True),
    _token("instagram-token", "Instagram token", "IG(?:QV|AA)", f"{_BASE64URL}{{80,300}}", "IGQV", "IGAA", digit=True),
    Rule("twitter-bearer", "Twitter bearer token", ("AAAAAAAAAAAAAAAAAAAA",),
         r"(?<![A-Za-z0-9])A{20,24}(?=[A-Za-z0-9%]{0,30}[B-Zb-z1-9])[A-Za-z0-9%]{60,120}"),
    _token("salesforce-session", "Salesforce session id", "00D[A-Za-z0-9]{12,15}!", "[A-Za-z0-9._]{60,200}", "00D"),
    Rule("asana-token", "Asana personal token", (":",),
         r"(?<![A-Za-z0-9])[0-2]/\d{10,20}(?:/\d{10,20})?:[a-f0-9]{32}(?![A-Za-z0-9])"),
    Rule("okta-token", "Okta API token", ("00",), r"(?<![A-Za-z0-9_-])00(?=[a-z0-9_-]{0,40}[A-Z])[A-Za-z0-9_-]{40}(?![A-Za-z0-9_-]|\.[a-z])", digit=True),
    _token("yandex-oauth", "Yandex OAuth token", "y[0-6]_", f"{_BASE64URL}{{50,80}}", "y0_", "y1_", "y2_", "y3_", "y4_", "y5_", "y6_", digit=True),
    _token("vk-token", "VK access token", r"vk1\.a\.", f"{_BASE64URL}{{60,300}}", "vk1.a."),
    _token("jetbrains-token", "JetBrains permanent token", "perm[:-]", r"[A-Za-z0-9=+/]{4,90}\.[A-Za-z0-9=+/-]{2,90}\.[A-Za-z0-9]{20,60}",
           "perm:", "perm-"),
    Rule("maxmind-key", "MaxMind license key", ("_mmk",), r"(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    _token("cloudflare-token", "Cloudflare API token", "cf(?:ut|at|k)_", "[A-Za-z0-9]{40,80}", "cfut_", "cfat_", "cfk_", digit=True),
    _token("scaleway-key", "Scaleway access key", "SCW", "[A-Z0-9]{17}", digit=True),
    _token("llama-cloud-key", "LlamaCloud API key", "llx-", f"{_BASE64URL}{{40,60}}", digit=True),
    _token("together-key", "Together AI key", "tgp_v1_", f"{_BASE64URL}{{30,60}}"),
    _token("bitbucket-token", "Bitbucket server token", "BBDC-", "[A-Za-z0-9+/]{36,60}={0,2}"),
    _token("docker-swarm-token", "Docker Swarm join token or key", "SWM(?:TKN|KEY)-1-", "[A-Za-z0-9+/-]{30,110}", "SWMTKN-1-", "SWMKEY-1-"),
    _token("wundergraph-key", "WunderGraph key", "cosmo_", "[0-9a-f]{32}"),
    _token("nats-seed", "NATS seed", "S[ACNOUPX]", "[A-Z2-7]{56}", "SA", "SC", "SN", "SO", "SU", "SP", "SX", digit=True),
    _token("ntlm-message", "NTLM message", "TlRMTVNTUA", "[A-Za-z0-9+/]{20,4000}={0,2}"),
    Rule("mailgun-sending-key", "Mailgun sending key", ("-",),
         r"(?<![A-Za-z0-9-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9-])"),
    Rule("facebook-app-token", "Facebook app token", ("|",), r"(?<![A-Za-z0-9])\d{13,17}\|[A-Za-z0-9_-]{27}(?![A-Za-z0-9_-])"),
    _token("teamwork-token", "Teamwork token", r"tkn\.v1_", "[A-Za-z0-9+/=_-]{40,120}", "tkn.v1_"),
    _token("zoho-token", "Zoho OAuth token", r"1000\.", r"[0-9a-f]{32}\.[0-9a-f]{32}", "1000."),
    _token("akamai-token", "Akamai client token", "akab-", "[a-z0-9]{16}-[a-z0-9]{16}"),
    _token("pinecone-key", "Pinecone API key", "pcsk_", f"{_BASE64URL}{{40,90}}"),
    Rule("ngrok-token", "ngrok token", ("_",), r"(?<![A-Za-z0-9])[123][A-Za-z0-9]{26}_[A-Za-z0-9]{20,24}(?![A-Za-z0-9])",
         digit=True),
    _token("square-secret", "Square token or OAuth secret", "sq0(?:csp|atp|idp)-", f"{_BASE64URL}{{20,60}}", "sq0csp-", "sq0atp-", "sq0idp-"),
    _token("square-access-token", "Square access token", "EAAA", f"{_BASE64URL}{{54,70}}", digit=True),
    _token("dynatrace-token", "Dynatrace token", r"dt0[a-z]\d\d\.", "[A-Za-z0-9]{16,32}[.][A-Za-z0-9]{40,80}", "dt0c01.", "dt0s01.", "dt0s02.", "dt0s16.", "dt0"),
    _token("onepassword-token", "1Password service account token", "ops_eyJ", "[A-Za-z0-9+/=_-]{60,1200}"),
    _token("onepassword-key", "1Password secret key", "A3-", "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}", digit=True),
    _token("vault-legacy-token", "HashiCorp Vault token of the old form", r"s\.", "(?=[A-Za-z]{0,23}[0-9])(?=[a-z0-9]{0,23}[A-Z])(?:[A-Za-z0-9]{24}|[A-Za-z0-9_-]{90,120})", "s."),
    Rule("kubernetes-bootstrap-token", "Kubernetes bootstrap token", ("token", "TOKEN", "Token"),
         r"(?i:token)[\w\"' :=-]{0,20}[ \"':=]([a-z0-9]{6}\.[a-z0-9]{16})(?![\w.])", digit=True),
    _token("artifactory-token", "Artifactory token or encrypted password", "(?<![+/])(?:AKC[a-z0-9]?|AP[0-9A-F][A-Za-z0-9]?|cmVmdGtu)", "[A-Za-z0-9]{10,90}",
           "AKC", "AP", "cmVmdGtu", digit=True),
    Rule("mailchimp-key", "Mailchimp API key", ("-us",), r"(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])"),
    Rule("cloudant-key", "Cloudant password or API key", ("loudant", "LOUDANT"),
         r"(?i)cloudant[\w .\"'-]{0,24}[=:>][ \t\"'=]{0,6}([0-9a-f]{64}|[a-z]{24})(?![A-Za-z0-9])"
         r"|://[\w-]{1,80}:([0-9a-f]{64}|[a-z]{24})@[\w-]{1,80}\.cloudant\.com"),
    Rule("softlayer-key", "SoftLayer API key", ("oftlayer", "OFTLAYER", "oftLayer"),
         r"(?i)softlayer(?:[\w .\"'-]{0,24}[=:>][ \t\"'=]{0,6}|\.com/(?:soap|xmlrpc)/[\w.]{2,10}/|[ \t]{1,3})([0-9a-f]{64})(?![A-Za-z0-9])"),
    # addresses that are keys
    Rule("chat-webhook", "Webhook address of a chat or a workflow", ("/webhook", "hooks/catch/", "/v2/hook/", "://hook.", "/v1/spaces/", "robot/send?", ".com/services/", "/hooks/"),
         r"(?:[\w-]{1,60}\.webhook\.office\.com/webhookb2/|outlook\.office(?:365)?\.com/webhook/|hooks\.zapier\.com/hooks/catch/"
         r"|hook(?:\.[a-z0-9]{2,4})?\.(?:make|integromat)\.com/|chat\.googleapis\.com/v1/spaces/"
         r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key="
         r"|oapi\.dingtalk\.com/robot/send\?access_token=|hooks\.slack-gov\.com/services/|mattermost[\w.-]{0,40}/hooks/)"
         r"([A-Za-z0-9_/@=&?.%-]{16,300})", digit=True),
    # keys of machines
    Rule("wireguard-key", "WireGuard private or preshared key", ("PrivateKey", "PresharedKey"),
         r"(?:PrivateKey|PresharedKey)[ \t]{0,4}=[ \t]{0,4}([A-Za-z0-9+/]{42,43}=)"),
    Rule("kubeconfig-key", "Key or token of a kubeconfig", ("client-key-data",),
         r"client-key-data[\"']?[ \t]{0,3}:[ \t]{0,3}[\"']?([A-Za-z0-9+/=]{40,20000})"),
    Rule("encoded-private-key", "Private key block in Base64", ("LS0tLS1CRUdJTi", "tLS0tQkVHSU4g", "0tLS0tQkVHSU4"),
         r"(?:LS0tLS1CRUdJTi|0tLS0tQkVHSU4)[A-Za-z0-9+/]{0,40}(?:QUklWQVRF|UFJJVkFURS|BSSVZBVE)[A-Za-z0-9+/=\r\n]{60,20000}"),
    Rule("raw-private-key", "Private key in Base64 without its frame", ("MII", "MIG", "MC4CAQAwBQYDK2V", "MHcCAQEEI", "MIHcAgEB"),
         r"(?<![A-Za-z0-9+/])(?:MII[A-Z][A-Za-z0-9+/]{2}IBAAKCA[A-Za-z0-9]|MII[A-Z][A-Za-z0-9+/]{2}IBADANBgkqhkiG9w0BAQEFAASC"
         r"|MIG[A-Za-z0-9+/]AgEAM[A-Za-z0-9+/]{2}GByqGSM49|MC4CAQAwBQYDK2V|MHcCAQEEI|MIHcAgEB)[A-Za-z0-9+/=\r\n]{40,20000}"),
    Rule("ansible-vault", "Text encrypted by Ansible Vault", ("$ANSIBLE_VAULT;",),
         r"\$ANSIBLE_VAULT;[\d.]{3};AES(?:256)?(?:;[\w-]{1,40})?((?:[ \t]{0,20}(?:\r?\n|\\n)[ \t]{0,20}[0-9a-f]{2,80}){1,400})"),
    Rule("putty-key", "PuTTY private key", ("Private-Lines:",),
         r"Private-Lines:[ \t]{0,3}\d{1,3}((?:[ \t]{0,20}(?:\r?\n|\\r?\\n|\\n)[ \t>|#]{0,20}[A-Za-z0-9+/=]{4,90}){1,200})"
         r"(?:[ \t]{0,20}(?:\r?\n|\\r?\\n|\\n)[ \t>|#]{0,20}Private-(?:MAC|Hash):[ \t]?[0-9a-f]{40,64})?"),
    Rule("password-hash", "Hash of a password, as in .htpasswd or /etc/shadow", ("$apr1$", "$2", "$6$", "$5$", "$1$", "$argon2", "{SHA}", "{SSHA}", "$y$", "$8$", "$9$", "$krb5"),
         r"(?<![A-Za-z0-9$])(\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}"
         r"|\$[156]\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|\$y\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,40}\$[./A-Za-z0-9]{43}"
         r"|\$argon2(?:id|i|d)\$v=\d{1,3}\$[mtp=,0-9]{5,40}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,120}"
         r"|\$[89]\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}|\$krb5(?:asrep|tgs|pa)\$\d{1,2}\$[^\s\"'\0]{32,4000}"
         r"|\{S?SHA\}[A-Za-z0-9+/]{26,60}={0,2})"),
    _token("age-key", "age secret key", "AGE-SECRET-KEY-1", "[A-Z0-9]{40,80}"),
    Rule("seed-phrase", "Recovery phrase of a wallet", ("phrase", "nemonic", "助记词"),
         r"(?:(?:[Ss]eed|[Rr]ecovery|[Bb]ackup) [Pp]hrase|[Mm]nemonic(?: [Pp]hrase)?|助记词)[*_`\"']{0,3}"
         r"(?: is|是|为)? ?[:=]?[ \n*_`\"']{1,5}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![A-Za-z])"),
    Rule("jwt", "JSON Web Token", ("eyJ",),
         rf"(?<![A-Za-z0-9_-])eyJ{_BASE64URL}{{8,}}+\.(?:{_BASE64URL}{{8,}}+\.{_BASE64URL}{{8,}}+|eyJ{_BASE64URL}{{8,}}+)"),
)  # fmt: skip

# These need more than a shape: their code is in `secret_context`.
PRIVATE_KEY: Final = Rule("private-key", "Private key block (PEM, OpenSSH, PGP) with its body")
CONNECTION: Final = Rule(
    "connection-password", "Password inside an address, as in scheme://user:password@host"
)
AUTHORIZATION: Final = Rule(
    "authorization-header", "Credentials of an Authorization header, or after Bearer"
)
COMMAND: Final = Rule(
    "command-password", "Password given to a command, as in mysql -p, sshpass -p or docker login -p"
)
COOKIE: Final = Rule(
    "header-secret", "Value of a Cookie, an API key or a signature header, or a signed address"
)
SERVICE: Final = Rule(
    "service-key", "A random-looking value given to the name of a service that issues keys"
)
PASSWORD: Final = Rule("password", "A concrete value given to a password, in several languages")
ASSIGNMENT: Final = Rule(
    "secret-assignment", "A random-looking value given to a key, secret or token"
)

CONTEXT_RULES: Final = (
    *(PRIVATE_KEY, COMMAND, CONNECTION, COOKIE, AUTHORIZATION, PASSWORD, ASSIGNMENT, SERVICE),
)
