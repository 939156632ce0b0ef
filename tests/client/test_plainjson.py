"""JSON without `json` reads and writes what `json` does."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.client import plainjson

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values, st.sampled_from([None, 2]))
def test_what_json_writes_is_read_and_the_other_way_round(value, indent):
    assert plainjson.loads(json.dumps(value, indent=indent)) == value
    assert json.loads(plainjson.dumps(value)) == value


@given(st.text(alphabet='{}[]",:0123456789.eE+-truefalsn \n\\u', max_size=30))
def test_a_text_is_json_for_both_or_for_none(text):
    try:
        wanted = json.loads(text)
    except (ValueError, RecursionError):
        with pytest.raises((ValueError, RecursionError)):
            plainjson.loads(text)
    else:
        found = plainjson.loads(text)
        assert found == wanted or (math.isnan(found) and math.isnan(wanted))


@pytest.mark.parametrize("data", [b'\xef\xbb\xbf {"a": 1} \r\n', '\ufeff{"a": 1}'])
def test_a_mark_at_the_beginning_and_white_space_do_not_matter(data):
    assert plainjson.loads(data) == {"a": 1}


@pytest.mark.parametrize(
    "text", ["{", "[", '"', '{"a"', '{"a":', '{"a": 1,', "[1", '"\\u12', "tru", "-"]
)
def test_a_torn_text_is_a_value_error_also_before_json_is_loaded(text):
    code = (
        "import sys; from reverie.client import plainjson; assert 'json' not in sys.modules\n"
        f"try: plainjson.loads({text!r})\n"
        "except ValueError: print('torn')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("torn\n", "")
