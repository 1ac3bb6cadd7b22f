"""What the miners of rules and itemsets share."""
