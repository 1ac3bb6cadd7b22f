"""Full-domain generalization: Incognito and Datafly."""
