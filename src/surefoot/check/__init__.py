"""`surefoot check`: show before a long run that a training program is right in the ways that can be tested."""
