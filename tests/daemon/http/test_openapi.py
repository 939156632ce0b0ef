"""The description is true: requests made from it, good and bad, get only answers it tells of."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from tests.daemon.conftest import TOKEN

pytestmark = pytest.mark.slow

STREAMS = "text/event-stream"


@pytest.fixture
def daemon(start):
    return start(settings={"daemon.shapes": ("mem0", "anthropic")})


@pytest.fixture
def described(daemon):
    import schemathesis

    raw = daemon.get("/openapi.json").json()
    schema = schemathesis.openapi.from_dict(raw)
    schema.config.update(base_url=daemon.url)
    return schema


def operations(described):
    for result in described.get_all_operations():
        yield result.ok()


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.filterwarnings("ignore")  # of the tool itself: some data cannot be made wrong
def test_requests_made_from_the_description_get_no_5xx_and_no_answer_it_does_not_tell_of(
    daemon, described, mode
):
    from schemathesis import GenerationMode, checks
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    told = [
        checks.not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]
    headers = {"Authorization": f"Bearer {TOKEN}"}
    statuses: Counter[int] = Counter()
    for operation in operations(described):
        if operation.path.startswith("/workspaces/{workspace}") or "/events" in operation.path:
            continue  # the same handlers again; streams do not end
        strategy = operation.as_strategy(generation_mode=GenerationMode(mode))

        @given(case=strategy)
        @settings(
            max_examples=15,
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def try_it(case):
            case.headers.pop("Authorization", None)
            statuses[case.call_and_validate(headers=headers, checks=told).status_code] += 1

        with suppress(Unsatisfiable):  # an endpoint without input cannot be given wrong input
            try_it()
    # Both kinds were really answered, not just turned away: wrong data also comes without a token.
    if mode == "positive":
        assert {200, 202, 404} <= set(statuses)
        assert 401 not in statuses
    else:
        assert {400, 401, 404} <= set(statuses)


def test_every_documented_code_of_an_error_is_one_of_ours(daemon):
    from reverie.errors import all_errors

    codes = {error.code for error in all_errors()}
    for kind in ("remember", "forget", "dream"):
        codes |= {f"{kind}_task_not_found", f"{kind}_failed"}
    described = daemon.get("/openapi.json").json()
    for methods in described["paths"].values():
        for operation in methods.values():
            for status, response in operation["responses"].items():
                if int(status) >= 400:
                    named = response["description"].partition(": ")[2].split(", ")
                    assert set(named) <= codes
