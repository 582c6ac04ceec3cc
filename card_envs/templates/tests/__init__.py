"""Tests of My Game."""
