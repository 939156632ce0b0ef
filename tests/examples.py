"""How many examples hypothesis tries where a test wants more than others."""

from hypothesis import settings


def examples(count: int) -> int:
    """Return `count`, as `make test` tries it; `make check` tries a tenth, but 20 as everywhere."""
    if settings.get_current_profile_name() != "quick":
        return count
    usual: int = settings.default.max_examples  # type: ignore[union-attr]
    return min(count, max(count // 10, usual))
