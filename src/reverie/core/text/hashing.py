"""SHA-256 without loading OpenSSL, which takes longer than everything a hook hashes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:  # an interpreter built without its own
            from hashlib import sha256

__all__ = ["sha256"]
