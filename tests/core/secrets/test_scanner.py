"""The secret scanner: what is a secret, what is only a mention, and that redaction harms nothing else.

No value here is written out: all are drawn from a fixed seed, so that no scanner of repositories sees
a secret in this file.
"""

from __future__ import annotations

import base64
import random
import re
import string
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.core.secrets import scanner, surroundings
from reverie.core.secrets.commands import _COMMANDS, _JUDGED
from reverie.core.secrets.families import FAMILIES
from reverie.core.secrets.matching import all_rules, compiled, matches
from reverie.types import SecretFinding
from tests import linear
from tests.examples import examples

ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
URLSAFE = ALNUM + "-_"
HEX = "0123456789abcdef"
DOCS = Path(__file__).parents[3] / "docs"
PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9-]+\]")


def drawn(length: int, alphabet: str = ALNUM, seed: str = "") -> str:
    """A random value that is the same in every run, with a letter or digit at its end."""
    chance = random.Random(f"{seed}{length}{alphabet}")
    while True:
        value = "".join(chance.choices(alphabet, k=length))
        if value[-1].isalnum() and value[0].isalnum() and any(map(str.isdigit, value)):
            return value


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


GITHUB = "ghp" + "_" + drawn(36)
HUNTER = "hunter" + "2abc"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{drawn(64)}\n{drawn(64, seed='2')}\n-----END RSA PRIVATE KEY-----"
UUID = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
JWT = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890"}', drawn(32).encode())
)

