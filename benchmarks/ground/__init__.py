"""What surefoot says about programs that other tools were evaluated on, run from checkouts of their repositories."""
