"""Tools: names that are known, by what each is for.

Who says "we migrated to PostgreSQL" says what the database is. Only names that are one thing everywhere are
listed; what has several uses (Redis, Ruff, MinIO) is left out.
"""

from __future__ import annotations

from typing import Final

# The words of a name are joined by hyphens.
_TOOL_TEXT: Final = """
    database: mysql mariadb postgresql postgres mongodb sqlite oracle mssql sql-server couchdb cockroachdb
        dynamodb firestore cassandra tidb clickhouse duckdb yugabytedb planetscale
    package manager: npm pnpm yarn
    python package manager: pip pip-tools poetry uv pipenv pdm
    bundler: webpack vite rollup parcel esbuild turbopack rspack
    build tool: maven gradle bazel ant
    test framework: jest vitest mocha jasmine
    python test framework: pytest unittest nose nose2
    formatter: prettier black yapf biome dprint
    ci: jenkins travis travis-ci circleci teamcity buildkite drone bamboo gitlab-ci github-actions
    deployment tool: ansible helm argocd argo-cd flux capistrano kamal octopus-deploy
    infrastructure tool: terraform pulumi opentofu cloudformation
    programming language: java kotlin python typescript javascript ruby php rust go scala elixir swift c#
        dart perl
    app framework: react-native flutter ionic xamarin
    version control: git subversion svn mercurial
    code host: github gitlab bitbucket codeberg gitea azure-devops forgejo
    frontend framework: angular react vue svelte ember solid preact
    web framework: flask django fastapi rails laravel symfony
    editor: vim neovim emacs helix zed vs-code vscode visual-studio-code sublime-text sublime nano
        kate pycharm intellij webstorm
    shell: bash zsh fish nushell
    terminal: iterm iterm2 alacritty kitty wezterm ghostty
    browser: chrome firefox safari brave edge opera vivaldi
    message broker: rabbitmq kafka nats activemq sqs
    search backend: elasticsearch meilisearch opensearch solr typesense algolia
    orm: sqlalchemy peewee prisma typeorm sequelize drizzle
    issue tracker: jira linear trello asana youtrack bugzilla shortcut
    wiki: confluence mediawiki bookstack outline
    chat: slack discord mattermost zulip microsoft-teams teams rocket.chat
    video call: zoom google-meet jitsi webex
    error tracker: sentry honeybadger rollbar bugsnag
    monitoring: datadog new-relic zabbix nagios
    hosting provider: aws azure gcp google-cloud heroku hetzner digitalocean linode scaleway
        netlify vercel fly.io
    object storage: s3 gcs r2
    cdn: cloudflare fastly akamai cloudfront
    payment provider: stripe braintree adyen paypal mollie klarna
    mail service: mailgun postmark sendgrid mailchimp ses mailjet
    mail program: thunderbird outlook gmail protonmail fastmail
    feature flags: launchdarkly unleash flagsmith split.io growthbook
    vpn: openvpn wireguard tailscale
    password manager: lastpass bitwarden 1password keepass keepassxc dashlane
    secret store: doppler vault infisical
    note app: evernote notion obsidian joplin onenote logseq
    music service: spotify deezer tidal apple-music
    language app: duolingo babbel busuu
    state management: redux zustand mobx pinia vuex
    search engine: google duckduckgo kagi bing ecosia startpage
    login provider: auth0 keycloak okta
    design tool: sketch figma
    backup tool: restic borg borgbackup duplicity kopia
    analytics: matomo plausible mixpanel amplitude posthog"""


def _kinds() -> dict[str, str]:
    found: dict[str, str] = {}
    kind = ""
    for line in _TOOL_TEXT.split("\n"):
        name, colon, rest = line.partition(":")
        kind = name.strip() if colon else kind
        found.update(dict.fromkeys((rest if colon else line).split(), kind))
    return found


_KINDS: Final = _kinds()
_WORD_TEXT: Final = """
    black drone bamboo fish linear edge brave sketch notion bear solid ember nose helix nano kate oracle opera
    parcel azure joplin prisma safari chrome flask bash tidal rails prettier slack discord subversion git java
    python rust go swift scala elixir dart ruby perl teams zoom stripe vault unleash postmark outline shortcut
    flux helm ansible kitty outlook split plausible amplitude babbel tailscale ant ionic flutter r2 ses
    duplicity
    lastpass bitwarden trello asana asana"""
_WORDS: Final = frozenset(_WORD_TEXT.split())
"""Names that are also words, and so are taken for names only with a capital."""


_SEVERAL_TEXT: Final = """
    gitlab github azure-devops klarna spotify stripe paypal adyen mollie google oracle slack zoom datadog
    cloudflare
    mongodb asana figma notion vercel netlify heroku digitalocean hetzner akamai fastly discord deezer trello
    opera
    s3 linear microsoft-teams teams aws azure gcp google-cloud"""
_SEVERAL: Final = frozenset(_SEVERAL_TEXT.split())
"""Of these, one kind is not all: they are also companies, or used for something else."""


def only_kind_of(name: str) -> str:
    """Tell what a tool is, if it cannot be anything else."""
    return "" if name.replace(" ", "-") in _SEVERAL else kind_of(name)


def kind_of(name: str) -> str:
    """Tell what a tool is; nothing where that is not known."""
    return _KINDS.get(name.replace(" ", "-"), "")


def is_tool(word: str) -> bool:
    """Tell whether a word, in whatever case, can only be the name of a tool."""
    return word in _KINDS and word not in _WORDS


def tools_of(kind: str) -> list[str]:
    """Return the names of all tools of a kind."""
    return [name for name, other in _KINDS.items() if other == kind]
