"""The figures of docs/guide: drawn from real runs, the same ones each time. `make figures` writes them."""
