"""What runs inside the programs that are compared: it records, and applies presets and perturbations."""
