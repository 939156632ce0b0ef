"""Ends, other values and values said again are seen in whatever words; others' things and lists never."""

from __future__ import annotations

import pytest

from reverie.core.claims.judgement import replaces

CHANGES = [
    # a value said again, with no word of change
    ("Sessions expire after 30 minutes.", "Sessions expire after 2 hours."),
    ("The backup job runs daily.", "The backup job runs every 6 hours."),
    ("The runner image is ubuntu:20.04.", "The runner image is ubuntu:24.04."),
    ("Our payment provider is Stripe.", "Our payment provider is Adyen."),
    # an end, by any verb, of what the old statement is about
    ("I have a Spotify subscription.", "I cancelled Spotify."),
    ("I play drums in a band called Ravel.", "Ravel split up."),
    ("Ich habe ein Abo bei Audible.", "Ich habe das Audible-Abo gekündigt und Audible gelöscht."),
    ("Ich habe ein Abo beim Spiegel.", "Das Spiegel-Abo habe ich gekündigt."),
    ("Die Lagerhalle ist in Kassel.", "Die Lagerhalle ist nach Fulda umgezogen."),
    ("El plazo es de 10 días.", "El plazo se amplió a 20 días."),
    ("Chodzę na kurs hiszpańskiego.", "Zrezygnowałam z kursu hiszpańskiego."),
    ("On écrit les scripts avec Perl.", "On n'utilise plus Perl."),
    ("I wear contact lenses.", "I don't need contact lenses any longer."),
    # another value, by any verb of setting
    ("The orders topic has 12 partitions.", "We bumped the orders topic to 48 partitions."),
    ("My conference workshop is 90 minutes long.", "They shortened my workshop to 45 minutes."),
    ("My son goes to Elm Road School.", "My son transferred to Lakeside Academy."),
    ("Лимит диска контейнера — 10 ГБ.", "Лимит диска контейнера увеличили до 20 ГБ."),
    ("The CFO is Dana Hale.", "Rohan Roy was appointed CFO after Dana Hale stepped down."),
    ("The state file is kept in a shared folder.", "As of Monday the state file lives in a bucket."),
]  # fmt: skip

BOTH = [
    ("The train leaves at 7:15.", "The train leaves at 9:40."),
    ("The shuttle stops at Gate 2.", "The shuttle stops at Gate 5."),
    ("The library supports Python 3.9.", "The library supports Python 3.10."),
    ("The server crashed at 3:15.", "The server crashed at 4:20."),
    ("The restaurant is Italian.", "The restaurant is Vegan."),
    ("Our customer is Acme.", "Our customer is Globex."),
    ("The script reads config.yml.", "The script reads data.csv."),
    ("I have a Netflix subscription.", "My brother cancelled Netflix."),
    ("I have a Netflix subscription.", "I cancelled my Spotify account."),
    ("J'ai Netflix.", "Il a résilié Netflix."),
    ("Ich habe Netflix.", "Er hat Netflix gekündigt."),
    ("I drink coffee.", "I don't drink coffee any more after lunch."),
    ("We use MySQL for billing.", "Search no longer uses MySQL."),
    ("We use Redis for caching.", "We removed the Redis sentinel."),
    ("We use Jira for tickets.", "We closed three Jira tickets."),
    ("The repo is on GitHub.", "The issues were migrated from GitHub to Jira."),
    ("The API key rotates every 90 days.", "The API limit was lowered to 30 requests a minute."),
    ("The staging timeout is 30 seconds.", "The production timeout was raised to 60 seconds."),
    ("The limit is 10 requests per second.", "The limit is 500 requests per day."),
    ("My son goes to Elm Road School.", "My son moved to the back row."),
    ("I'm learning Spanish.", "I finished the Spanish course."),
    ("I work in Paris.", "The warehouse moved from Paris to Lyon."),
    ("Die Lagerhalle ist in Kassel.", "Die Buchhaltung ist nach Fulda umgezogen."),
    ("Das Büro ist in Mainz.", "Das Büro wurde auf 20 Plätze erweitert."),
    ("Ik woon in Gent.", "Mijn ouders zijn naar Brugge verhuisd."),
    ("Kardeşim Netflix kullanıyor.", "Netflix'i iptal ettim."),
    ("The right panel shows files.", "The left panel shows files."),
    ("Mam psa.", "Sąsiad sprzedał psa."),
    ("犬を飼っています。", "弟は犬を手放しました。"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_change_is_seen_in_other_words(old: str, new: str) -> None:
    assert replaces(new, old)


@pytest.mark.parametrize(("one", "two"), BOTH)
def test_what_both_holds_stays(one: str, two: str) -> None:
    assert not replaces(two, one)
    assert not replaces(one, two)
