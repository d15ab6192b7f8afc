"""How often what is said about the end of a loss curve is right, on real trainings that were cut and continued."""
