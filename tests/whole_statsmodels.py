"""The full statsmodels package, imported without the deprecation warnings that pandas 3 raises in it."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import statsmodels.api as sm

__all__ = ["sm"]
