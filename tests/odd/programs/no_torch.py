"""A program that never imports torch itself."""

import json

print(json.dumps({"a": 1}))
