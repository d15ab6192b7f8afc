"""What the run log costs and what it loses, beside other trackers; and the long proofs of its writer."""
