"""The record of a public domain that one release would expose most."""
