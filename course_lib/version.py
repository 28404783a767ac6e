"""The one version that notebooks, answer keys and packages carry."""

__version__ = "0.1.0"
