"""Speed and quality, measured: what `reverie bench` and `reverie eval` run. Not part of the package."""
