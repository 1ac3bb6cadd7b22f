"""Mining frequent itemsets that keep everybody in a crowd."""
