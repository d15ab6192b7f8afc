meta_vars: dict[str, object] = {}
