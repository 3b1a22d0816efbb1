"""Fixtures for tests/ and for the pgTAP files below sql/tests/ come from one place."""

pytest_plugins = (
    "tests.support.fixtures",
    "tests.support.installing",
    "tests.support.elsewhere",
)
