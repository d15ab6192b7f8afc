"""One module for each training loop: a function for every row it can express, the reason for every row it can't.

A row's function returns what was measured for each way of writing it: `{"": value}` where there is only one.
`NOT_OFFERED` gives the reasons. Peers are driven as their own documentation says.
"""
