"""What models about items share: rules and itemsets."""