# rule, text before the value, the value, text after it
TOKENS = [
    ("aws-access-key", "the key is ", "AKIA" + drawn(16, UPPER), " for CI"),
    ("aws-access-key", "", "ASIA" + drawn(16, UPPER), ""),
    ("alibaba-access-key", "RAM: ", "LTAI" + drawn(20), "."),
    ("tencent-secret-id", "", "AKID" + drawn(32), ""),
    ("volcengine-access-key", "", "AKLT" + drawn(44), ""),
    ("gcp-api-key", "maps: ", "AIza" + drawn(35, URLSAFE), ""),
    ("gcp-express-key", "", "AQ.Ab" + drawn(48), ""),
    ("gcp-oauth-secret", "", "GOCSPX-" + drawn(28, URLSAFE), ""),
    ("gcp-oauth-token", "", "ya29." + drawn(60, URLSAFE), ". Then refresh."),
    ("azure-storage-key", "EndpointSuffix=x;AccountKey=", drawn(86) + "==", ";"),
    ("azure-client-secret", "", "a1B" + "8Q~" + drawn(34), ""),
    ("azure-sas", "https://x.blob.core.windows.net/c?sv=2022&sig=", drawn(44) + "%3D", "&se=1"),
    ("digitalocean-token", "", "dop_v1_" + drawn(64, HEX), ""),
    ("databricks-token", "", "dapi" + drawn(32, HEX), ""),
    ("vault-token", "", "hvs." + drawn(24), ""),
    ("terraform-token", "", drawn(14) + ".atlasv1." + drawn(60), ""),
    ("supabase-token", "", "sbp_" + drawn(40, HEX), ""),
    ("anthropic-key", "", "sk-ant-" + "api03-" + drawn(93, URLSAFE), ""),
    ("openrouter-key", "", "sk-or-v1-" + drawn(64, HEX), ""),
    ("openai-key", "old: ", "sk-" + drawn(20) + "T3BlbkFJ" + drawn(20, seed="b"), ""),
    ("openai-key", "new: ", "sk-proj-" + drawn(64, URLSAFE), ""),
    ("openai-key", "service: ", "sk-svcacct-" + drawn(58, URLSAFE), ""),
    ("huggingface-token", "", "hf_" + drawn(34), ""),
    ("groq-key", "", "gsk_" + drawn(52), ""),
    ("xai-key", "", "xai-" + drawn(80), ""),
    ("replicate-token", "", "r8_" + drawn(37), ""),
    ("github-token", "push with ", GITHUB, ", please"),
    ("github-token", "", "gho_" + drawn(36), ""),
    ("github-token", "", "ghu_" + drawn(36), ""),
    ("github-token", "", "ghs_" + drawn(36), ""),
    ("github-pat", "", "github_pat_" + drawn(22) + "_" + drawn(59), ""),
    ("gitlab-token", "", "glpat-" + drawn(20, URLSAFE), "."),
    ("gitlab-token", "", "glrt-" + drawn(20, URLSAFE), ""),
    ("gitlab-runner-token", "", "GR1348941" + drawn(20), ""),
    ("npm-token", "", "npm_" + drawn(36), ""),
    ("npm-auth", "//registry.example.org/:_authToken=", drawn(40, HEX), "\n"),
    ("pypi-token", "", "pypi-" + "AgEIcHlwaS5vcmc" + drawn(70, URLSAFE), ""),
    ("docker-token", "", "dckr_pat_" + drawn(27, URLSAFE), ""),
    ("slack-token", "", "xoxb-" + drawn(12, string.digits) + "-" + drawn(24), ""),
    ("slack-app-token", "", "xapp-1-" + drawn(11, UPPER) + "-" + drawn(64, HEX), ""),
    (
        "slack-webhook",
        "https://hooks.slack.com/services/",
        f"T{drawn(8, UPPER)}/B{drawn(8, UPPER)}/{drawn(24)}",
        "",
    ),
    ("discord-token", "", "M" + drawn(23) + "." + drawn(6) + "." + drawn(27), ""),
    (
        "discord-webhook",
        "https://discord.com/api/webhooks/123456789012345678/",
        drawn(68, URLSAFE),
        "",
    ),
    ("telegram-token", "", drawn(9, string.digits) + ":AA" + drawn(33, URLSAFE), ""),
    ("sendgrid-key", "", "SG." + drawn(22) + "." + drawn(43), ""),
    ("mailgun-key", "", "key-" + drawn(32, HEX), ""),
    ("twilio-key", "", "SK" + drawn(32, HEX), ""),
    ("stripe-key", "", "sk_live_" + drawn(24), ""),
    ("stripe-key", "", "rk_test_" + drawn(24), ""),
    ("stripe-webhook-secret", "", "whsec_" + drawn(32), ""),
    ("shopify-token", "", "shpat_" + drawn(32, HEX), ""),
    ("notion-token", "", "ntn_" + drawn(46), ""),
    ("linear-key", "", "lin_api_" + drawn(40), ""),
    ("figma-token", "", "figd_" + drawn(40), ""),
    ("grafana-token", "", "glsa_" + drawn(32) + "_" + drawn(8, HEX), ""),
    ("atlassian-token", "", "ATATT3" + drawn(180), ""),
    ("age-key", "", "AGE-SECRET-KEY-1" + drawn(58, UPPER), ""),
    ("jwt", "cookie ", JWT, ""),
    ("seed-phrase", "Seed phrase: ", " ".join(["river", "metal", "cabin"] * 4), ""),
    ("airtable-token", "", "pat" + drawn(14) + "." + drawn(64, HEX), ""),
    ("baidu-api-key", "", "bce-v3/ALTAK-" + drawn(21) + "/" + drawn(40, HEX), ""),
    ("brevo-key", "", "xkeysib-" + drawn(64, HEX) + "-" + drawn(16), ""),
    ("cloudflare-key", "", "v1.0-" + drawn(24, HEX) + "-" + drawn(146, HEX), ""),
    ("doppler-token", "", "dp.pt." + drawn(43), "."),
    ("fly-token", "", "fm2_" + drawn(120), ""),
    ("heroku-key", "", "HRKU-" + drawn(60), ""),
    ("newrelic-key", "", "NRAK-" + drawn(27, UPPER), ""),
    ("perplexity-key", "", "pplx-" + drawn(48), ""),
    ("planetscale-token", "", "pscale_tkn_" + drawn(43), ""),
    ("postman-key", "", "PMAK-" + drawn(24, HEX) + "-" + drawn(34, HEX), ""),
    ("rubygems-key", "", "rubygems_" + drawn(48, HEX), ""),
    ("sentry-token", "", "sntrys_" + drawn(120), ""),
    ("tavily-key", "", "tvly-" + drawn(32), ""),
    ("cloudant-key", "cloudant_password = '", drawn(64, HEX), "'"),
    ("artifactory-token", "token ", "AKC" + drawn(60), " "),
    ("mailchimp-key", "", drawn(32, HEX) + "-us12", ""),
    ("softlayer-key", "http://api.softlayer.com/soap/v3/", drawn(64, HEX), ""),
    ("square-secret", "", "sq0csp-" + drawn(43, URLSAFE), ""),
    ("aws-bedrock-key", "", "ABSK" + drawn(120), ""),
    ("google-refresh-token", "", "1//0" + drawn(60, URLSAFE), ""),
    ("firebase-key", "", "AAAA" + drawn(7) + ":APA91b" + drawn(134, URLSAFE), ""),
    ("azure-key", "", drawn(33) + "AzFu" + drawn(15) + "==", ""),
    ("azure-function-key", "https://x.azurewebsites.net/api/f?code=", drawn(54), ""),
    ("langsmith-key", "", "lsv2_pt_" + drawn(32, HEX) + "_" + drawn(10, HEX), ""),
    ("cerebras-key", "", "csk-" + drawn(48), ""),
    ("fireworks-key", "", "fw_" + drawn(24), ""),
    ("jina-key", "", "jina_" + drawn(60), ""),
    ("voyage-key", "", "pa-" + drawn(43), ""),
    ("e2b-key", "", "e2b_" + drawn(40, HEX), ""),
    ("firecrawl-key", "", "fc-" + drawn(32, HEX), ""),
    ("wandb-key", "", "wandb_v1_" + drawn(70), ""),
    ("runpod-key", "", "rpa_" + drawn(46), ""),
    ("helicone-key", "", "pk-helicone-" + drawn(30), ""),
    ("mem0-key", "", "m0-" + drawn(40), ""),
    ("composio-key", "", "ak_" + drawn(22), ""),
    ("vercel-token", "", "vcp_" + drawn(56), ""),
    ("vercel-blob-token", "", "vercel_blob_rw_" + drawn(46), ""),
    ("tailscale-key", "", "tskey-auth-" + drawn(16) + "-" + drawn(32), ""),
    ("render-key", "", "rnd_" + drawn(32), ""),
    ("neon-key", "", "napi_" + drawn(64, string.ascii_lowercase + string.digits), ""),
    ("neon-password", "", "npg_" + drawn(12), ""),
    ("xata-key", "", "xau_" + drawn(33), ""),
    ("aiven-password", "", "AVNS_" + drawn(20), ""),
    ("mongodb-secret", "", "mdb_sa_sk_" + drawn(40), ""),
    ("cockroach-key", "", "CCDB1_" + drawn(22) + "_" + drawn(40), ""),
    ("confluent-key", "", "cflt" + drawn(60), ""),
    ("dbt-token", "", "dbtc_" + drawn(40), ""),
    ("prefect-token", "", "pnu_" + drawn(36), ""),
    ("retool-token", "", "retool_" + drawn(28), ""),
    ("circleci-token", "", "CCIPAT_" + drawn(22) + "_" + drawn(40, HEX), ""),
    ("buildkite-token", "", "bkua_" + drawn(40, HEX), ""),
    ("sonar-token", "", "squ_" + drawn(40, HEX), ""),
    ("crates-token", "", "cio" + drawn(32), ""),
    ("nuget-key", "", "oy2" + drawn(43, string.ascii_lowercase + string.digits), ""),
    ("snyk-token", "", "snyk_uat." + drawn(8, HEX) + "." + drawn(60), ""),
    ("trello-token", "", "ATTA" + drawn(72, HEX), ""),
    ("launchdarkly-key", "", "sdk-" + UUID, ""),
    ("statsig-key", "", "secret-" + drawn(43), ""),
    ("stytch-secret", "", "secret-live-" + drawn(36), ""),
    ("honeycomb-key", "", "hcaik_" + drawn(58), ""),
    ("pagerduty-key", "", "u+" + drawn(18), ""),
    ("posthog-key", "", "phx_" + drawn(43), ""),
    ("resend-key", "", "re_" + drawn(8) + "_" + drawn(24), ""),
    ("mailersend-key", "", "mlsn." + drawn(64, HEX), ""),
    ("onesignal-key", "", "os_v2_app_" + drawn(100, string.ascii_lowercase + string.digits), ""),
    ("pubnub-secret", "", "sec-c-" + drawn(48), ""),
    ("ably-key", "", "aB3xYz.Qw3rTy:" + drawn(43), ""),
    ("paypal-token", "", "access_token$production$" + drawn(16, HEX) + "$" + drawn(32, HEX), ""),
    ("facebook-token", "", "EAA" + drawn(150), ""),
    ("instagram-token", "", "IGQV" + drawn(120), ""),
    ("twitter-bearer", "", "A" * 22 + drawn(80), ""),
    ("salesforce-session", "", "00D" + drawn(12) + "!" + drawn(90), ""),
    ("asana-token", "", "1/1201234567890123:" + drawn(32, HEX), ""),
    ("okta-token", "", "00" + drawn(40), ""),
    ("yandex-oauth", "", "y0_" + drawn(58), ""),
    ("vk-token", "", "vk1.a." + drawn(90), ""),
    ("jetbrains-token", "", "perm:" + "cm9vdA==" + "." + "dG9rZW4=" + "." + drawn(40), ""),
    ("maxmind-key", "", drawn(6) + "_" + drawn(29) + "_mmk", ""),
    ("cloudflare-token", "", "cfut_" + drawn(48), ""),
    ("scaleway-key", "", "SCW" + drawn(17, UPPER), ""),
    ("akamai-token", "", "akab-" + drawn(16, HEX) + "-" + drawn(16, HEX), ""),
    ("pinecone-key", "", "pcsk_" + drawn(6) + "_" + drawn(63), ""),
    ("ngrok-token", "", "2" + drawn(26) + "_" + drawn(21), ""),
    ("square-access-token", "", "EAAA" + drawn(60), ""),
    ("dynatrace-token", "", "dt0c01." + drawn(24, UPPER) + "." + drawn(64, UPPER), ""),
    ("onepassword-token", "", "ops_eyJ" + drawn(300), ""),
    (
        "onepassword-key",
        "",
        "A3-"
        + drawn(6, UPPER)
        + "-"
        + drawn(11, UPPER)
        + "-"
        + "-".join(drawn(5, UPPER, str(n)) for n in range(3)),
        "",
    ),
    ("vault-legacy-token", "", "s." + drawn(24), ""),
    ("newrelic-license", "", drawn(36, HEX) + "NRAL", ""),
    ("kubernetes-bootstrap-token", "token: ", drawn(6, HEX) + "." + drawn(16, HEX), ""),
    ("llama-cloud-key", "", "llx-" + drawn(48), ""),
    ("together-key", "", "tgp_v1_" + drawn(43), ""),
    ("bitbucket-token", "", "BBDC-" + drawn(44), ""),
    ("docker-swarm-token", "", "SWMTKN-1-" + drawn(50, HEX) + "-" + drawn(25, HEX), ""),
    ("wundergraph-key", "", "cosmo_" + drawn(32, HEX), ""),
    ("nats-seed", "", "SU" + drawn(56, string.ascii_uppercase + "234567"), ""),
    ("ntlm-message", "", "TlRMTVNTUA" + drawn(60), ""),
    ("mailgun-sending-key", "", drawn(32, HEX) + "-" + drawn(8, HEX) + "-" + drawn(8, HEX), ""),
    ("facebook-app-token", "", "1527194624358273|" + drawn(27), ""),
    ("teamwork-token", "", "tkn.v1_" + drawn(80), ""),
    ("zoho-token", "", "1000." + drawn(32, HEX) + "." + drawn(32, HEX, "2"), ""),
    ("chat-webhook", "https://acme.webhook.office.com/webhookb2/", f"{UUID}@{UUID}", ""),
    ("wireguard-key", "PrivateKey = ", drawn(43) + "=", "\n"),
    ("kubeconfig-key", "client-key-data: ", "LS0t" + drawn(400), "\n"),
    ("encoded-private-key", "", base64_of(PEM.replace("RSA ", "")).rstrip("="), ""),
    ("raw-private-key", "", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" + drawn(400), ""),
    (
        "ansible-vault",
        "$ANSIBLE_VAULT;1.1;AES256",
        "\n" + drawn(80, HEX) + "\n" + drawn(80, HEX, "2"),
        "\n",
    ),
    ("putty-key", "Private-Lines: 2", "\n" + drawn(64) + "\n" + drawn(40), "\n"),
    ("password-hash", "bob:", "$apr1$" + drawn(8) + "$" + drawn(22), ""),
    ("private-key", "key:\n", PEM, "\nend"),
    ("private-key", '{"private_key": "', PEM.replace("\n", "\\n"), '\\n"}'),
    ("private-key", "", PEM.replace("RSA", "OPENSSH"), "\n"),
]
CONTEXT = [
    ("connection-password", "postgres://bob:", "s3cr" + "etpw", "@db.example.com:5432/app"),
    ("connection-password", "redis://:", HUNTER, "@cache:6379/0"),
    ("connection-password", "mongodb+srv://app:", drawn(20), "@cluster0.example.net/?retryWrites=true"),
    ("connection-password", "amqp://app:", "12345" + "678", "@mq/"),
    ("connection-password", "https://oauth2:", drawn(20), "@gitlab.example.com/x.git"),
    ("connection-password", "curl -u admin:", HUNTER, " https://example.com"),
    ("authorization-header", "Authorization: Bearer ", drawn(40), ""),
    ("authorization-header", "curl -H 'Authorization: Basic ", base64_of("user:" + HUNTER), "'"),
    ("authorization-header", "authorization: token ", drawn(40, HEX), ""),
    ("password", "Database password: ", "super_secret" + "_123", ""),
    ("password", "- **Password:** ", HUNTER, "\n"),
    ("password", "`password`: `", HUNTER, "`"),
    ("password", "| Password | ", HUNTER, " |"),
    ("password", '{"user": "bob", "password": "', HUNTER, '"}'),
    ("password", '{\\"password\\": \\"', HUNTER, '\\"}'),
    ("password", 'db_password = "', "Tr0ub4dor" + "&3", '"'),
    ("password", "DB_PASSWORD_PROD=", HUNTER, "\n"),
    ("password", "PGPASSWORD=", HUNTER, " psql -h db"),
    ("password", "export MYSQL_PWD=", HUNTER, ""),
    ("password", "mysql --password ", HUNTER, " --host db"),
    ("password", "mysql --password ", "12345" + "678", " app"),
    ("password", "Server=x;Password=", "abc123" + "def", ";Database=y"),
    ("password", "jdbc:mysql://db/app?user=bob&password=", HUNTER, "&ssl=true"),
    ("password", "machine example.com login bob password ", HUNTER, ""),
    ("password", "password: ", "12345" + "678", ""),
    ("password", "password: ", "correct-horse" + "-battery-staple", ""),
    ("password", "Password:\n", HUNTER, "\n"),
    ("password", "The password for the staging box is ", HUNTER, "."),
    ("password", "my password is ", "hunter" + "2", ""),
    ("password", "we changed the root password to ", HUNTER, " today"),
    ("password", "", HUNTER, " is my wifi password"),
    ("password", "Login: admin / ", "S3cret" + "Pw!", ""),
    ("password", "user bob password ", HUNTER, " ok"),
    ("password", "密码是 ", HUNTER, ""),
    ("password", "数据库密码：", HUNTER, "，请记住"),
    ("password", "用户名 admin，密码 ", HUNTER, "。"),
    ("password", "パスワードは ", HUNTER, " です"),
    ("password", "비밀번호: ", HUNTER, ""),
    ("password", "Passwort: ", "Geheim" + "99x", ""),
    ("password", "Das Passwort lautet ", HUNTER, "."),
    ("password", "le mot de passe est ", HUNTER, ""),
    ("password", "la contraseña es ", HUNTER, ""),
    ("password", "a senha é ", HUNTER, ""),
    ("password", "Пароль: ", "Qwerty" + "123", ""),
    ("password", "รหัสผ่าน: ", HUNTER, ""),
    ("password", "كلمة المرور: ", HUNTER, ""),
    ("password", "הסיסמה: ", HUNTER, ""),
    ("password", "mật khẩu là ", HUNTER, ""),
    ("openai-key", "API key: ", "sk-" + "1234567890abcdef", ""),
    ("secret-assignment", "client_secret: ", drawn(16), ""),
    ("secret-assignment", "aws_secret_access_key = ", drawn(40, ALNUM + "/+"), ""),
    ("secret-assignment", "https://example.com/cb?state=1&access_token=", drawn(24), "&x=1"),
    ("secret-assignment", "---\nname: x\napiKey: ", drawn(32, HEX), "\n---\nbody\n"),
    ("secret-assignment", "x-api-key: ", drawn(32), ""),
    ("secret-assignment", 'PrivateKeyPlaintext: "', "MIIG/" + drawn(100) + "...", '"'),
    ("secret-assignment", "ClientSecret: ", drawn(30, string.digits), ""),
    ("secret-assignment", "HEROKU_API_KEY=", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", ""),
    ("secret-assignment", "token = '", drawn(30), "'"),
    ("secret-assignment", "key: ", drawn(48), ""),
    ("secret-assignment", "session_token: ", drawn(600), ""),
    ("secret-assignment", "令牌：", drawn(32), "。"),
    ("secret-assignment", "private key: 0x", drawn(64, HEX), ""),
    ("command-password", "mysql -u root -p", HUNTER, " app"),
    ("command-password", "mysqldump -h db -u root -p'", HUNTER, "' app"),
    ("command-password", "docker login -u bob -p ", HUNTER, " registry.example.org"),
    ("command-password", "sshpass -p ", HUNTER, " ssh bob@db"),
    ("command-password", "sshpass -p'", HUNTER, "' ssh bob@db"),
    ("command-password", "redis-cli -h cache -a ", HUNTER, " ping"),
    ("command-password", "ldapsearch -x -w ", HUNTER, " -b dc=x"),
    ("command-password", "sqlcmd -S db -U sa -P ", HUNTER, " -Q x"),
    ("command-password", "PsExec \\\\db -u bob -p ", HUNTER, " cmd"),
    ("password", "openssl rsa -in a -passin pass:", HUNTER, " -out b"),
    ("command-password", "db.example.com:5432:app:bob:", HUNTER, "\n"),
    ("command-password", "CREATE USER bob IDENTIFIED BY '", HUNTER, "';"),
    ("password", "os.getenv('DB_PASSWORD', '", HUNTER, "')"),
    ("password", "echo ${DB_PASSWORD:-", HUNTER, "}"),
    ("command-password", 'new NetworkCredential("bob", "', HUNTER, '")'),
    ("connection-password", "smtp://bob@example.com:", HUNTER, "@smtp.example.com:465"),
    ("connection-password", "mongodb://bob:", "P@ss" + "w0rd!9", "@db.example.com/x"),
    ("connection-password", "curl -x proxy -U bob:", HUNTER, " https://example.com"),
    ("password", "pass: ", HUNTER, "\n"),
    ("password", "  passwd: ", HUNTER, "\n"),
    ("password", "pwd=", HUNTER, ";"),
    ("password", "<password>", HUNTER, "</password>"),
    ("password", "- name: DB_PASSWORD\n  value: ", HUNTER, "\n"),
    ("password", '<add key="MailPassword" value="', HUNTER, '"/>'),
    ("password", "def connect(password: str = '", HUNTER, "'):"),
    ("password", "host=db user=bob password=", HUNTER, " dbname=app"),
    ("password", "machine example.com\n  login bob\n  password ", HUNTER, "\n"),
    ("secret-assignment", '<add key="ApiKey" value="', drawn(24), '"/>'),
    ("secret-assignment", "<secret>", drawn(32), "</secret>"),
    ("secret-assignment", "const awsKey = '", drawn(40), "'"),
    ("secret-assignment", "SNYK_TOKEN=", UUID, ""),
    ("header-secret", "Set-Cookie: session=", drawn(40), "; HttpOnly"),
    ("header-secret", "Cookie: lang=en; sid=", drawn(40), ""),
    ("header-secret", "X-Hub-Signature-256: sha256=", drawn(64, HEX), ""),
    ("header-secret", "https://s3.example.com/a?X-Amz-Signature=", drawn(64, HEX), "&x=1"),
    # a name and its value in the notations of programs and of files
    ("password", 'var password string = "', HUNTER, '"'),
    ("password", "const PASSWORD: &'static str = \"", HUNTER, '";'),
    ("password", 'char password[] = "', HUNTER, '";'),
    ("password", "password = b'", HUNTER, "'"),
    ("password", '#define PASSWORD "', HUNTER, '"'),
    ("password", 'client.setPassword("', HUNTER, '");'),
    ("password", 'if (password.equals("', HUNTER, '"))'),
    ("password", '(setq password "', HUNTER, '")'),
    ("password", "<td>Password</td>\n<td>", HUNTER, "</td>"),
    ("password", "<b>Password:</b> ", HUNTER, "<br>"),
    ("password", "requirepass ", "s3cr" + "et9pw", "\n"),
    ("password", "https%3A%2F%2Fx%3Fpassword%3D", HUNTER, "%26next%3D1"),
    ("password", "password=&quot;", HUNTER, "&quot;"),
    ("command-password", 'variable "db_password" {\n  default = "', HUNTER, '"\n}'),
    ("command-password", "DBPassword:\n  Type: String\n  Default: ", HUNTER, "\n"),
    ("command-password", 'add_argument("--password", default="', HUNTER, '")'),
    ("command-password", "aes_key = {", ", ".join(f"0x{ord(char):02x}" for char in drawn(16)), "};"),
    ("secret-assignment", 'key := []byte("', drawn(32), '")'),
    ("secret-assignment", 'api_key = str("', drawn(32), '")'),
    ("secret-assignment", '<string name="maps_api_key">', drawn(39), "</string>"),
    ("secret-assignment", "<key>ApiKey</key>\n<string>", drawn(32), "</string>"),
    ("secret-assignment", "secret_of_staging: ", drawn(32), "\n"),
    ("secret-assignment", "deploy --token ", UUID, " prod"),
    ("secret-assignment", "token: ", UUID, "\n"),
    ("secret-assignment", "# token ", drawn(30), "\n"),
    ("secret-assignment", "ado_pat = '", drawn(52), "'"),
    ("secret-assignment", '"auth": "', drawn(40), '"'),
    ("secret-assignment", "license key: ", "AB12C-3DE4F-G56HI-7JK8L", ""),
    ("secret-assignment", 'call("login_with_api_key", ["', drawn(48), '"])'),
    ("secret-assignment", "client secret: ", "z1y2x3w4v5", ""),
    ("service-key", "use ", "acme_sk_v1_" + drawn(24), " here"),
    ("command-password", 'new PSCredential("CORP\\bob", "', HUNTER, '")'),
    ("command-password", 'smtp.login("bob@example.com", "', HUNTER, '")'),
    ("command-password", 'mysqli_connect("db", "bob", "', HUNTER, '", "app")'),
    ("command-password", 'DriverManager.getConnection(url, "bob", "', HUNTER, '")'),
    ("secret-assignment", "<DeployToken>\n\t", drawn(40, HEX), "\n"),
    ("secret-assignment", "SNYK_TOKEN ?= ", UUID, ""),
    ("password", "Password - ", HUNTER, "\n"),
    ("connection-password", "git clone https://", drawn(40, HEX), "@github.com/a/b.git"),
    ("connection-password", "git clone https://", drawn(40, HEX), ":x-oauth-basic@github.com/a/b.git"),
    ("service-key", "https://mainnet.infura.io/v3/", drawn(32, HEX), ""),
    ("secret-assignment", 'assertThat(app.getClientSecret(), equalTo("', drawn(40, HEX), '"))'),
    ("secret-assignment", "- name: SONAR_LOGIN\n  value: ", drawn(40, HEX), "\n"),
    ("secret-assignment", 'privateKeyString = "', drawn(64), '"'),
    ("password", 'final String pass2 = "', "f#a};!y~" + "7VBcu", '";'),
    ("secret-assignment", "recaptchakey = '", drawn(40), "'"),
    ("secret-assignment", 'git-pat="', drawn(40, HEX), '"'),
    ("secret-assignment", "cred = ", drawn(40), "\n"),
    ("service-key", "algolia=", drawn(32, HEX), "&x"),
    ("service-key", "algoliaApiKey-", drawn(32, HEX), ""),
    ("service-key", "algolia = '", drawn(32, HEX), "'"),
    ("service-key", "datadog: ", drawn(32, HEX), ""),
]  # fmt: skip
POSITIVES = TOKENS + CONTEXT


@pytest.mark.parametrize(
    ("rule", "before", "value", "after"),
    POSITIVES,
    ids=[f"{at}-{row[0]}" for at, row in enumerate(POSITIVES)],
)
def test_a_secret_is_found_named_and_cut_out_exactly(rule, before, value, after):
    text = before + value + after
    # A number in its written form belongs to the value.
    value = "0x" + value if before.endswith("0x") else value
    before = before.removesuffix("0x")
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1

    assert scanner.scan(text) == [SecretFinding(rule, line, column)]
    assert scanner.redact(text)[0] == f"{before}[redacted:{rule}]{after}"


def test_every_rule_has_an_example():
    shown = {row[0] for row in POSITIVES} | {row[0] for row in FAMILIES}
    pairs = {
        "aws-secret-key",
        "alibaba-secret-key",
        "gcp-client-secret",
    }  # which are only known by their neighbours
    assert shown | pairs == set(scanner.RULES)


PIECE = re.compile(r"\[([^\]]+)\](?:\{(\d+)(?:,(\d+))?\})?|\\?(.)")


def made(prefix: str, body: str) -> str:
    """A token as a row of the table describes it."""
    chance = random.Random(prefix + body)
    value = prefix
    for kind, least, most, literal in PIECE.findall(body):
        chars = [char for char in ALNUM if re.match(f"[{kind}]", char)] if kind else [literal]
        low = int(least or 1)
        value += "".join(chance.choices(chars, k=(low + int(most or low)) // 2 if kind else 1))
    return value


@pytest.mark.parametrize(
    ("rule", "prefixes", "body", "sources"), FAMILIES, ids=range(len(FAMILIES))
)
def test_a_token_of_a_listed_family_is_found_and_cut_out_whole(rule, prefixes, body, sources):
    assert sources
    for prefix in prefixes.split():
        value = made(prefix, body)
        (found,) = scanner.find(f"it is {value} now")
        assert (found.start, found.end) == (6, 6 + len(value))


@pytest.mark.parametrize("name", ["token", "see", "x"])
@pytest.mark.parametrize("value", [GITHUB, "sk_live_" + drawn(24), "AKIA" + drawn(16, UPPER)])
def test_a_token_glued_to_a_word_is_found(name, value):
    redacted = scanner.redact(f"use {name}{value} here")[0]
    assert value[6:] not in redacted
    assert redacted.endswith(" here")


def test_a_token_in_a_coloured_log_is_found():
    assert GITHUB not in scanner.redact(f"\x1b[93m{GITHUB}\x1b[0m ok")[0]


def test_a_piece_of_an_encoded_picture_is_no_token():
    blob = drawn(60, ALNUM + "+/")
    assert scanner.scan(f"data:image/png;base64,{blob}AKIA{drawn(16, UPPER)}{blob}") == []


def test_the_private_parts_of_a_web_key_are_found():
    text = f'{{"kty": "EC", "crv": "P-256", "x": "{drawn(43)}", "d": "{drawn(43, seed="d")}"}}'
    assert [item.rule for item in scanner.scan(text)] == ["private-key"]


MENTIONS = [
    'Database credentials stored in 1Password vault "Production"',
    "API keys managed via environment variables in `.env.local`",
    "Secrets rotation handled by DevOps team quarterly",
    "the API key lives in 1Password",
    "no API key in the build",
    "Passwords are hashed with argon2id, 3 iterations",
    "password: argon2id",
    "password hash: bcrypt",
    "password is base64-encoded",
    "The password is stored in the vault since v2.1",
    "password rotation is every 90 days",
    "passwords must have 12-64 characters",
    "password: min-12 characters",
    "The token limit is 128000 tokens",
    "max_tokens: 4096",
    "apiKey: process.env.KEY",
    "apiKey: env.OPENAI_KEY_2",
    "api_key = os.environ['KEY_1']",
    "api_key=os.getenv('OPENAI_API_KEY1')",
    "password: ${DB_PASS}",
    "password: $DB_PASS1",
    "password: {{ vault_db_password1 }}",
    "password: %DB_PASS1%",
    "password: !secret db_pass1",
    "password = self.password1",
    "password = parts[2]",
    "password: z.string().min(8)",
    "password: String!",
    "password: Optional[str] = None",
    "password: null",
    "password: VARCHAR(255)",
    "password:\n  type: string\n  minLength: 8\n",
    "DB_PASSWORD=DB_PASSWORD_V2",
    "password: /run/secrets/db_pass1",
    "password: ~/.pgpass2",
    "password: secrets/db.json",
    "secret: op://Private/db/password1",
    "secret: arn:aws:secretsmanager:us-west-2:123456789012:secret:db-a1b2c3",
    "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestSecret-a1b2c3",
    "token: <your-token>",
    "token: <TOKEN_1>",
    "password: xxxxxxxx",
    "password: ********",
    "password: ...",
    "api_key: sk-ab12...",
    "token: eyJhbGci…",
    "password: changeme",
    "password: your_password_1",
    "api_key: your-api-key-here",
    "API_KEY=sk-your-key-here",
    "sk-ant-your-key-here-please-000",
    "ghp_" + "x" * 36,
    "AKIA" + "X" * 16,
    "hf_" + "0" * 34,
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer ${TOKEN_1}",
    "We use Bearer authentication with short-lived tokens",
    "postgres://user:password@host/db",
    "postgres://postgres:postgres@localhost:5432/app",
    "postgres://app:${PGPASS1}@db/app",
    "postgres://app:<password1>@db/app",
    "https://example.com:8080/path@2x.png",
    "https://abc:xyz@example.com",
    "git@github.com:owner/repo.git",
    "https://example.com/" + drawn(120, URLSAFE),
    "https://example.com/a?utm_source=newsletter&id=1234567890abcdef&page=2#top",
    "commit " + drawn(40, HEX),
    "sha256: " + drawn(64, HEX),
    "sha256:" + drawn(64, HEX) + "  src/main.py",
    'integrity="sha384-' + drawn(64) + '"',
    "id: 123e4567-e89b-12d3-a456-426614174000",
    "clientToken: 123e4567-e89b-12d3-a456-426614174000",
    "![logo](data:image/png;base64," + drawn(4000, ALNUM + "+/") + ")",
    "-----BEGIN PRIVATE KEY----- must never be committed",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN PUBLIC KEY-----\n" + drawn(64) + "\n-----END PUBLIC KEY-----",
    "public key: ssh-ed25519 " + drawn(68),
    "deploy key fingerprint: SHA256:" + drawn(43),
    "cache key: user:1234:profile:v2:" + drawn(24),
    "primary key: order_line_2024_id",
    "token id: 123456789012345678901234567890123456",
    "token: 123456789012345678901234567890123456",
    "Key: Ctrl+Shift+P2",
    "The key is src/reverie/core/secrets/scanner.py",
    "--tags Key=cost-center,Value=cc123",
    "secret: my-app-secret-2",
    "secret name: projects/p1/secrets/db/versions/2",
    "turkey: 20 monkeys in hotkey1234567890abcdefgh",
    "Use 1Password as the password manager",
    "Keycloak22 is the password store",
    "Reset the password on server01",
    "password page 12 of the guide",
    "The login page: Home / v2",
    "seed phrase lives in the safe of the office",
    "Ticket AUTH-1234 is about the password: AUTH-1234",
    "密码存在 1Password 里",
    "密码: 存放在1Password里",
    "密码是 16 位以上",
    "密码学101课程下周开始",
    "密钥由运维团队每季度轮换",
    "令牌桶算法每秒补充 100 个令牌",
    # programs and their manuals
    "exports.Socks5Auth = exports.Socks4Response",
    "const key = options?.keys[2]",
    "var metaKeyCode = /^(?:\\x1b)([a-zA-Z0-9])$/;",
    "var signature = buffer.readUInt32LE(0);",
    "def verify(key: Ed25519PublicKey | Ed448PublicKey) -> bool",
    "key: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE" + drawn(84),
    "public deploy key AAAAB3NzaC1yc2E" + drawn(60),
    "Example: Key1=Value1:Key2=Value2:Key3=Value3",
    "\\fIscheme\\fR://[[\\fIuser\\fR][:\\fIpass\\fR]@]\\fIhost\\fR",
    "days during which a password is valid\\&. When",
    "the machine is identified by __mc68000__",
    "password = getpass('Password2: ')",
    "password = config.get('smtp_password2')",
    "token_hash: " + drawn(40),
    '{"key_sha256": "' + drawn(64, HEX) + '"}',
    "set the key --start-time=2021-02-01T12:12:12Z",
    "git://[path-to-repo[:]][ref@]path/to/file",
    "passwd chat = *New*UNIX*password* *ReType*new*UNIX*password*",
    'it sends "anonymous@" as default password',
    "[admin_password:](#admin_password:) has to be set",
    "let n=this,{password:r,strength:a,resolveReady:o}=n;r?(await Vt(n,a2,r)):0",
    "items.push({start:[],key:t,sep:[]}),this.onKeyLine=!0;return",
    "ssh://687fb701029421ae5549d998@ssh.example.com",
    'HEX_PAT = "[0-9A-Fa-f]{1,4}"',
    "monkeypatch.setenv('GOOGLE_API_KEY', 'test-api-key')",
    "credentials (oauth2client.contrib.gce.AppAssertionCredentials): The",
    "l.key=t,b&&(l.forceRefresh=!0),l.cache=this",
    "('http', 'user/name', 'password', 'localhost:22')",
    "Signature: 8a477f597d28d172789f06886806bc55",
    "Host key types: sk-ecdsa-sha2-nistp256@openssh.com, sk-ssh-ed25519-cert-v01@openssh.com",
    "{keepSourceTokens:!0,simpleKeys:!1,this.onKeyLine=!0}",
    "choose a strong password on http://en.example.org/wiki/Password_strength",
    "http://gebruiker:wachtwoord@server:poort/",
    "password_file: /etc/secret2.key",
    "last access: 2026-05-01T10:00:00Z",
    "tool call toolu_01" + drawn(22),
    "the token was used by request req_" + drawn(24),
    "パスワードは1Passwordにあります",
    "パスワードは8文字以上です",
    "비밀번호는 1Password 에 있습니다",
    "Das Passwort liegt im Tresor von Team 7",
    "le mot de passe est dans le coffre",
    "La contraseña está en 1Password",
    "Пароль хранится в 1Password",
    "รหัสผ่านอยู่ใน 1Password",
    "รหัสผ่าน: เก็บไว้ใน1Passwordแล้ว",
    "كلمة المرور محفوظة في 1Password",
    "token: [redacted:github-token]",
    "password is [redacted:password], as said",
]


@pytest.mark.parametrize("text", MENTIONS, ids=range(len(MENTIONS)))
def test_a_mention_is_no_secret(text):
    assert scanner.scan(text) == []
    assert scanner.redact(text) == (text, [])


DISGUISES = {
    "zero-width space": lambda token: token[:8] + "\u200b" + token[8:],
    "a word joiner after every character": "\u2060".join,
    "soft hyphen": lambda token: token[:3] + "\u00ad" + token[3:],
    "byte order mark": lambda token: "\ufeff" + token[:9] + "\ufeff" + token[9:],
    "full width": lambda token: token.translate(
        {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
    ),
    "mathematical letters": lambda token: "".join(
        chr(0x1D5BA + ord(char) - 97) if "a" <= char <= "z" else char for char in token
    ),
    "bold prefix": lambda token: f"**{token[:4]}**{token[4:]}",
    "bold inside": lambda token: f"{token[:10]}**{token[10:14]}**{token[14:]}",
    "code inside": lambda token: f"{token[:4]}`{token[4:]}`",
    "escaped underscore": lambda token: token.replace("_", "\\_"),
    "joined literals": lambda token: f'"{token[:4]}" + "{token[4:]}"',
    "adjacent literals": lambda token: f"'{token[:4]}' '{token[4:]}'",
}


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguised_token_is_found_and_cut_out_whole(name):
    disguised = DISGUISES[name](GITHUB)
    text = f"push with {disguised} tomorrow"

    redacted, found = scanner.redact(text)

    assert [item.rule for item in found] == ["github-token"]
    assert redacted.startswith("push with ")
    assert redacted.endswith(" tomorrow")
    assert GITHUB[8:20] not in DISGUISES["zero-width space"](redacted)
    assert scanner.scan(redacted) == []
    assert len(redacted) < len("push with [redacted:github-token] tomorrow") + 6


def test_a_full_width_password_is_found_where_it_stands():
    text = "密码：ｈｕｎｔｅｒ２ａｂｃ。"
    assert scanner.scan(text) == [SecretFinding("password", 1, 4)]
    assert scanner.redact(text)[0] == "密码：[redacted:password]。"


def test_places_are_lines_and_columns_of_the_original_text():
    text = f"\ufeffone\r\n\u200btwo {GITHUB}\r\n密码：{HUNTER} {GITHUB}"
    assert scanner.scan(text) == [
        SecretFinding("github-token", 2, 6),
        SecretFinding("password", 3, 4),
        SecretFinding("github-token", 3, 4 + len(HUNTER) + 1),
    ]


def test_a_finding_never_holds_the_value():
    for _, before, value, after in POSITIVES:
        assert value not in repr(scanner.scan(before + value + after))


def test_the_second_half_of_an_aws_pair_is_found_beside_the_first():
    text = f"AKIA{drawn(16, UPPER)} / {drawn(40, ALNUM + '/+')}"
    assert [item.rule for item in scanner.scan(text)] == ["aws-access-key", "aws-secret-key"]
    assert scanner.redact(text)[0] == "[redacted:aws-access-key] / [redacted:aws-secret-key]"


def test_the_second_half_of_an_alibaba_pair_is_found_beside_the_first():
    text = f"LTAI{drawn(20)}, {drawn(30)}"
    assert [item.rule for item in scanner.scan(text)] == [
        "alibaba-access-key",
        "alibaba-secret-key",
    ]


def test_a_client_secret_is_found_beside_its_client_id():
    text = f"123456789012-{drawn(32, HEX)}.apps.googleusercontent.com\n{drawn(24)}"
    assert [item.rule for item in scanner.scan(text)] == ["gcp-client-secret"]


def test_a_value_that_is_known_for_a_secret_is_one_wherever_it_stands():
    text = f"password: {HUNTER}\n\nThen type {HUNTER}, or ask Bob. Not {HUNTER}x.\n"
    assert scanner.redact(text)[0] == (
        "password: [redacted:password]\n\nThen type [redacted:password], or ask Bob."
        f" Not {HUNTER}x.\n"
    )


def test_a_secret_longer_than_what_is_judged_is_cut_out_to_its_end():
    value = drawn(9000)
    assert scanner.redact(f"secret: {value} end")[0] == "secret: [redacted:secret-assignment] end"


def test_a_token_that_only_the_cut_lays_open_is_cut_out_too():
    webhook = "https://discord.com/api/webhooks/123456789012345678/"
    text = f"{webhook}{drawn(100)}AKIA{drawn(16, UPPER)} end"
    assert (
        scanner.redact(text)[0]
        == f"{webhook}[redacted:discord-webhook][redacted:aws-access-key] end"
    )


def test_the_same_token_is_found_each_time_it_stands_there():
    value = "sq0csp-" + drawn(43, URLSAFE)
    assert [item.column for item in scanner.scan(f"{value} {value}")] == [1, len(value) + 2]


def test_allowed_rules_are_left_alone_and_no_other_rule_takes_their_place():
    text = f"token: {GITHUB}\npassword: {HUNTER}"
    assert [item.rule for item in scanner.scan(text, allow=["github-token"])] == ["password"]
    assert scanner.redact(text, allow=["github-token", "password"]) == (text, [])


def test_a_secret_that_was_there_does_not_block_an_edit_of_another_line():
    before = f"# Notes\n\npassword: {HUNTER}\n"
    after = f"# Notes\n\nNew first line.\n\n- password: {HUNTER}\n"
    assert scanner.added(before, after) == []
    assert scanner.redact(after, before=before) == (after, [])


def test_a_new_secret_beside_an_old_one_is_found_alone():
    before = f"password: {HUNTER}\n"
    after = f"{before}deploy with {GITHUB}\n"
    assert scanner.added(before, after) == [SecretFinding("github-token", 2, 13)]
    assert scanner.redact(after, before=before)[0] == (
        f"{before}deploy with [redacted:github-token]\n"
    )


def test_a_changed_value_and_a_new_file_are_new():
    before = f"password: {HUNTER}\n"
    assert scanner.added(before, f"password: {HUNTER}9\n") == [SecretFinding("password", 1, 11)]
    assert scanner.added(None, before) == [SecretFinding("password", 1, 11)]
    assert scanner.added("", before, allow=["password"]) == []


# --- properties ------------------------------------------------------------------------------------

WORDS = [
    "the", "a", "memory", "password", "passwords", "secret", "secrets", "token", "tokens", "key",
    "keys", "api", "credentials", "login", "user", "admin", "is", "are", "was", "as", "stored", "kept",
    "rotates", "in", "for", "of", "to", "with", "set", "vault", "1Password", "environment", "never",
    "production", "staging", "commit", "hash", "bcrypt", "sha256", "OAuth2", "bearer", "basic",
    "authorization", "private", "public", "seed phrase", "密码", "密钥", "令牌", "存放", "在", "保险库",
    "パスワード", "は", "鍵", "비밀번호", "토큰", "das", "Passwort", "liegt", "Schlüssel", "mot de passe",
    "est", "dans", "la", "contraseña", "está", "пароль", "ключ", "хранится", "รหัสผ่าน", "อยู่ใน",
    "كلمة", "المرور", "סיסמה", "पासवर्ड", "v2.1.0", "12", "2026-05-01", "README.md", "`config.py`",
    "**bold**", "_soft_", "[link](docs/a.md)", "https://example.com/docs",
]  # fmt: skip
prose = st.lists(
    st.tuples(
        st.sampled_from(WORDS),
        st.sampled_from(
            [" ", " ", " ", " ", ", ", ". ", ": ", " = ", " | ", "\n", "\n- ", "\r\n", "，", "。"]
        ),
    ),
    max_size=60,
).map(lambda pairs: "".join(word + gap for word, gap in pairs))


@given(prose)
def test_prose_about_secrets_is_clean(text):
    assert scanner.scan(text) == []


@st.composite
def mixed(draw: st.DrawFn) -> str:
    """Prose, any characters, and secrets with their surroundings, in any order."""
    samples = st.sampled_from(POSITIVES).map(lambda row: row[1] + row[2] + row[3])
    disguised = st.sampled_from(list(DISGUISES.values())).map(lambda hide: hide(GITHUB))
    pieces = draw(st.lists(st.one_of(prose, st.text(max_size=20), samples, disguised), max_size=6))
    return draw(st.sampled_from(["", " ", "\n"])).join(pieces)


@given(mixed())
def test_what_was_redacted_is_clean_and_all_else_is_kept(text):
    redacted, found = scanner.redact(text)

    assert scanner.scan(redacted) == []
    assert scanner.redact(redacted) == (redacted, [])
    assert bool(found) == (redacted != text)
    kept = PLACEHOLDER.split(redacted)
    assert text.startswith(kept[0])
    assert text.endswith(kept[-1])
    at = 0
    for piece in kept:
        at = text.index(piece, at) + len(piece)


# What the rules look for, in pieces: frames without a body, heads without a tail, names without a value.
PIECES = [
    "PRIVATE KEY", "PRIVATE KEY BLOCK", "-----BEGIN", "-----BEGIN ", "-----END ", "-----", "RSA ",
    "MIIEp", "PuTTY-User-Key-File-3:", "Private-Lines: 2", "Private-MAC:", "\n", "\r\n", "\\n", " ",
    "\t", ":", "=", "/", "@", "://", "\"", "'", "`", ",", ";", "&", "?", "<", ">", "|", ".", "-", "_",
    "*", "\\", "\0", "\u200b", "İ", "ﬁ", "[redacted:", "[redacted:x]", "]", "password", "PASSWORD",
    "pass", "-p", "-u", "curl", "mysql", "token", "Bearer", "Authorization", "Cookie", "sig", "is my",
    "密码", "パスワード", "hunter2abc", "AKIA", "sk-", "ghp_", "eyJ", "a1B2c3D4e5F6g7H8",
    "0123456789abcdef" * 2, "x" * 9,
]  # fmt: skip
fragments = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=40).map(
    "".join
)


@given(fragments, fragments)
def test_no_text_is_too_odd_to_be_scanned(text, before):
    spans = [(match.start, match.end) for match in scanner.find(text)]
    assert all(start < end for start, end in spans)
    assert [at for span in spans for at in span] == sorted(at for span in spans for at in span)
    assert all(start >= 0 and end <= len(text) for start, end in spans)
    assert len(scanner.scan(text)) == len(spans)
    assert len(scanner.added(before, text)) <= len(spans)
    redacted, _ = scanner.redact(text)
    assert scanner.redact(redacted) == (redacted, [])
    scanner.redact(text, before=before)


@pytest.mark.parametrize(
    "text", ["PRIVATE KEY", "The PRIVATE KEY stays on the laptop", "-----END PRIVATE KEY-----"]
)
def test_the_words_of_a_frame_without_the_frame_are_only_words(text):
    assert scanner.scan(text) == []


@given(mixed(), st.sampled_from(TOKENS))
def test_a_token_is_found_whatever_stands_around_it(text, row):
    _, before, value, after = row
    head = f"{text}\n\n{before}"
    found = scanner.find(f"{head}{value}{after}\n\n{text}")
    assert any(match.start <= len(head) and match.end >= len(head) + len(value) for match in found)


@given(mixed(), mixed())
def test_added_finds_nothing_in_a_text_that_only_moved(one, two):
    text = f"{one}\n\n{two}\n"
    assert scanner.added(text, text) == []
    assert scanner.added(text, f"# Heading\n\n{text}") == []


# --- time, loading, documents ----------------------------------------------------------------------

ADVERSARIAL = [
    "a", "A", "1", "=", " ", "\n", "*", "`", '"', "\\", "/", "|", "x", ".", "-", "İ", "\u200b",
    "a\u200b", "`a", "eyJ", "eyJaaaaaaaaaa.", "sk-", "sk-a1-", "glpat-", "AKIA", "AKIA" + "A" * 14 + " ",
    "xox", "12345678:", "aaa1Q~", "a.atlasv1.", "M" + "a" * 24 + ".", 'a" + "', "\\_",
    "hooks.slack.com/services/", "://a:", "://a:b", "curl -u a:", "authorization: ", "bearer ",
    "authorization: bearer aaaaaaaaaaaa", "password", "password: ", "password for a b c ",
    "password is ", "password-", "key=", 'token="', "key: " + "a1" * 200 + " ",
    "token: " + "a." * 250 + " ", "password: " + "aB3_" * 128 + " ", "secret******    ",
    "login: a / ", "abcdefg1 is ", "seed phrase: abandon ", "abandon ", "密码", "密码 a", "[redacted:",
    "[redacted:x]", "sq0csp-", "cloudant_key ", "abcdefgh1-us1", " AKC12345678", "softlayer ",
    "-----BEGIN RSA PRIVATE KEY-----\n", "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEp" * 6 + "\n",
    "-----BEGIN PRIVATE KEY-----" + "\n" * 3000,
]  # fmt: skip


def seconds(text: str) -> float:
    best = float("inf")
    for _ in range(2):
        begin = time.process_time()
        scanner.find(text)
        best = min(best, time.process_time() - begin)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("unit", ADVERSARIAL, ids=range(len(ADVERSARIAL)))
def test_time_grows_with_the_length_and_not_with_its_square(unit):
    short, long = ((unit * (size // len(unit) + 1))[:size] for size in (6_000, 48_000))
    scanner.find(short)  # patterns are compiled once
    # Eight times the text: linear is 8, quadratic 64.
    assert seconds(long) < 24 * seconds(short) + 0.05


HOSTILE = ["{hint}", "{hint}a", "{hint}a1B2", "{hint} ", "{hint}-", "{hint}." + "a" * 30]


def effort(pattern: re.Pattern[str], text: str) -> float:
    begin = time.process_time()
    for _ in pattern.finditer(text):
        pass
    return time.process_time() - begin


@pytest.mark.slow
def test_no_pattern_of_a_rule_takes_more_than_linear_time():
    size = 10_000
    for rule in all_rules():
        pattern = compiled(rule)
        for shape in HOSTILE:
            unit = shape.format(hint=rule.hints[0])
            short, long = ((unit * (many // len(unit) + 1))[:many] for many in (size, 8 * size))
            assert effort(pattern, long) < 24 * effort(pattern, short) + 0.05, (rule.id, shape)


def read_over_whole_texts() -> dict[str, re.Pattern[str]]:
    """The patterns of the rules that read context, as far as they search a whole text."""
    source = Path(surroundings.__file__).read_text(encoding="utf-8")
    names = set(re.findall(r"(_[A-Z_]+)\.finditer\(", source)) - {"_ELEMENT_WORD", "_COOKIE"}
    found = {name: getattr(surroundings, name) for name in names}
    found |= {row[1]: re.compile(row[1]) for row in (*_COMMANDS, *_JUDGED)}
    return {
        name: pattern if isinstance(pattern, re.Pattern) else pattern.compiled()
        for name, pattern in found.items()
    }


@pytest.mark.slow
def test_no_pattern_of_the_context_takes_more_than_linear_time():
    patterns = read_over_whole_texts()
    assert len(patterns) > 30
    bad = {
        name: slow
        for name, pattern in patterns.items()
        if (
            slow := linear.superlinear(
                linear.running(pattern, searched=True), linear.shapes(pattern)
            )
        )
    }
    assert bad == {}


COMMAND_LINES = [
    "mysql -", "mysql -p", "docker login ", "docker login -p", "sshpass -p", "redis-cli -a", "identified by ",
    "curl -u ", "env['key'] or '", "auth=('", "${KEY:-", "cookie: a=", "x-api-key: ", "?token=a", "a:1:b:c:",
    "key: default", "password { default = ", "key = {0x00, ", "0x00, ", 'connect("a", ', 'login("a", "',
    "https://a.infura.io/v3/", "://" + "a1" * 20, "token_a", "token_a = b(", 'secret = new a("', "Auth(",
    "#define key ", "password string = ", "key[] = ", "</key><string>", "token%3d", "acme_sk_", "key_a1B2c3",
    "LTAI" + "a1" * 9, "token a1B2c3D4e5F6g7H8i9J0k1L2m3N4 ", "password: hunter2abc hunter2abc ",
    "x is the password ", "MIIEvQIBADAN", ".apps.googleusercontent.com ", "AB12C-3DE4F-",
    "key: AB12C-3DE4F-G56HI ",
    "<key>", "<key>a1", "name: KEY\nvalue: ", "datadog: a1", "datadog-key-", '"kty"', '"kty" "d": "',
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", COMMAND_LINES)
def test_nor_does_what_stands_around_a_secret(unit):
    short, long = ((unit * (size // len(unit) + 1))[:size] for size in (6_000, 48_000))
    scanner.find(short)
    assert seconds(long) < 24 * seconds(short) + 0.05


@pytest.mark.slow
def test_a_megabyte_of_prose_is_read_in_seconds():
    chance = random.Random(7)
    text = " ".join(chance.choices(WORDS, k=180_000))[:1_000_000]
    assert len(text) > 900_000
    assert seconds(text) < 10


def test_ordinary_text_loads_neither_the_library_nor_its_network_stack():
    program = (
        "import sys\n"
        "from reverie.core.secrets import scanner\n"
        "rare = ('reverie.core.secrets.view', 'reverie.core.secrets.given_values')\n"
        "assert not set(rare) & set(sys.modules)\n"
        f"scanner.scan('The API key is in 1Password. password: {HUNTER}')\n"
        "print(sorted({'detect_secrets', 'requests', 'yaml'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_the_library_agrees_with_our_own_table():
    from detect_secrets.plugins.aws import AWSKeyDetector
    from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
    from detect_secrets.plugins.discord import DiscordBotTokenDetector
    from detect_secrets.plugins.github_token import GitHubTokenDetector
    from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
    from detect_secrets.plugins.jwt import JwtTokenDetector
    from detect_secrets.plugins.openai import OpenAIDetector
    from detect_secrets.plugins.pypi_token import PypiTokenDetector
    from detect_secrets.plugins.sendgrid import SendGridDetector
    from detect_secrets.plugins.slack import SlackDetector
    from detect_secrets.plugins.stripe import StripeDetector
    from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector

    detectors = [
        AWSKeyDetector(), AzureStorageKeyDetector(), DiscordBotTokenDetector(), GitHubTokenDetector(),
        GitLabTokenDetector(), JwtTokenDetector(), OpenAIDetector(), PypiTokenDetector(),
        SendGridDetector(), SlackDetector(), StripeDetector(), TelegramBotTokenDetector(),
    ]  # fmt: skip
    seen = set()
    for rule, before, value, after in TOKENS:
        text = before + value + after
        for detector in detectors:
            if list(detector.analyze_string(text)):
                seen.add(type(detector).__name__)
                assert [item.rule for item in scanner.scan(text)] == [rule]
    assert seen == {type(detector).__name__ for detector in detectors}


def test_every_rule_is_documented():
    page = (DOCS / "secrets.md").read_text(encoding="utf-8").split("## Rules")[1]
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.+) \|$", page, flags=re.MULTILINE))
    assert rows == scanner.RULES


@pytest.mark.parametrize("unit", ["AKIA", "ASIA", "password: ", "sk-ant-", "pw=x1Kq9z "])
def test_values_that_lay_each_other_open_take_few_rounds(unit, monkeypatch):
    looks = []
    find = scanner.find
    monkeypatch.setattr(
        scanner, "find", lambda text, **how: (looks.append(1), find(text, **how))[1]
    )
    clean, _ = scanner.redact(f"before\n{unit * 2_000}x\nbehind")
    assert len(looks) <= 30
    assert find(clean) == []
    assert clean.startswith("before\n")
    assert clean.endswith("\nbehind")


NEED_A_DIGIT = {
    "ably-key", "artifactory-token", "atlassian-token", "azure-key", "brevo-key", "buildkite-token",
    "cerebras-key", "chat-webhook", "cloudflare-token", "composio-key", "confluent-key",
    "crates-token", "facebook-token", "fireworks-key", "google-refresh-token", "helicone-key",
    "honeycomb-key", "instagram-token", "kubernetes-bootstrap-token", "langsmith-key",
    "llama-cloud-key", "mem0-key", "nats-seed", "neon-password", "newrelic-key", "newrelic-license",
    "ngrok-token", "notion-token", "nuget-key", "okta-token", "onepassword-key", "openai-key",
    "pagerduty-key", "postman-key", "prefect-token", "render-key", "replicate-token", "resend-key",
    "retool-token", "scaleway-key", "slack-token", "sonar-token", "square-access-token",
    "statsig-key", "supabase-token", "tavily-key", "vercel-token", "voyage-key", "xai-key",
    "yandex-oauth",
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "before", "value", "after"), [row for row in TOKENS if row[0] in NEED_A_DIGIT]
)
def test_where_a_token_needs_a_digit_the_same_letters_without_one_are_a_name(
    rule, before, value, after
):
    """`squ_` and many letters can be a name; nobody draws so many characters without one digit."""
    assert rule in {found.rule for found in scanner.find(f"{before}{value}{after}")}
    named = re.sub(r"\d", "k", value)
    assert rule not in {found.rule for found in scanner.find(f"{before}{named}{after}")}


def test_a_value_in_an_address_ends_with_its_parameter():
    key = drawn(24)
    for sign in ("?", "&"):
        shown, _ = scanner.redact(f"https://example.org/{sign}api_key={key}#top")
        assert shown == f"https://example.org/{sign}api_key=[redacted:secret-assignment]#top"
    # Elsewhere such a sign is part of the value.
    assert "#top" not in scanner.redact(f"api_key={key}#top")[0]


@pytest.mark.parametrize(
    "rule",
    [rule for rule in all_rules() if any(len(hint) == 1 for hint in rule.hints)],
    ids=lambda rule: rule.id,
)
def test_a_hint_of_one_character_is_for_tokens_with_a_long_run(rule):
    @settings(max_examples=examples(30))
    @given(st.from_regex(re.compile(rule.pattern, re.ASCII), fullmatch=True))
    def check(token):
        assert rule in [found for found, _ in matches(f"It is {token} for now.")]

    check()
