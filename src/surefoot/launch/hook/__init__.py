"""What goes ahead of a Python program that a watched program starts: this folder comes first on its PYTHONPATH.

Any interpreter may load these files, also one without surefoot or one too old for it. So they import next to nothing
and guard whatever they do.
"""
