"""The documentation site: `make site` builds it with MkDocs, which calls `hooks`."""
